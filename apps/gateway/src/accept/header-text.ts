import { Buffer, isUtf8 } from 'node:buffer';

const BEYOND_ASCII = /[\x80-\xff]/;

/**
 * Decodes a header value. Node decodes header bytes as latin1, but most clients send UTF-8: valid
 * UTF-8 is decoded as UTF-8, anything else stays latin1.
 */
export function headerText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
