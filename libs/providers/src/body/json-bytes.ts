import { byteTable } from '@gw/kernel';

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/**
 * Bytes after an escape that are compared one by one before the native search, because escapes are
 * often close together in text with line breaks or JSON.
 */
const ESCAPE_WALK = 64;

/** Characters that may follow a backslash, except `u` (RFC 8259, section 7). */
const ESCAPED = byteTable('"/\\bfnrt');
const HEX = byteTable('0123456789abcdefABCDEF');

/**
 * Returns whether every backslash starts an escape that JSON defines.
 * JSON has backslashes only inside strings, so the whole document is searched without tracking
 * strings; bytes without a backslash cost one native search.
 */
export const hasSoundEscapes = (bytes: Buffer): boolean => unsoundEscape(bytes) === -1;

/** Returns the index of the first backslash that starts no valid escape, or -1. */
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

/** Checks escapes in bytes that arrive in chunks. */
export class EscapeCheck {
  private isUnsound = false;
  /** An escape that the end of the last chunk may have cut. */
  private pending: Buffer = NOTHING;

  add(piece: Buffer): void {
    if (this.isUnsound) return;
    const bytes = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    const at = unsoundEscape(bytes);
    this.isUnsound = at !== -1 && at + ESCAPE_BYTES_MAX <= bytes.length;
    this.pending = at === -1 || this.isUnsound ? NOTHING : Buffer.from(bytes.subarray(at));
  }

  get isSound(): boolean {
    return !this.isUnsound && this.pending.length === 0;
  }
}

const areHexDigits = (bytes: Buffer, from: number): boolean =>
  HEX[bytes[from] ?? 0] === 1 &&
  HEX[bytes[from + 1] ?? 0] === 1 &&
  HEX[bytes[from + 2] ?? 0] === 1 &&
  HEX[bytes[from + 3] ?? 0] === 1;
