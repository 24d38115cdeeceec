import { isUtf8 } from 'node:buffer';

const [PREFIX, SUFFIX] = ['=?base64?', '?='];
/** Printable ASCII without a space at either end. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * A value that headers of MCP 2026-07-28 carry: an argument, or the name of a tool, prompt or
 * resource.
 */
export type HeaderScalar = string | number | boolean;

/**
 * Encodes a value for an `Mcp-Name` or `Mcp-Param-*` header: as it is when it is printable ASCII
 * without edge spaces, else `=?base64?<base64 of UTF-8>?=`. A text that already has the latter form
 * is encoded too. Throws a `RangeError` for a number that is not a safe integer.
 */
export function encodeHeaderValue(value: HeaderScalar): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError('A header carries integers of at most 53 bits only.');
  const text = String(value);
  const looksWrapped = text.startsWith(PREFIX) && text.endsWith(SUFFIX);
  if (PLAIN.test(text) && !looksWrapped) return text;
  return PREFIX + Buffer.from(text, 'utf8').toString('base64') + SUFFIX;
}

/**
 * Decodes a header value. Returns null for characters outside printable ASCII, and for an encoded
 * value without standard base64 of valid UTF-8. The markers are case-sensitive.
 */
export function decodeHeaderValue(header: string): string | null {
  if (!PLAIN.test(header)) return null;
  const isWrapped =
    header.startsWith(PREFIX) && header.endsWith(SUFFIX) && header.length >= PREFIX.length + SUFFIX.length;
  if (!isWrapped) return header;
  const base64 = header.slice(PREFIX.length, -SUFFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  // Node ignores characters outside base64; only the canonical form encodes to the same text again.
  const isStandard = BASE64.test(base64) && bytes.toString('base64') === base64;
  return isStandard && isUtf8(bytes) ? bytes.toString('utf8') : null;
}
