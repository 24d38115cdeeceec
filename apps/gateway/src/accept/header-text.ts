import { Buffer, isUtf8 } from 'node:buffer';

const BEYOND_ASCII = /[\x80-\xff]/;

/**
 * The text of a header. Node reads every byte as a character of latin1, while most clients send UTF-8: bytes that are valid UTF-8
 * are read as that, others as they were.
 */
export function headerText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
