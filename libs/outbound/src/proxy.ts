import { optional, url, type Setting } from '@gw/kernel';
import { BlockList, isIP } from 'node:net';
import { parseTarget, type Target } from './target';

/** Values of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Empty or absent means none. */
export interface ProxySettings {
  readonly httpProxy?: string | null;
  readonly httpsProxy?: string | null;
  readonly noProxy?: string | null;
}

export interface Proxy {
  readonly target: Target;
  /** Value of `proxy-authorization`, from the credentials of the proxy's URL. */
  readonly authorization: string | null;
}

/** Returns the proxy for a target, or null. */
export type ProxySelector = (target: Target) => Proxy | null;

/**
 * Creates a selector from the proxy settings. NO_PROXY is a list, separated by commas or blanks,
 * of: `*`, host names (which include the names below them; a leading `.` or `*.` changes nothing),
 * addresses, and CIDR ranges for literal addresses. All but ranges may have a port.
 * @throws Error when a proxy URL is not http or https.
 */
export function createProxySelector(settings: ProxySettings): ProxySelector {
  const http = parseProxy(settings.httpProxy);
  const https = parseProxy(settings.httpsProxy);
  const isExempt = createExemption(settings.noProxy ?? '');
  return (target) => {
    const proxy = target.isTls ? https : http;
    return proxy && !isExempt(target) ? proxy : null;
  };
}

function parseProxy(value: string | null | undefined): Proxy | null {
  const text = value?.trim() ?? '';
  if (text === '') return null;
  const full = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(full) || !/^https?:/i.test(full)) {
    // Do not repeat the value, which may contain credentials.
    throw new Error('A proxy must be given as an http or https URL.');
  }
  const { username, password, origin } = new URL(full);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    target: parseTarget(origin),
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

interface Exemption {
  readonly range?: { readonly address: string; readonly bits: number };
  /** A host and the names below it. Without a `port`, every port matches. */
  readonly host?: { readonly name: string; readonly port: number | null };
}

const entriesOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');

/** Returns null for an entry that is neither a host nor a range. */
function exemptionOf(entry: string): Exemption | null {
  const range = rangeOf(entry);
  if (range) return { range };
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(entry);
  const plain = isIP(entry) === 6 ? [entry, entry] : /^([^:]*)(?::(\d{1,5}))?$/.exec(entry);
  const [, host, port] = bracketed ?? plain ?? [];
  const name = host?.replace(/^\*?\./, '') ?? '';
  if (isIP(name) === 0 && !/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*\.?$/u.test(name)) return null;
  return { host: { name, port: port === undefined ? null : Number(port) } };
}

function rangeOf(entry: string): Exemption['range'] | null {
  const [address = '', bits = ''] = entry.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? { address, bits: Number(bits) } : null;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function createExemption(text: string): (target: Target) => boolean {
  const entries = entriesOf(text);
  if (entries.includes('*')) return () => true;
  const ranges = new BlockList();
  const exemptions = entries.map(exemptionOf);
  for (const { range } of exemptions.filter((one) => one !== null)) {
    if (range) ranges.addSubnet(range.address, range.bits, familyOf(range.address));
  }
  const hosts = exemptions.flatMap((one) => one?.host ?? []);
  return ({ host, isLiteral, port }) =>
    (isLiteral && ranges.check(host, familyOf(host))) ||
    hosts.some(
      (entry) =>
        (entry.port === null || entry.port === port) &&
        (host === entry.name || (!isLiteral && host.endsWith(`.${entry.name}`))),
    );
}

const noProxy: Setting<string> = {
  fallback: '',
  parse: (value) => {
    if (entriesOf(value).some((entry) => entry !== '*' && exemptionOf(entry) === null)) {
      throw new Error('must be hosts, addresses and CIDR ranges separated by commas, or *');
    }
    return value;
  },
};

const proxyUrl: Setting<string> = {
  fallback: undefined,
  parse: (value) => {
    const checked = url({ protocols: ['http:', 'https:'], allowCredentials: true }).parse(value);
    try {
      parseProxy(checked);
    } catch {
      throw new Error('must have its credentials percent-encoded');
    }
    return checked;
  },
};

/** Proxy settings of every process that calls other hosts. */
export const PROXY_SETTINGS = {
  HTTPS_PROXY: optional(proxyUrl),
  HTTP_PROXY: optional(proxyUrl),
  NO_PROXY: noProxy,
};
