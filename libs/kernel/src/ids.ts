import { Buffer } from 'node:buffer';
import {
  createHmac,
  createSecretKey,
  randomBytes,
  randomFillSync,
  randomInt,
  type KeyObject,
} from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Returns `length` random characters of [A-Za-z0-9] from the system's secure source; 32 of them
 * carry 190 bits.
 */
export function randomAlphanumeric(length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += ALPHANUMERIC.charAt(randomInt(ALPHANUMERIC.length));
  return text;
}

/** Returns `bytes` random bytes as lower-case hex. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/**
 * Returns a key for `hashApiKey`. An HMAC with a Buffer as its key costs ten times as much on Node
 * 24 and later.
 */
export const hashingKey = (pepper: string): KeyObject => createSecretKey(Buffer.from(pepper, 'utf8'));

/**
 * Returns the HMAC-SHA256 of an API key as lower-case hex (64 characters). The key itself is never
 * stored.
 */
export const hashApiKey = (key: KeyObject, apiKey: string): string =>
  createHmac('sha256', key).update(apiKey).digest('hex');

const HEX_DIGITS = Buffer.from('0123456789abcdef', 'latin1');
const pool = Buffer.alloc(16 * 256);
let poolAt = pool.length;
/** Buffer for the text of the next id, so that it becomes one flat string. */
const text = Buffer.from('00000000-0000-7000-8000-000000000000', 'latin1');
let textMs = -1;

function putByte(at: number, byte: number): void {
  text[at] = HEX_DIGITS[byte >>> 4] as number;
  text[at + 1] = HEX_DIGITS[byte & 0x0f] as number;
}

function putTime(nowMs: number): void {
  textMs = nowMs;
  const high = Math.floor(nowMs / 0x10000);
  putByte(0, (high >>> 24) & 0xff);
  putByte(2, (high >>> 16) & 0xff);
  putByte(4, (high >>> 8) & 0xff);
  putByte(6, high & 0xff);
  const low = nowMs % 0x10000;
  putByte(9, low >>> 8);
  putByte(11, low & 0xff);
}

/**
 * Returns a UUID version 7 (RFC 9562): it sorts by time and has 74 random bits. These come from a
 * pool, so that most calls need no system call.
 */
export function uuidv7(nowMs: number = Date.now()): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  if (nowMs !== textMs) putTime(nowMs);
  const at = poolAt;
  poolAt += 16;
  putByte(14, 0x70 | ((pool[at] as number) & 0x0f));
  putByte(16, pool[at + 1] as number);
  putByte(19, 0x80 | ((pool[at + 2] as number) & 0x3f));
  putByte(21, pool[at + 3] as number);
  for (let i = 0; i < 6; i += 1) putByte(24 + 2 * i, pool[at + 4 + i] as number);
  return text.toString('latin1');
}

/** Matches a UUID of any version of RFC 9562, in either case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
