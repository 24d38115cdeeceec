import { createAddressPolicy } from '@gw/kernel';
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

const PUBLIC_ONLY = createAddressPolicy({ trustedHosts: [] });

/**
 * Scripts that may be mixed in one label: those of one language, and Latin letters with East Asian
 * scripts.
 */
const SCRIPT_GROUPS: readonly RegExp[] = [
  /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}]*$/u,
];
/** Matches letters of scripts that are used for look-alike names. */
const FAMILIAR =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/**
 * Returns why a host is not a public DNS name or IP address; undefined when it is. Checks the text
 * itself, before a URL parser changes it.
 */
export function publicHostFault(host: string): string | undefined {
  if (host.startsWith('[') || isIPv4(host)) return addressFault(host);
  const name = host.toLowerCase();
  if (name.length > 253) return 'must name a host of at most 253 characters';
  const labels = name.split('.');
  if (labels.length < 2) return 'must name a host with a dot, such as app.example.com';
  if (labels.at(-1) === '') return 'must name a host without a dot at its end';
  if (!labels.every((label) => /^(?!-)[a-z0-9-]{1,63}$/.test(label) && !label.endsWith('-')))
    return 'must name a host of letters, digits, hyphens and dots; write other letters as punycode (xn--)';
  // URL parsers read such a name as a number.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? ''))
    return 'must name an address as four decimal numbers with dots';
  return labels.some((label) => label.startsWith('xn--')) ? punycodeFault(name) : undefined;
}

function addressFault(host: string): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  const isCanonical = isIPv6(bare) ? new URL(`https://[${bare}]`).hostname === host : isIPv4(host);
  if (!isCanonical) return 'must write its address in the shortest form (RFC 5952)';
  return PUBLIC_ONLY.checkAddress(bare, bare).ok
    ? undefined
    : 'must not name a private or reserved address; use a host name';
}

function punycodeFault(name: string): string | undefined {
  const decoded = domainToUnicode(name);
  const labels = decoded.split('.');
  // Invalid punycode stays encoded.
  if (labels.some((label) => label.startsWith('xn--')) || domainToASCII(decoded) !== name)
    return 'must name a host in valid punycode';
  return labels.some(isMixed) ? 'must not mix letters of several scripts in a label of its host' : undefined;
}

function isMixed(label: string): boolean {
  return FAMILIAR.test(label) && !SCRIPT_GROUPS.some((group) => group.test(label));
}

/**
 * Returns a host for people: decoded from punycode, followed by the encoded name in parentheses.
 */
export function readableHost(host: string): string {
  const name = host.toLowerCase();
  const decoded = name.includes('xn--') ? domainToUnicode(name) : '';
  return decoded === '' || decoded === name ? name : `${decoded} (${name})`;
}
