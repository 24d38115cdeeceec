import { byteTable, isNumberStart, isPlainNumber, skipNumber, skipString } from './json-tokens';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** How much a JSON document has of what costs more than its bytes once it is parsed. */
export interface JsonSize {
  /** Objects and lists. */
  readonly containers: number;
  /** Commas between members and items. */
  readonly commas: number;
  /** Members of all objects. */
  readonly members: number;
  /** Members of the object that has the most. */
  readonly membersOfOne: number;
  /** Numbers that are longer than a double is ever written. */
  readonly longNumbers: number;
  /** Whether a number may change when it is parsed and written again, as `exactNumbers` finds out. */
  readonly mayLoseDigits: boolean;
  /** Levels of objects and lists inside of each other. */
  readonly depth: number;
}

/** Bytes that JSON has outside of strings. */
const OUTSIDE = byteTable(' \t\r\n{}[],:0123456789+-.eEtrufalsn');
/** A double has 17 digits at most, next to signs, a point, leading zeros and an exponent. */
const LONG_NUMBER = 25;

/** Bytes between two looks at whether enough was counted. */
const LOOK_BYTES = 16_384;

/**
 * Counts in one walk over the bytes, without parsing them; time is linear. Of bytes that are no JSON, it counts up to the first that
 * no JSON has there, where a parser ends too. `isEnough`: the count ends soon after it says so, since a document that is refused is
 * not worth the rest of the walk.
 */
export function jsonSize(body: Buffer, isEnough: (size: JsonSize) => boolean): JsonSize {
  const count = new Count();
  let at = 0;
  let lookAt = LOOK_BYTES;
  while (at >= 0 && at < body.length) {
    if (at >= lookAt) {
      if (isEnough(count)) return count;
      lookAt = at + LOOK_BYTES;
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
  /** Members of the object around this place, and of those around it. */
  private here = 0;
  private readonly around: number[] = [];

  pass(byte: number): void {
    if (byte === COMMA) this.commas += 1;
    else if (byte === COLON) {
      this.members += 1;
      this.here += 1;
      if (this.here > this.membersOfOne) this.membersOfOne = this.here;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      this.containers += 1;
      const depth = this.around.push(this.here);
      if (depth > this.depth) this.depth = depth;
      this.here = 0;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.here = this.around.pop() ?? 0;
  }
}
