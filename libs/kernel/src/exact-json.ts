import { GatewayError } from './errors';
import { EXACT_DIGITS, isNumberStart, isPlainNumber, skipNumber, skipString } from './json-tokens';

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const ASCII_MAX = 0x7f;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Callbacks of a walk; returning false ends it. `member` receives the names that precede it in its
 * object, and the range of its key with quotes; `number` receives the range of a number.
 */
interface Visitor {
  readonly member?: (names: Set<string>, start: number, end: number) => boolean;
  readonly number?: (start: number, end: number) => boolean;
}

/** Walks once, without recursion, over bytes that `JSON.parse` accepts. */
function walk(body: Buffer, visitor: Visitor): void {
  const state = new WalkState();
  let at = 0;
  while (at >= 0 && at < body.length) {
    const byte = body[at] as number;
    if (byte === QUOTE) at = visitString(body, at, state, visitor);
    else if (isNumberStart(byte)) {
      const end = skipNumber(body, at);
      at = visitor.number?.(at, end) === false ? -1 : end;
    } else {
      state.pass(byte);
      at += 1;
    }
  }
}

/** Skips a string; returns the index after it, or -1 when the walk ends. */
function visitString(body: Buffer, at: number, state: WalkState, visitor: Visitor): number {
  const end = skipString(body, at);
  const { names, isKey } = state;
  state.isKey = false;
  return isKey && names !== null && visitor.member?.(names, at, end) === false ? -1 : end;
}

/**
 * State of a walk: the names so far in the current object (null in a list), and whether the next
 * string is a key.
 */
class WalkState {
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
 * Returns whether any object of the body has two members with the same name. Other parsers may use
 * the first of them where `JSON.parse` uses the last. Needs bytes that `JSON.parse` accepts; takes
 * linear time and memory.
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
 * there are none. Throws `body_invalid` when two different numbers are equal as doubles, because
 * they could not be told apart.
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

/**
 * Returns null if `found` is empty. Throws when two different numbers of the body are equal as
 * doubles.
 */
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
 * Normalises a decimal number: its digits without leading and trailing zeros, and the power of ten
 * of the last digit. The value must be finite and not 0.
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
/** Matches the sign and leading zeros. */
const LEADING = /^-?0*/;

/**
 * Removes trailing zeros. A regular expression would scan every run of zeros from each of its
 * positions.
 */
function trimmedZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => unknown;
  readonly isRawJSON: (value: unknown) => value is { readonly rawJSON: string };
};

/** Returns whether a value is a number that a double cannot represent; see `parseExact`. */
export const isRawNumber = (value: unknown): value is { readonly rawJSON: string } => isRawJSON(value);

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * Parses like `JSON.parse`, except that a number that a double cannot represent becomes an object
 * that `JSON.stringify` writes unchanged. Use it for values that are only written again. `bytes`
 * are the bytes of `text`. The reviver takes at least 1 µs for each value, so callers must bound
 * their number.
 */
export const parseExact = (text: string, bytes: Buffer = Buffer.from(text)): unknown =>
  hasInexactNumber(bytes)
    ? parseWithSource(text, (_name, value, { source }) =>
        typeof value === 'number' && source !== undefined && !isExact(source) ? rawJSON(source) : value,
      )
    : JSON.parse(text);

/**
 * Returns whether a double cannot represent a number of the body. Needs bytes that `JSON.parse`
 * accepts.
 */
export function hasInexactNumber(body: Buffer): boolean {
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

/** Returns whether a number keeps its value when it is parsed and written again. */
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
 * Serialises a value that was made from a parsed body, with the body's numbers as the client wrote
 * them.
 */
export const withExactNumbers = (value: unknown, numbers: ExactNumbers | null): string =>
  numbers === null
    ? JSON.stringify(value)
    : JSON.stringify(value, (_name, item: unknown) => {
        const text = typeof item === 'number' ? numbers.get(item) : undefined;
        return text === undefined ? item : rawJSON(text);
      });
