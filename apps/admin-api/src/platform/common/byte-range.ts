import { GatewayError } from '@gw/kernel';

/** Byte positions of a range: `start` is inclusive, `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/**
 * Returns the range of a `Range` header for a content of `length` bytes (RFC 9110, section 14).
 * Returns null when the whole content must be sent: without a header, and for other units, several
 * ranges and invalid headers. Throws `range_not_satisfiable` for a range outside the content.
 */
export function byteRange(header: string | undefined, length: number): ByteRange | null {
  const found = ONE_RANGE.exec(header?.trim() ?? '');
  if (found === null) return null;
  const [first, last] = [numberIn(found[1]), numberIn(found[2])];
  if (first === null) return last === null ? null : within({ start: length - last, end: length }, length);
  if (last !== null && last < first) return null;
  return within({ start: first, end: last === null ? length : last + 1 }, length);
}

const numberIn = (digits = ''): number | null => (digits === '' ? null : Number(digits));

function within(range: ByteRange, length: number): ByteRange {
  const start = Math.max(0, range.start);
  const end = Math.min(length, range.end);
  if (start < end) return { start, end };
  throw new GatewayError('range_not_satisfiable', {
    param: 'range',
    message: `The content has ${String(length)} bytes; ask for a range within them, or send no Range header.`,
    headers: { 'content-range': `bytes */${String(length)}` },
  });
}
