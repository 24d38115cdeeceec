import {
  brokenNameRule,
  endsInNumber,
  isBlockedPort,
  isForbiddenName,
  isPrivateName,
  isWithin,
} from './address-policy.names';
import { parseAddress, type ParsedAddress } from './address-policy.ranges';
import { ERRORS, GatewayError } from './errors';
import type { Setting } from './settings';

export type AddressVerdict = { readonly ok: true } | { readonly ok: false; readonly rule: string };
export type UrlVerdict =
  { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly rule: string };

/**
 * Decides which hosts URLs of users may name. It reads only the text of a URL, so callers must also
 * pass each address that a name resolves to to `checkAddress`, at each new connection.
 */
export interface AddressPolicy {
  /** Checks the text of a URL. Accepts any value, because fields of a body may not be strings. */
  checkUrl(url: unknown): UrlVerdict;
  /**
   * Checks one resolved address of `host` (a lower-case name, or a literal address without
   * brackets).
   */
  checkAddress(ip: string, host: string): AddressVerdict;
}

export const URL_LENGTH_MAX = 2048;

const METADATA_RULE = 'Metadata and platform services are never allowed.';
const PRIVATE_RULE =
  'Private, local and reserved addresses are not allowed unless TRUSTED_CUSTOM_HOSTS names the host.';
const OK: AddressVerdict = { ok: true };
const refuse = (rule: string): { ok: false; rule: string } => ({ ok: false, rule });

interface Trust {
  /** Host names and canonical addresses. */
  readonly exact: ReadonlySet<string>;
  /** Suffixes of `*.domain` entries. They match the domain and its subdomains, never an address. */
  readonly suffixes: readonly string[];
}

/**
 * Parses a TRUSTED_CUSTOM_HOSTS text: comma-separated host names, `*.domain` and addresses. Strips
 * scheme, port and path; drops entries that name no host (`*`, a range).
 */
export function parseTrustedHosts(text: string): string[] {
  return text
    .split(',')
    .map(hostOfEntry)
    .filter((host) => host !== '');
}

/** Returns whether a host is one of `entries`, or matches an entry such as `*.example.com`. */
export const isTrustedHost = (entries: readonly string[], host: string): boolean =>
  entries.some((entry) =>
    entry.startsWith('*.') ? host === entry.slice(2) || host.endsWith(entry.slice(1)) : host === entry,
  );

export const trustedHosts: Setting<string> = {
  fallback: '',
  parse: (value) => {
    const entries = value.split(',').filter((entry) => entry.trim() !== '');
    if (entries.some((entry) => /\/\d+\s*$/.test(entry) || hostOfEntry(entry) === '')) {
      throw new Error('must be host names, *.domain and addresses separated by commas; not * and no ranges');
    }
    return value;
  },
};

function hostOfEntry(entry: string): string {
  const authority = entry
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/[/?#].*$/s, '');
  const bare = /^\[([^\]]*)\](?::\d*)?$/.exec(authority)?.[1] ?? authority;
  if (parseAddress(bare)) return bare;
  const host = bare.replace(/:\d*$/, '');
  if (parseAddress(host)) return host;
  const name = host.startsWith('*.') ? host.slice(2) : host;
  return brokenNameRule(name) === null && !endsInNumber(name) ? host : '';
}

function readTrust(entries: readonly string[]): Trust {
  const exact = new Set<string>();
  const suffixes: string[] = [];
  for (const host of entries.flatMap(parseTrustedHosts)) {
    if (host.startsWith('*.')) suffixes.push(host.slice(2));
    else exact.add(parseAddress(host)?.canonical ?? host);
    // RFC 6761: subdomains of localhost are the loopback too.
    if (host === 'localhost') suffixes.push(host);
  }
  return { exact, suffixes };
}

/**
 * Returns a policy. Metadata services and blocked ports stay forbidden even if `trustedHosts` names
 * them.
 */
