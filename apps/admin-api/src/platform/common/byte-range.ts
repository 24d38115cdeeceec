import { GatewayError } from '@gw/kernel';

/** Positions of the first byte and of the byte behind the last one. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/**
 * The range of a `Range` header in a content of `length` bytes (RFC 9110, section 14). Null when the whole content is
 * to be sent: without a header, and for other units, several ranges and headers that are not valid. Throws
 * `range_not_satisfiable` for a range outside the content.
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
