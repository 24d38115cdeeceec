import { createHmac, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Setting } from './settings';

/** Proxies whose `x-forwarded-for` is believed. */
export interface TrustedProxies {
  has(address: string): boolean;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const typeOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

function readProxies(text: string): TrustedProxies {
  const list = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...rest] = entry.split('/');
    const most = isIPv6(address) ? 128 : 32;
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (isIP(address) === 0 || !isRange || rest.length > 0) {
      throw new Error('must be addresses and ranges such as 10.0.0.0/8 or fd00::/8, separated by commas');
    }
    if (bits === undefined) list.addAddress(address, typeOf(address));
    else list.addSubnet(address, Number(bits), typeOf(address));
  }
  return { has: (address) => isIP(address) !== 0 && list.check(address, typeOf(address)) };
}

/** Setting of processes that callers reach through a proxy. Absent: no proxy is trusted. */
export const trustedProxies: Setting<TrustedProxies> = {
  fallback: { has: () => false },
  parse: readProxies,
};

/** One spelling: an IPv4 address that is mapped into IPv6 is an IPv4 address; ports and brackets go. Null: no address. */
function plainAddress(text: string): string | null {
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const address = MAPPED.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? null : address.toLowerCase();
}

/** Entries of `x-forwarded-for` that are read, from the right. */
const HOPS_MAX = 32;

/**
 * The client's address: the peer, or the right-most entry of `x-forwarded-for` that no trusted proxy wrote for another trusted
 * proxy. Entries left of it may be forged. An entry that is no address ends the search at the proxy that sent it.
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

/** Clocks of two machines may differ by so much. */
const PROOF_MS = 5 * 60_000;

const proofOf = (serviceToken: string, address: string, atMs: string): Buffer =>
  createHmac('sha256', serviceToken).update(`client-address ${address} ${atMs}`).digest();

/** Signs the client's address for another of our processes, which verifies it with the service token. */
export function signClientAddress(serviceToken: string, address: string, nowMs = Date.now()): string {
  const at = String(nowMs);
  return `${address};${at};${proofOf(serviceToken, address, at).toString('base64url')}`;
}

/** The address that `signClientAddress` signed in the last minutes, or null for any other text. */
export function signedClientAddress(
  serviceToken: string,
  header: string | readonly string[] | undefined,
  nowMs = Date.now(),
): string | null {
  if (typeof header !== 'string') return null;
  const [address = '', at = '', proof = '', ...rest] = header.split(';');
  if (rest.length > 0 || isIP(address) === 0 || !/^\d{1,15}$/.test(at)) return null;
  if (Math.abs(nowMs - Number(at)) > PROOF_MS) return null;
  const given = Buffer.from(proof, 'base64url');
  const right = proofOf(serviceToken, address, at);
  return given.length === right.length && timingSafeEqual(given, right) ? address : null;
}

/** An IPv6 client has 2^64 addresses at least, so its /64 counts as one. */
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
