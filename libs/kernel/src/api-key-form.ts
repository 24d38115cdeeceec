import { Buffer } from 'node:buffer';

/** Letters and digits of a key of this product, behind the installation's prefix: 190 bits. */
export const API_KEY_LENGTH = 32;
const API_KEY = /^[A-Za-z0-9_-]{0,32}[A-Za-z0-9]{32}$/;
/** Digests and trace ids have the form, too. One of 10^18 keys is made of hexadecimal digits alone. */
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

export const hasApiKeyForm = (text: string): boolean => API_KEY.test(text);

const SEPARATORS = /[\s,;:="'&%<>(){}[\]]+/;
const ENCODED = /^[\w+/-]{32,}$/;

/** Returns the words of a header's value, and the texts within Basic authentication or an encoded cookie. */
export function* textsOf(value: string): Generator<string> {
  for (const word of value.split(SEPARATORS)) {
    yield word;
    if (ENCODED.test(word)) yield* Buffer.from(word, 'base64').toString('latin1').split(SEPARATORS);
  }
}

/** Whether a header's value holds what has the form of a key of this product, of any owner. */
export function mayHoldApiKey(value: string): boolean {
  if (value.length < API_KEY_LENGTH) return false;
  for (const text of textsOf(value)) if (hasApiKeyForm(text) && !HEX.test(text)) return true;
  return false;
}