export function createAddressPolicy(options: { readonly trustedHosts: readonly string[] }): AddressPolicy {
  const trust = readTrust(options.trustedHosts);
  const isTrustedName = (name: string): boolean =>
    trust.exact.has(name) || trust.suffixes.some((suffix) => isWithin(name, suffix));
  const verdictOn = (address: ParsedAddress, hostIsTrusted: boolean): AddressVerdict => {
    if (address.class === 'public') return OK;
    if (address.class === 'forbidden') return refuse(METADATA_RULE);
    return hostIsTrusted || trust.exact.has(address.canonical) ? OK : refuse(PRIVATE_RULE);
  };

  const checkName = (name: string): AddressVerdict => {
    const broken = brokenNameRule(name);
    if (broken !== null) return refuse(broken);
    if (isForbiddenName(name)) return refuse(METADATA_RULE);
    return !isPrivateName(name) || isTrustedName(name) ? OK : refuse(PRIVATE_RULE);
  };

  const checkHost = (host: string): AddressVerdict => {
    if (host.startsWith('[')) {
      const address = parseAddress(host.slice(1, -1));
      return address ? verdictOn(address, false) : refuse('The IPv6 address is not valid.');
    }
    if (!endsInNumber(host)) return checkName(host);
    const address = parseAddress(host);
    return address
      ? verdictOn(address, false)
      : refuse('An IPv4 address must be written as four decimal numbers with dots.');
  };

  return {
    checkUrl(value) {
      const parts = splitUrl(value);
      if (typeof parts === 'string') return refuse(parts);
      const verdict = checkHost(parts.host);
      return verdict.ok ? { ok: true, url: parts.url } : verdict;
    },
    checkAddress(ip, host) {
      const address = parseAddress(ip);
      if (!address) return refuse('The resolved address is not valid.');
      const isLiteral = parseAddress(host) !== null;
      if (!isLiteral && isForbiddenName(host)) return refuse(METADATA_RULE);
      return verdictOn(address, !isLiteral && isTrustedName(host));
    },
  };
}

/**
 * Reads the host from the text itself. URL parsers normalise many spellings (`0x7f.1`, full-width
 * digits, encoded letters), but the spelling reveals a disguised address. Returns the broken rule
 * as a string.
 */
function splitUrl(value: unknown): { host: string; url: URL } | string {
  if (typeof value !== 'string') return 'The URL must be a string.';
  const brokenText = brokenTextRule(value);
  if (brokenText !== null) return brokenText;
  const authority = (/^https?:\/\/([^/?]*)/i.exec(value)?.[1] ?? '').toLowerCase();
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(authority) ?? [];
  const broken = brokenAuthorityRule(authority, host, port);
  if (broken !== null) return broken;
  const url = URL.canParse(value) ? new URL(value) : null;
  return url ? { host, url } : 'The URL is not valid.';
}

function brokenTextRule(text: string): string | null {
  if (text.length > URL_LENGTH_MAX) return `The URL must have at most ${String(URL_LENGTH_MAX)} characters.`;
  if (!/^[\x21-\x7e]*$/.test(text) || text.includes('\\')) {
    return 'The URL must hold only visible ASCII characters and no backslash.';
  }
  if (!/^https?:\/\//i.test(text)) return 'The URL must begin with http:// or https://.';
  return text.includes('#') ? 'The URL must not have a fragment.' : null;
}

function brokenAuthorityRule(authority: string, host: string, port: string): string | null {
  if (authority.includes('@')) return 'The URL must not hold credentials.';
  if (host === '') return 'The URL must name a host.';
  if (host.includes('%')) return 'The host must not be percent-encoded.';
  if (port === '') return null;
  if (!(Number(port) >= 1 && Number(port) <= 65535)) return 'The port must be 1 to 65535.';
  return isBlockedPort(Number(port)) ? 'The port belongs to a service that is not HTTP.' : null;
}

/** @throws GatewayError `custom_host_refused`, naming `param` and the broken rule. */
export function assertAllowedUrl(policy: AddressPolicy, url: unknown, param: string): URL {
  const verdict = policy.checkUrl(url);
  if (verdict.ok) return verdict.url;
  throw new GatewayError('custom_host_refused', {
    param,
    message: `${ERRORS.custom_host_refused.message} ${verdict.rule}`,
    details: [{ path: param, message: verdict.rule }],
  });
}
