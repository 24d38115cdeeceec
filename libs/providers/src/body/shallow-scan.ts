import { hasSoundEscapes, skipString } from './json-bytes';

export interface ShallowScan {
  /** Top-level `model` when it is a plain string, else null. */
  readonly model: string | null;
  /** Top-level `stream` when it is a boolean, else null. */
  readonly stream: boolean | null;
  /** True when the bytes must be parsed before `model` and `stream` can be relied on. */
  readonly needsParse: boolean;
  /** Where the value of `model` stands, its quotes included: `[start, end)`. */
  readonly modelSpan: readonly [start: number, end: number] | null;
  /** Tokens that all answers may have together, by the body's bound and its `n`; null: it names none that is a plain number. */
  readonly outputBound: number | null;
  /** The body is a multipart form: it has no JSON to read, and `modelSpan` has no quotes. */
  readonly isForm?: true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const KEY_BYTES_MAX = 64;
const MODEL_BYTES_MAX = 1_024;
const LETTER_M = 0x6d;
const LETTER_N = 0x6e;
const LETTER_S = 0x73;
const LETTER_U = 0x75;

/** What routes call the bound on an answer's tokens. */
export const OUTPUT_BOUNDS: readonly string[] = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
const BOUND_LENGTH_MIN = 10;
/** A longer number is no bound that a model could reach. */
const COUNT_DIGITS_MAX = 9;

export const DOUBT: ShallowScan = {
  model: null,
  stream: null,
  needsParse: true,
  modelSpan: null,
  outputBound: null,
};

/**
 * Reads `model` and `stream` from the top level of a JSON object without parsing its values: one pass, no allocation but the
 * result. What it reports is what `JSON.parse` would give for every valid document. Wherever two readers could differ, it asks
 * for a parse instead: duplicate `model` or `stream` keys, escapes in a top-level key or in the model, non-ASCII models, values
 * of other types, anything before or after the object, bad escapes in any text, and whatever it sees of invalid JSON. It does
 * not validate the rest of what it skips, so `needsParse: false` is no promise that the document is valid.
 */
export function shallowScan(body: Buffer): ShallowScan {
  const scan = scanMembers(body);
  return scan.needsParse || hasSoundEscapes(body) ? scan : DOUBT;
}

/** `shallowScan` of what has had its escapes looked at elsewhere. */
export function scanMembers(body: Buffer): ShallowScan {
  const found = membersOf(body);
  if (found === null) return DOUBT;
  const { model, stream, modelSpan, bound, answers } = found;
  return { model, stream, needsParse: false, modelSpan, outputBound: bound < 0 ? null : bound * answers };
}

/**
 * The same look at an answer: its `model`, and the bytes of its `usage`. Null where a parse is needed; `usage` is null when
 * there is none or when it is no object.
 */
export function shallowAnswer(
  body: Buffer,
): { readonly model: string | null; readonly usage: Buffer | null } | null {
  const found = membersOf(body);
  if (found === null) return null;
  const [start, end] = found.usageSpan ?? [0, 0];
  return {
    model: found.model,
    usage: body[start] === OPEN_OBJECT && end > 0 ? body.subarray(start, end) : null,
  };
}

interface Found {
  model: string | null;
  stream: boolean | null;
  modelSpan: [number, number] | null;
  usageSpan: [number, number] | null;
  /** The largest of them; -1: none. */
  bound: number;
  answers: number;
}

/** Null: in doubt. */
function membersOf(body: Buffer): Found | null {
  const start = skipSpace(body, 0);
  if (body[start] !== OPEN_OBJECT) return null;
  const found: Found = {
    model: null,
    stream: null,
    modelSpan: null,
    usageSpan: null,
    bound: -1,
    answers: 1,
  };
  let at = skipSpace(body, start + 1);
  while (body[at] !== CLOSE_OBJECT) {
    const keyEnd = endOfKey(body, at);
    if (keyEnd < 0) return null;
    const colon = skipSpace(body, keyEnd);
    if (body[colon] !== COLON) return null;
    const valueStart = skipSpace(body, colon + 1);
    const valueEnd = endOfValue(body, valueStart);
    if (valueEnd < 0 || !note(body, found, at, keyEnd, valueStart, valueEnd)) return null;
    at = skipSpace(body, valueEnd);
    if (body[at] === CLOSE_OBJECT) break;
    if (body[at] !== COMMA) return null;
    at = skipSpace(body, at + 1);
    // A comma promises another member.
    if (body[at] === CLOSE_OBJECT) return null;
  }
  // Only white space may follow the object.
  return skipSpace(body, at + 1) === body.length ? found : null;
}

/** Takes the member in when it is `model`, `stream` or a bound on the output; false when it is a second one or has an odd value. */
function note(
  body: Buffer,
  found: Found,
  keyStart: number,
  keyEnd: number,
  valueStart: number,
  valueEnd: number,
): boolean {
  const first = body[keyStart + 1];
  if (first === LETTER_M) {
    if (isKey(body, keyStart, keyEnd, 'model')) return noteModel(body, found, valueStart, valueEnd);
    if (isBound(body, keyStart, keyEnd))
      found.bound = Math.max(found.bound, countAt(body, valueStart, valueEnd));
  } else if (first === LETTER_S && isKey(body, keyStart, keyEnd, 'stream')) {
    if (found.stream !== null) return false;
    found.stream = booleanAt(body, valueStart, valueEnd);
    return found.stream !== null;
  } else if (first === LETTER_U && isKey(body, keyStart, keyEnd, 'usage'))
    found.usageSpan = [valueStart, valueEnd];
  else if (first === LETTER_N && isKey(body, keyStart, keyEnd, 'n'))
    found.answers = Math.max(1, countAt(body, valueStart, valueEnd));
  return true;
}

function noteModel(body: Buffer, found: Found, valueStart: number, valueEnd: number): boolean {
  if (found.modelSpan !== null) return false;
  found.model = plainString(body, valueStart, valueEnd);
  found.modelSpan = [valueStart, valueEnd];
  return found.model !== null;
}

const isBound = (body: Buffer, start: number, end: number): boolean =>
  end - start - 2 >= BOUND_LENGTH_MIN && OUTPUT_BOUNDS.some((name) => isKey(body, start, end, name));

/** The same bytes with another model. `span` is `modelSpan` of a scan of these bytes. */
export function spliceModel(
  body: Buffer,
  span: readonly [start: number, end: number],
  model: string,
): Buffer {
  return Buffer.concat([
    body.subarray(0, span[0]),
    Buffer.from(JSON.stringify(model), 'utf8'),
    body.subarray(span[1]),
  ]);
}

function skipSpace(body: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = body[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/** Index behind the key that starts at `start`; -1 when it is no string, has an escape or a control character. */
function endOfKey(body: Buffer, start: number): number {
  if (body[start] !== QUOTE) return -1;
  const limit = Math.min(body.length, start + 1 + KEY_BYTES_MAX);
  for (let at = start + 1; at < limit; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH || byte < 0x20) return -1;
  }
  return -1;
}

const isKey = (body: Buffer, start: number, end: number, key: string): boolean =>
  end - start === key.length + 2 && body.toString('latin1', start + 1, end - 1) === key;

/** Index behind the value at `start`; -1 when there is none or it does not end. */
function endOfValue(body: Buffer, start: number): number {
  const first = body[start];
  if (first === QUOTE) return skipString(body, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfNested(body, start);
  return endOfPrimitive(body, start);
}

function endOfNested(body: Buffer, start: number): number {
  const { length } = body;
  let depth = 0;
  let at = start;
  while (at < length) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = skipString(body, at);
      if (at < 0) return -1;
      continue;
    }
    at += 1;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return body[start] === byte - 2 ? at : -1;
    }
  }
  return -1;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Numbers of up to 64 characters, true, false and null; everything else is doubtful. */
function endOfPrimitive(body: Buffer, start: number): number {
  let end = start;
  while (end < start + 64 && isPrimitiveByte(body[end] ?? 0)) end += 1;
  // Most numbers are plain ones, most others one of three words.
  if (end - start < 16 && isDigits(body, start, end)) return end;
  const text = body.toString('latin1', start, end);
  const valid = text === 'true' || text === 'false' || text === 'null' || NUMBER.test(text);
  return valid ? end : -1;
}

/** A whole number without a sign or a leading zero. */
function isDigits(body: Buffer, start: number, end: number): boolean {
  if (end === start || (body[start] === 0x30 && end > start + 1)) return false;
  for (let at = start; at < end; at += 1) {
    const byte = body[at] ?? 0;
    if (byte < 0x30 || byte > 0x39) return false;
  }
  return true;
}

/** A plain whole number; -1: it is none, or has more than nine digits. */
function countAt(body: Buffer, start: number, end: number): number {
  if (end - start > COUNT_DIGITS_MAX || !isDigits(body, start, end)) return -1;
  let count = 0;
  for (let at = start; at < end; at += 1) count = count * 10 + (body[at] as number) - 0x30;
  return count;
}

/** `0`–`9`, `+`, `-`, `.`, `A`–`Z`, `a`–`z`. */
const isPrimitiveByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a);

/** A string of printable ASCII without escapes, or null. */
function plainString(body: Buffer, start: number, end: number): string | null {
  if (body[start] !== QUOTE || end - start > MODEL_BYTES_MAX) return null;
  for (let at = start + 1; at < end - 1; at += 1) {
    const byte = body[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return null;
  }
  return body.toString('latin1', start + 1, end - 1);
}

function booleanAt(body: Buffer, start: number, end: number): boolean | null {
  const text = body.toString('latin1', start, end);
  return text === 'true' ? true : text === 'false' ? false : null;
}
