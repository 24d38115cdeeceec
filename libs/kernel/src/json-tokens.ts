const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** 1 at the code of every one of the characters, which are of ASCII. */
export const byteTable = (characters: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
};

/** Bytes of a JSON number, and those that it can begin with. */
const NUMBER = byteTable('0123456789+-.eE');
const NUMBER_START = byteTable('0123456789-');

export const isNumberStart = (byte: number): boolean => NUMBER_START[byte] === 1;

/** Index behind the number that begins at `start`. */
export function skipNumber(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && NUMBER[bytes[at] as number] === 1) at += 1;
  return at;
}

/** Every number with at most this many characters and no exponent is exact as a double. */
export const EXACT_DIGITS = 15;
const [LETTER_E, LOWER] = [0x65, 0x20];

/** Whether a number is short and has no exponent, so that parsing and writing it cannot change its value. */
export function isPlainNumber(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > EXACT_DIGITS) return false;
  for (let at = start; at < end; at += 1) if (((bytes[at] as number) | LOWER) === LETTER_E) return false;
  return true;
}

/** Short strings are walked byte by byte; from here on the native search is faster. */
const WALK = 24;

/** Index behind the quote that ends the JSON string whose opening quote is at `start`; -1 when it never ends. */
export function skipString(bytes: Buffer, start: number): number {
  const { length } = bytes;
  let i = start + 1;
  for (;;) {
    const stop = Math.min(length, i + WALK);
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

/** True when an odd run of backslashes, none of them before `from`, is in front of `at`. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let run = 0;
  while (at - 1 - run >= from && bytes[at - 1 - run] === BACKSLASH) run += 1;
  return run % 2 === 1;
}
