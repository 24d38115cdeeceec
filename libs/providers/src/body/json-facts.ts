import { GatewayError } from '@gw/kernel';
import { skipString } from './json-bytes';

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** A number of so many characters and no exponent is the same number after it was parsed and written again. */
const EXACT_LENGTH = 15;

/** `member`: the bytes of a key with its quotes; `number`: the text of one. False ends the walk. */
interface Visitor {
  readonly member?: (names: Set<string>, start: number, end: number) => boolean;
  readonly number?: (text: string) => void;
}

/** Walks bytes that `JSON.parse` takes, once and without recursion. */
function walk(body: Buffer, visitor: Visitor): void {
  const place = new Place();
  let at = 0;
  while (at >= 0 && at < body.length) {
    const byte = body[at] as number;
    if (byte === QUOTE) at = passString(body, at, place, visitor);
    else if (isNumberByte(byte)) {
      const end = endOfNumber(body, at);
      visitor.number?.(body.toString('latin1', at, end));
      at = end;
    } else {
      place.pass(byte);
      at += 1;
    }
  }
}

/** Index behind the string; -1: the walk ends. */
function passString(body: Buffer, at: number, place: Place, { member }: Visitor): number {
  const end = skipString(body, at);
  const { names, isKey } = place;
  place.isKey = false;
  return isKey && names !== null && member?.(names, at, end) === false ? -1 : end;
}

/** Where a walk is: the names of the object around it, null in a list, and whether a string there is a name. */
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

const isNumberByte = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x2d;

function endOfNumber(body: Buffer, start: number): number {
  let at = start + 1;
  while (at < body.length && NUMBER_BYTES.has(body[at] as number)) at += 1;
  return at;
}
const NUMBER_BYTES: ReadonlySet<number> = new Set(Buffer.from('0123456789+-.eE'));

/**
 * True when an object of the body, at any depth, has two members of one name: another reader may take the first where we take
 * the last. Needs bytes that `JSON.parse` takes; time and memory are linear in them.
 */
export function hasDuplicateMembers(body: Buffer): boolean {
  let isFound = false;
  walk(body, {
    member(names, start, end) {
      const name = nameAt(body, start, end);
      isFound = names.has(name);
      names.add(name);
      return !isFound;
    },
  });
  return isFound;
}

function nameAt(body: Buffer, start: number, end: number): string {
  const escape = body.subarray(start, end).indexOf(BACKSLASH);
  return escape === -1
    ? body.toString('utf8', start + 1, end - 1)
    : (JSON.parse(body.toString('utf8', start, end)) as string);
}

/** Texts of numbers that a double cannot hold, by the double that `JSON.parse` makes of them. */
export type ExactNumbers = ReadonlyMap<number, string>;

/**
 * The numbers of a JSON body that would be others once it is parsed and written again; null: there is none. Throws
 * `body_invalid` when two numbers that differ are the same double, since they could not be told apart.
 */
export function exactNumbers(body: Buffer): ExactNumbers | null {
  const found = new Map<number, string>();
  walk(body, {
    number(text) {
      if (!isExact(text)) found.set(Number(text), text);
    },
  });
  if (found.size === 0) return null;
  walk(body, {
    number(text) {
      const other = found.get(Number(text));
      if (other !== undefined && other !== text) throw confusable(text, other);
    },
  });
  return found;
}

const confusable = (one: string, other: string): GatewayError =>
  new GatewayError('body_invalid', {
    message:
      `The numbers ${one.slice(0, 40)} and ${other.slice(0, 40)} of the request body cannot be told apart in double ` +
      'precision, and this request has to be written anew; send one of them as text, or without parameter rules.',
  });

/** The digits without zeros at either end, and the exponent that goes with them. */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = trimmedZeros(all);
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(all.length - digits.length);
  return digits === '' ? '0' : `${mantissa.startsWith('-') ? '-' : ''}${digits}e${String(scale)}`;
}

/** By hand: an expression for the end would walk every run of zeros from each of them. */
function trimmedZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** Text without such a run has no number that a double cannot hold. */
const LONG_NUMBER = /[\d.]{15}|\d[eE]/;

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * As `JSON.parse`, but a number that a double cannot hold is an object which `JSON.stringify` writes as it was read. For values that are
 * written again, and not looked at.
 */
export const parseExact = (text: string): unknown =>
  LONG_NUMBER.test(text)
    ? parseWithSource(text, (_name, value, { source }) =>
        typeof value === 'number' && source !== undefined && !isExact(source) ? rawJSON(source) : value,
      )
    : JSON.parse(text);

/** So long an exponent says nothing that a reader could use, and reading it costs more than linear time. */
const LONG_EXPONENT = /e[+-]?\d{20}/i;

function isExact(text: string): boolean {
  if (text.length <= EXACT_LENGTH && !/e/i.test(text)) return true;
  return !LONG_EXPONENT.test(text) && decimal(text) === decimal(String(Number(text)));
}

/** JSON of a value that was made of a parsed body, with the body's numbers as the client wrote them. */
export const withExactNumbers = (value: unknown, numbers: ExactNumbers | null): string =>
  numbers === null
    ? JSON.stringify(value)
    : JSON.stringify(value, (_name, item: unknown) => {
        const text = typeof item === 'number' ? numbers.get(item) : undefined;
        return text === undefined ? item : rawJSON(text);
      });
