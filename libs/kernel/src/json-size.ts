import { byteTable, isNumberStart, isPlainNumber, skipNumber, skipString } from './json-tokens';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts of those parts of a JSON document that cost more memory than their bytes once it is
 * parsed.
 */
export interface JsonSize {
  /** Objects and lists. */
  readonly containers: number;
  /** Commas between members and items. */
  readonly commas: number;
  /** Members of all objects. */
  readonly members: number;
  /** Members of the object that has the most. */
  readonly membersOfOne: number;
  /** Numbers with more than 25 characters, longer than any double is written. */
  readonly longNumbers: number;
  /** Whether a number may change when it is parsed and written again; `exactNumbers` decides. */
  readonly mayLoseDigits: boolean;
  /** Maximum nesting of objects and lists. */
  readonly depth: number;
}

/** Bytes that may occur in JSON outside of strings. */
const OUTSIDE = byteTable(' \t\r\n{}[],:0123456789+-.eEtrufalsn');
/** Maximum length of a double: 17 digits with sign, point, leading zeros and exponent. */
const LONG_NUMBER = 25;

/** Bytes between two calls of `isEnough`. */
const CHECK_BYTES = 16_384;

/**
 * Counts in one linear walk over the bytes, without parsing them. The walk ends at the first byte
 * that no JSON has outside of strings, where a parser fails too. It also ends soon after `isEnough`
 * returns true, so that a document that will be refused costs little.
 */
export function jsonSize(body: Buffer, isEnough: (size: JsonSize) => boolean): JsonSize {
  const count = new Count();
  let at = 0;
  let checkAt = CHECK_BYTES;
  while (at >= 0 && at < body.length) {
    if (at >= checkAt) {
      if (isEnough(count)) return count;
      checkAt = at + CHECK_BYTES;
    }
    const byte = body[at] as number;
    if (byte === QUOTE) at = skipString(body, at);
    else if (isNumberStart(byte)) {
      const end = skipNumber(body, at);
      if (end - at > LONG_NUMBER) count.longNumbers += 1;
      if (!count.mayLoseDigits && !isPlainNumber(body, at, end)) count.mayLoseDigits = true;
      at = end;
    } else if (OUTSIDE[byte] === 0) at = -1;
    else {
      count.pass(byte);
      at += 1;
    }
  }
  return count;
}

class Count implements JsonSize {
  containers = 0;
  commas = 0;
  members = 0;
  membersOfOne = 0;
  longNumbers = 0;
  mayLoseDigits = false;
  depth = 0;
  /** Members so far of the current object; `around` holds those of the enclosing objects. */
  private current = 0;
  private readonly around: number[] = [];

  pass(byte: number): void {
    if (byte === COMMA) this.commas += 1;
    else if (byte === COLON) {
      this.members += 1;
      this.current += 1;
      if (this.current > this.membersOfOne) this.membersOfOne = this.current;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      this.containers += 1;
      const depth = this.around.push(this.current);
      if (depth > this.depth) this.depth = depth;
      this.current = 0;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.current = this.around.pop() ?? 0;
  }
}
