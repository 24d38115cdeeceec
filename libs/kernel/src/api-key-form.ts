import { Buffer } from 'node:buffer';

/**
 * Number of random letters and digits of an API key of this product, after the installation's
 * prefix: 190 bits.
 */
export const API_KEY_LENGTH = 32;
const API_KEY = /^[A-Za-z0-9_-]{0,32}[A-Za-z0-9]{32}$/;
/**
 * Matches digests and trace ids, which have the form of keys. One of 10^18 keys consists only of
 * hexadecimal digits.
 */
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

/** Returns whether a text has the form of an API key; digests and trace ids may have it too. */
export const hasApiKeyForm = (text: string): boolean => API_KEY.test(text);

const SEPARATORS = /[\s,;:="'&%<>(){}[\]]+/;
const ENCODED = /^[\w+/-]{32,}$/;

/**
 * Yields the words of a header's value, and those inside Basic authentication or a base64-encoded
 * cookie.
 */
export function* textsOf(value: string): Generator<string> {
  for (const word of value.split(SEPARATORS)) {
    yield word;
    if (ENCODED.test(word)) yield* Buffer.from(word, 'base64').toString('latin1').split(SEPARATORS);
  }
}

/**
 * Returns whether a header's value contains a text with the form of an API key of this product, of
 * any owner.
 */
export function mayHoldApiKey(value: string): boolean {
  if (value.length < API_KEY_LENGTH) return false;
  for (const text of textsOf(value)) if (hasApiKeyForm(text) && !HEX.test(text)) return true;
  return false;
}
