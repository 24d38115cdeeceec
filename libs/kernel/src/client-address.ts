import { createHmac, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Setting } from './settings';

/** Proxies whose `x-forwarded-for` header is trusted. */
export interface TrustedProxies {
  has(address: string): boolean;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const typeOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

function readProxies(text: string): TrustedProxies {
  const list = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...rest] = entry.split('/');
    const bitsMax = isIPv6(address) ? 128 : 32;
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
    if (isIP(address) === 0 || !isRange || rest.length > 0) {
      throw new Error('must be addresses and ranges such as 10.0.0.0/8 or fd00::/8, separated by commas');
    }
    if (bits === undefined) list.addAddress(address, typeOf(address));
    else list.addSubnet(address, Number(bits), typeOf(address));
  }
  return { has: (address) => isIP(address) !== 0 && list.check(address, typeOf(address)) };
}

/** Setting of processes that callers reach through a proxy. When absent, no proxy is trusted. */
export const trustedProxies: Setting<TrustedProxies> = {
  fallback: { has: () => false },
  parse: readProxies,
};

/**
 * Normalises an address: converts an IPv4-mapped IPv6 address to IPv4, and removes ports and
 * brackets. Returns null if the text is no address.
 */
function plainAddress(text: string): string | null {
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const address = MAPPED.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? null : address.toLowerCase();
}

/** Maximum number of entries of `x-forwarded-for` that are read, from the right. */
const HOPS_MAX = 32;

/**
 * Returns the client's address: the right-most entry of `x-forwarded-for` that is not a trusted
 * proxy, or the peer itself if the peer is not one. Entries further left may be forged. An entry
 * that is no address ends the search at the proxy that sent it.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
  proxies: TrustedProxies,
): string {
  let address = plainAddress(peer ?? '') ?? '';
  if (!proxies.has(address) || forwardedFor === undefined) return address;
  const hops = [forwardedFor].flat().join(',').split(',').slice(-HOPS_MAX);
  for (const hop of hops.reverse()) {
    const next = plainAddress(hop.trim());
    if (next === null) return address;
    address = next;
    if (!proxies.has(address)) return address;
  }
  return address;
}

/** Maximum age of a signature, which also allows for clock differences between machines. */
const PROOF_MS = 5 * 60_000;

const proofOf = (serviceToken: string, address: string, atMs: string): Buffer =>
  createHmac('sha256', serviceToken).update(`client-address ${address} ${atMs}`).digest();

/**
 * Signs the client's address for another process of Tollgate, which verifies it with the service
 * token.
 */
export function signClientAddress(serviceToken: string, address: string, nowMs = Date.now()): string {
  const at = String(nowMs);
  return `${address};${at};${proofOf(serviceToken, address, at).toString('base64url')}`;
}

/**
 * Returns the address that `signClientAddress` signed within the last five minutes; null for any
 * other text.
 */
export function signedClientAddress(
  serviceToken: string,
  header: string | readonly string[] | undefined,
  nowMs = Date.now(),
): string | null {
  if (typeof header !== 'string') return null;
  const [address = '', at = '', proof = '', ...rest] = header.split(';');
  if (rest.length > 0 || isIP(address) === 0 || !/^\d{1,15}$/.test(at)) return null;
  if (Math.abs(nowMs - Number(at)) > PROOF_MS) return null;
  const received = Buffer.from(proof, 'base64url');
  const expected = proofOf(serviceToken, address, at);
  return received.length === expected.length && timingSafeEqual(received, expected) ? address : null;
}

/**
 * Returns the network that counts as one client: the address itself for IPv4, its /64 for IPv6,
 * where a client has at least 2^64 addresses.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const left = head.split(':').filter((part) => part !== '');
  const right = (tail ?? '').split(':').filter((part) => part !== '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const all = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${all
    .slice(0, 4)
    .map((part) => parseInt(part, 16).toString(16))
    .join(':')}::/64`;
}
