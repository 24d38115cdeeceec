import { BlockList, isIP } from 'node:net';
import { parseTarget, type Target } from './target';

/** The usual HTTP_PROXY, HTTPS_PROXY and NO_PROXY; empty or absent means none. */
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

/** The proxy that a target goes through, or null. */
export type ProxySelector = (target: Target) => Proxy | null;

/**
 * NO_PROXY takes, separated by commas or blanks: `*`, host names (which cover the names below them; a leading `.` or
 * `*.` changes nothing), addresses, CIDR ranges for literal addresses, each but the range with an optional port.
 *
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
    // The value is not repeated: it may hold credentials.
    throw new Error('A proxy must be given as an http or https URL.');
  }
  const url = new URL(full);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    target: parseTarget(url.origin),
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

function createExemption(text: string): (target: Target) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  if (entries.includes('*')) return () => true;
  const ranges = new BlockList();
  const hosts: { name: string; port: number | null }[] = [];
  for (const entry of entries) {
    if (addRange(ranges, entry)) continue;
    const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry);
    const plain = isIP(entry) === 6 ? [entry, entry] : /^([^:]*)(?::(\d+))?$/.exec(entry);
    const [, host, port] = bracketed ?? plain ?? [];
    const name = host?.replace(/^\*?\./, '');
    if (name) hosts.push({ name, port: port === undefined ? null : Number(port) });
  }
  return ({ host, isLiteral, port }) =>
    (isLiteral && ranges.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')) ||
    hosts.some(
      (entry) =>
        (entry.port === null || entry.port === port) &&
        (host === entry.name || (!isLiteral && host.endsWith(`.${entry.name}`))),
    );
}

function addRange(ranges: BlockList, entry: string): boolean {
  const [address = '', bits] = entry.split('/');
  const family = isIP(address);
  if (bits === undefined || family === 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 6 ? 128 : 32)) return false;
  ranges.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  return true;
}
