const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns a table with 1 at the code of each of these ASCII characters, and 0 elsewhere. */
export const byteTable = (characters: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
};

/** Bytes that a JSON number may contain, and bytes with which it may begin. */
const NUMBER = byteTable('0123456789+-.eE');
const NUMBER_START = byteTable('0123456789-');

export const isNumberStart = (byte: number): boolean => NUMBER_START[byte] === 1;

/** Returns the index behind the number that begins at `start`. */
export function skipNumber(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && NUMBER[bytes[at] as number] === 1) at += 1;
  return at;
}

/** Maximum length at which every number without an exponent keeps its value as a double. */
export const EXACT_DIGITS = 15;
const [LETTER_E, LOWER] = [0x65, 0x20];

/**
 * Returns whether a number is short and has no exponent, so that parsing and writing it does not
 * change its value.
 */
export function isPlainNumber(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > EXACT_DIGITS) return false;
  for (let at = start; at < end; at += 1) if (((bytes[at] as number) | LOWER) === LETTER_E) return false;
  return true;
}

/**
 * Number of bytes of a string that are scanned one by one; after them the native search is faster.
 */
const SCANNED_BYTES = 24;

/**
 * Returns the index behind the closing quote of the JSON string that begins at `start`; -1 if there
 * is none.
 */
export function skipString(bytes: Buffer, start: number): number {
  const { length } = bytes;
  let i = start + 1;
  for (;;) {
    const stop = Math.min(length, i + SCANNED_BYTES);
    for (; i < stop; i += 1) {
      const byte = bytes[i];
      if (byte === QUOTE) return i + 1;
      if (byte === BACKSLASH) i += 1;
    }
    if (i >= length) return -1;
    const quote = bytes.indexOf(QUOTE, i);
    if (quote < 0) return -1;
    if (!isEscaped(bytes, i, quote)) return quote + 1;
    i = quote + 1;
  }
}

/** Returns whether an odd number of backslashes precedes `at`; those before `from` do not count. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let run = 0;
  while (at - 1 - run >= from && bytes[at - 1 - run] === BACKSLASH) run += 1;
  return run % 2 === 1;
}
