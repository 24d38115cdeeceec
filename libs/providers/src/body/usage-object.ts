import { parseObject } from '@gw/dialects';
import { skipString } from '@gw/kernel';
import type { JsonObject } from '../provider';

const USAGE = Buffer.from('"usage"');
const USAGE_METADATA = Buffer.from('"usageMetadata"');
const QUOTE = 0x22;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** A usage object has a few hundred bytes; a longer one is not read. */
const USAGE_BYTES_MAX = 16_384;
/** Maximum keys to examine from the end before the search gives up. */
const CANDIDATES_MAX = 16;

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Returns the object after the key at `at`; null when there is no such key or no object. */
function objectAt(bytes: Buffer, key: Buffer, at: number): JsonObject | null {
  // After a backslash the quote is part of a string, so what follows is text.
  if (bytes[at - 1] === BACKSLASH) return null;
  let start = at + key.length;
  while (isSpace(bytes[start])) start += 1;
  if (bytes[start] !== COLON) return null;
  start += 1;
  while (isSpace(bytes[start])) start += 1;
  if (bytes[start] !== OPEN) return null;
  const end = endOfObject(bytes, start);
  if (end < 0) return null;
  return parseObject(bytes.toString('utf8', start, end));
}

/**
 * Returns the index after the brace that closes the object at `start`; -1 when it does not close
 * within the bound.
 */
function endOfObject(bytes: Buffer, start: number): number {
  const limit = Math.min(bytes.length, start + USAGE_BYTES_MAX);
  let depth = 0;
  for (let i = start; i < limit; i += 1) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i = skipString(bytes, i) - 1;
      if (i < 0) return -1;
    } else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

/**
 * Returns the last `"usage": { … }` in the bytes at any depth, for text of which only the end is
 * known.
 */
export const lastUsageObject = (bytes: Buffer): JsonObject | null => lastObject(bytes, USAGE);

/** Returns the last `"usageMetadata": { … }` in the bytes at any depth. */
export const lastUsageMetadata = (bytes: Buffer): JsonObject | null => lastObject(bytes, USAGE_METADATA);

function lastObject(bytes: Buffer, key: Buffer): JsonObject | null {
  let at = bytes.lastIndexOf(key);
  for (let attempts = 0; at >= 0 && attempts < CANDIDATES_MAX; attempts += 1) {
    const found = objectAt(bytes, key, at);
    if (found !== null) return found;
    if (at === 0) break;
    at = bytes.lastIndexOf(key, at - 1);
  }
  return null;
}
