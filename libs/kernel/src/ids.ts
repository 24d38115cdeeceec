import { createHmac, createSecretKey, randomBytes, randomInt, type KeyObject } from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `length` characters of [A-Za-z0-9] from the system's random source; 32 of them carry 190 bits. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += ALPHANUMERIC.charAt(randomInt(ALPHANUMERIC.length));
  return text;
}

/** `bytes` random bytes as lower-case hex. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** A KeyObject: an HMAC with a Buffer as its key costs ten times as much on Node 24 and later. */
export const hashingKey = (pepper: string): KeyObject => createSecretKey(Buffer.from(pepper, 'utf8'));

/** HMAC-SHA256 of an API key, lower-case hex (64 characters). The key itself is never stored. */
export const hashApiKey = (key: KeyObject, apiKey: string): string =>
  createHmac('sha256', key).update(apiKey).digest('hex');

const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));
const pool = Buffer.alloc(16 * 256);
let poolAt = pool.length;

/**
 * A UUID version 7 (RFC 9562): sorts by time, 74 random bits. The random part comes from a pool, so that a request does not
 * pay for a system call.
 */
export function uuidv7(nowMs: number = Date.now()): string {
  if (poolAt === pool.length) {
    randomBytes(pool.length).copy(pool);
    poolAt = 0;
  }
  const at = poolAt;
  poolAt += 16;
  const high = Math.floor(nowMs / 0x10000);
  const low = nowMs % 0x10000;
  const byte = (i: number): string => HEX[pool[at + i] as number] as string;
  const hex = (value: number): string => HEX[value & 0xff] as string;
  return (
    `${hex(high >>> 24)}${hex(high >>> 16)}${hex(high >>> 8)}${hex(high)}-${hex(low >>> 8)}${hex(low)}-` +
    `${hex(0x70 | ((pool[at + 6] as number) & 0x0f))}${byte(7)}-` +
    `${hex(0x80 | ((pool[at + 8] as number) & 0x3f))}${byte(9)}-` +
    `${byte(10)}${byte(11)}${byte(12)}${byte(13)}${byte(14)}${byte(15)}`
  );
}
