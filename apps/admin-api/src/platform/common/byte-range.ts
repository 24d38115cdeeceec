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
  const [, first = '', last = ''] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
  if (start < end) return { start, end };
  throw new GatewayError('range_not_satisfiable', {
    param: 'range',
    message: `The content has ${String(length)} bytes; ask for a range within them, or send no Range header.`,
    headers: { 'content-range': `bytes */${String(length)}` },
  });
}
