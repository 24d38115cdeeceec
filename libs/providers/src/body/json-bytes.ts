const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const byteTable = (characters: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
};

/** What a JSON number is made of, and what one begins with. */
const NUMBER = byteTable('0123456789+-.eE');
const NUMBER_START = byteTable('0123456789-');

export const isNumberStart = (byte: number): boolean => NUMBER_START[byte] === 1;

/** Index behind the number that begins at `start`. */
export function skipNumber(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && NUMBER[bytes[at] as number] === 1) at += 1;
  return at;
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

/** True when an odd run of backslashes, none of them before `from`, stands in front of `at`. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let run = 0;
  while (at - 1 - run >= from && bytes[at - 1 - run] === BACKSLASH) run += 1;
  return run % 2 === 1;
}

const LETTER_U = 0x75;
/** Escapes stand close together in what has line breaks or JSON in it, so more is walked than for a quote. */
const ESCAPE_WALK = 64;

/** What may follow a backslash, `u` apart (RFC 8259, section 7). */
const ESCAPED = byteTable('"/\\bfnrt');
const HEX = byteTable('0123456789abcdefABCDEF');

/**
 * Every backslash of the bytes begins an escape that JSON knows. JSON has backslashes inside strings alone, so it is asked of the
 * whole document without looking where its strings are; bytes without a backslash cost one native search.
 */
export const hasSoundEscapes = (bytes: Buffer): boolean => unsoundEscape(bytes) === -1;

/** Index of the first backslash that begins no escape, or -1. */
function unsoundEscape(bytes: Buffer): number {
  const { length } = bytes;
  let at = bytes.indexOf(BACKSLASH);
  while (at >= 0) {
    const escaped = bytes[at + 1] ?? 0;
    if (ESCAPED[escaped] === 1) at += 2;
    else if (escaped === LETTER_U && areHexDigits(bytes, at + 2)) at += 6;
    else return at;
    const stop = Math.min(length, at + ESCAPE_WALK);
    while (at < stop && bytes[at] !== BACKSLASH) at += 1;
    if (at === stop) at = stop < length ? bytes.indexOf(BACKSLASH, stop) : -1;
  }
  return -1;
}

const ESCAPE_BYTES_MAX = 6;
const NOTHING = Buffer.alloc(0);

/** The same question asked of bytes that go by in pieces. */
export class EscapeCheck {
  private isUnsound = false;
  /** An escape that the end of the last piece may have cut. */
  private begun: Buffer = NOTHING;

  add(piece: Buffer): void {
    if (this.isUnsound) return;
    const bytes = this.begun.length === 0 ? piece : Buffer.concat([this.begun, piece]);
    const at = unsoundEscape(bytes);
    this.isUnsound = at !== -1 && at + ESCAPE_BYTES_MAX <= bytes.length;
    this.begun = at === -1 || this.isUnsound ? NOTHING : Buffer.from(bytes.subarray(at));
  }

  get isSound(): boolean {
    return !this.isUnsound && this.begun.length === 0;
  }
}

const areHexDigits = (bytes: Buffer, from: number): boolean =>
  HEX[bytes[from] ?? 0] === 1 &&
  HEX[bytes[from + 1] ?? 0] === 1 &&
  HEX[bytes[from + 2] ?? 0] === 1 &&
  HEX[bytes[from + 3] ?? 0] === 1;
