import { GatewayError } from './errors';
import { EXACT_DIGITS, isNumberStart, isPlainNumber, skipNumber, skipString } from './json-tokens';

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const ASCII_MAX = 0x7f;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Callbacks of a walk; returning false ends it. `member` gets the bytes of a key with its quotes
 * and the names before it; `number` the bytes of a number.
 */
interface Visitor {
  readonly member?: (names: Set<string>, start: number, end: number) => boolean;
  readonly number?: (start: number, end: number) => boolean;
}

/** Walks bytes that `JSON.parse` accepts, once and without recursion. */
function walk(body: Buffer, visitor: Visitor): void {
  const place = new Place();
  let at = 0;
  while (at >= 0 && at < body.length) {
    const byte = body[at] as number;
    if (byte === QUOTE) at = passString(body, at, place, visitor);
    else if (isNumberStart(byte)) {
      const end = skipNumber(body, at);
      at = visitor.number?.(at, end) === false ? -1 : end;
    } else {
      place.pass(byte);
      at += 1;
    }
  }
}

/** Passes a string. Returns the index after it; -1 when the walk ends. */
function passString(body: Buffer, at: number, place: Place, visitor: Visitor): number {
  const end = skipString(body, at);
  const { names, isKey } = place;
  place.isKey = false;
  return isKey && names !== null && visitor.member?.(names, at, end) === false ? -1 : end;
}

/**
 * Position of a walk: the names seen in the current object (null in a list), and whether a string
 * there is a key.
 */
class Place {
  names: Set<string> | null = null;
  isKey = false;
  private readonly open: (Set<string> | null)[] = [];

  pass(byte: number): void {
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.open.push(this.names);
      this.names = byte === OPEN_OBJECT ? new Set() : null;
      this.isKey = true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.names = this.open.pop() ?? null;
    else if (byte === COMMA) this.isKey = true;
  }
}

/**
 * Returns whether any object of the body has two members of one name. Another parser may take the
 * first where we take the last.
 * Needs bytes that `JSON.parse` accepts; takes linear time and memory.
 */
export function hasDuplicateMembers(body: Buffer): boolean {
  const duplicates = new Duplicates(body);
  walk(body, duplicates);
  return duplicates.isFound;
}

class Duplicates implements Visitor {
  isFound = false;

  constructor(private readonly body: Buffer) {}

  member(names: Set<string>, start: number, end: number): boolean {
    const name = nameAt(this.body, start, end);
    this.isFound = names.has(name);
    names.add(name);
    return !this.isFound;
  }
}

function nameAt(body: Buffer, start: number, end: number): string {
  for (let at = start + 1; at < end - 1; at += 1) {
    const byte = body[at] as number;
    if (byte === BACKSLASH || byte > ASCII_MAX)
      return JSON.parse(body.toString('utf8', start, end)) as string;
  }
  return body.toString('latin1', start + 1, end - 1);
}

/**
 * Texts of numbers that a double cannot represent, by the double that `JSON.parse` returns for
 * them.
 */
export type ExactNumbers = ReadonlyMap<number, string>;

/**
 * Returns the numbers of a JSON body that would change when parsed and written again; null when
 * there are none. Throws `body_invalid` when two different numbers are the same double, because
 * they cannot be distinguished.
 */
export function exactNumbers(body: Buffer): ExactNumbers | null {
  const found = new Map<number, string>();
  walk(body, {
    number(start, end) {
      noteInexact(body, start, end, found);
      return true;
    },
  });
  return distinct(body, found);
}

function noteInexact(body: Buffer, start: number, end: number, found: Map<number, string>): void {
  if (isPlainNumber(body, start, end)) return;
  const text = body.toString('latin1', start, end);
  if (!isExact(text)) found.set(Number(text), text);
}

/** Null for none. Throws when two different numbers are the same double. */
function distinct(body: Buffer, found: Map<number, string>): ExactNumbers | null {
  if (found.size === 0) return null;
  walk(body, {
    number(start, end) {
      const text = body.toString('latin1', start, end);
      const other = found.get(Number(text));
      if (other !== undefined && other !== text) throw confusable(text, other);
      return true;
    },
  });
  return found;
}

const confusable = (one: string, other: string): GatewayError =>
  new GatewayError('body_invalid', {
    message:
      `The numbers ${one.slice(0, 40)} and ${other.slice(0, 40)} of the request body are equal in double ` +
      'precision, and this request must be rewritten; send one of them as a string, or remove the parameter rules.',
  });

/**
 * Returns the digits without zeros at either end, and the power of ten of the last digit. The
 * text's value must be finite and not 0.
 */
function decimal(text: string): string {
  const exponentAt = text.search(EXPONENT);
  const mantissa = exponentAt === -1 ? text : text.slice(0, exponentAt);
  const exponent = exponentAt === -1 ? 0 : Number(text.slice(exponentAt + 1));
  const pointAt = mantissa.indexOf('.');
  const decimals = pointAt === -1 ? 0 : mantissa.length - pointAt - 1;
  const all = mantissa.replace('.', '').replace(LEADING, '');
  const digits = trimmedZeros(all);
  return `${digits}e${String(exponent - decimals + all.length - digits.length)}`;
}
const EXPONENT = /[eE]/;
/** The sign and leading zeros. */
const LEADING = /^-?0*/;

/**
 * Written by hand: a regular expression for the end would walk every run of zeros from each of its
 * positions.
 */
function trimmedZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * Parses like `JSON.parse`, but a number that a double cannot represent becomes an object that
 * `JSON.stringify` writes unchanged.
 * For values that are written again and not inspected. `bytes` are those of the text. A reviver
 * takes at least 1 µs per value, so bound their number.
 */
export const parseExact = (text: string, bytes: Buffer = Buffer.from(text)): unknown =>
  hasInexactNumber(bytes)
    ? parseWithSource(text, (_name, value, { source }) =>
        typeof value === 'number' && source !== undefined && !isExact(source) ? rawJSON(source) : value,
      )
    : JSON.parse(text);

function hasInexactNumber(body: Buffer): boolean {
  let isFound = false;
  walk(body, {
    number(start, end) {
      if (!isPlainNumber(body, start, end)) isFound = !isExact(body.toString('latin1', start, end));
      return !isFound;
    },
  });
  return isFound;
}

/**
 * Doubles between these bounds, and between their negatives, represent every number of
 * `EXACT_DIGITS` digits.
 */
const [SMALL, LARGE] = [1e-290, 1e290];

/** Whether the number is unchanged after parsing and writing. */
function isExact(text: string): boolean {
  const value = Number(text);
  const size = Math.abs(value);
  if (text.length <= EXACT_DIGITS && size > SMALL && size < LARGE) return true;
  const written = String(value);
  if (written === text) return true;
  if (value === 0) return !/[1-9]/.test(mantissaOf(text));
  return Number.isFinite(value) && decimal(text) === decimal(written);
}

const mantissaOf = (text: string): string => text.slice(0, Math.max(0, text.search(EXPONENT)) || text.length);

/**
 * Writes a value made from a parsed body as JSON, with the body's numbers as the client wrote them.
 */
export const withExactNumbers = (value: unknown, numbers: ExactNumbers | null): string =>
  numbers === null
    ? JSON.stringify(value)
    : JSON.stringify(value, (_name, item: unknown) => {
        const text = typeof item === 'number' ? numbers.get(item) : undefined;
        return text === undefined ? item : rawJSON(text);
      });
