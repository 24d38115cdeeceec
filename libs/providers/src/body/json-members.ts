import { skipString } from '@gw/kernel';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const KEY_BYTES_MAX = 64;
const COUNT_DIGITS_MAX = 9;

/** Receives the members of an object, one by one. */
export interface MemberReader {
  /**
   * Positions are `[start, end)`; the key includes its quotes. Return false when the object needs a
   * full parse.
   */
  member(body: Buffer, keyStart: number, keyEnd: number, valueStart: number, valueEnd: number): boolean;
}

/**
 * Passes the members of the object at `open` to a reader, without looking into their values.
 * Returns the index after the object; -1 when it is in doubt, that is, when it cannot be read
 * without a full parse (invalid JSON, a key with an escape, a key above 63 bytes). The caller then
 * parses it.
 */
export function readMembers(body: Buffer, open: number, reader: MemberReader): number {
  if (body[open] !== OPEN_OBJECT) return -1;
  let at = skipSpace(body, open + 1);
  while (body[at] !== CLOSE_OBJECT) {
    const keyEnd = endOfKey(body, at);
    if (keyEnd < 0) return -1;
    const colon = skipSpace(body, keyEnd);
    if (body[colon] !== COLON) return -1;
    const valueStart = skipSpace(body, colon + 1);
    const valueEnd = endOfValue(body, valueStart);
    if (valueEnd < 0 || !reader.member(body, at, keyEnd, valueStart, valueEnd)) return -1;
    at = skipSpace(body, valueEnd);
    if (body[at] === CLOSE_OBJECT) break;
    if (body[at] !== COMMA) return -1;
    at = skipSpace(body, at + 1);
    // A comma must be followed by another member.
    if (body[at] === CLOSE_OBJECT) return -1;
  }
  return at + 1;
}

export function skipSpace(body: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = body[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/**
 * Returns the index after the key at `start`; -1 when it is not a string, or has an escape or a
 * control character.
 */
export function endOfKey(body: Buffer, start: number): number {
  if (body[start] !== QUOTE) return -1;
  const limit = Math.min(body.length, start + 1 + KEY_BYTES_MAX);
  for (let at = start + 1; at < limit; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH || byte < 0x20) return -1;
  }
  return -1;
}

export const isKey = (body: Buffer, start: number, end: number, key: string): boolean =>
  end - start === key.length + 2 && body.toString('latin1', start + 1, end - 1) === key;

/** Returns the index after the value at `start`; -1 when there is none or it does not end. */
export function endOfValue(body: Buffer, start: number): number {
  const first = body[start];
  if (first === QUOTE) return skipString(body, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfNested(body, start);
  return endOfPrimitive(body, start);
}

function endOfNested(body: Buffer, start: number): number {
  const { length } = body;
  let depth = 0;
  let at = start;
  while (at < length) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = skipString(body, at);
      if (at < 0) return -1;
      continue;
    }
    at += 1;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return body[start] === byte - 2 ? at : -1;
    }
  }
  return -1;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Accepts numbers of up to 64 characters, true, false and null; everything else is doubtful. */
function endOfPrimitive(body: Buffer, start: number): number {
  let end = start;
  while (end < start + 64 && isPrimitiveByte(body[end] ?? 0)) end += 1;
  // Fast path: most primitives are short whole numbers.
  if (end - start < 16 && isDigits(body, start, end)) return end;
  const text = body.toString('latin1', start, end);
  const valid = text === 'true' || text === 'false' || text === 'null' || NUMBER.test(text);
  return valid ? end : -1;
}

/** Whether the bytes are a whole number without a sign or a leading zero. */
function isDigits(body: Buffer, start: number, end: number): boolean {
  if (end === start || (body[start] === 0x30 && end > start + 1)) return false;
  for (let at = start; at < end; at += 1) {
    const byte = body[at] ?? 0;
    if (byte < 0x30 || byte > 0x39) return false;
  }
  return true;
}

/** Returns a plain whole number of at most nine digits; -1 for anything else. */
export function countAt(body: Buffer, start: number, end: number): number {
  if (end - start > COUNT_DIGITS_MAX || !isDigits(body, start, end)) return -1;
  let count = 0;
  for (let at = start; at < end; at += 1) count = count * 10 + (body[at] as number) - 0x30;
  return count;
}

/** `0`–`9`, `+`, `-`, `.`, `A`–`Z`, `a`–`z`. */
const isPrimitiveByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a);
