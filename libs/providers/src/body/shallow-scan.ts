import { hasSoundEscapes } from './json-bytes';
import { isKey, readMembers, skipSpace, type MemberReader } from './json-members';
import { DemandReader, NO_DEMAND, type OutputDemand } from './output-demand';

export interface ShallowScan {
  /** Top-level `model` when it is a plain string, else null. */
  readonly model: string | null;
  /** Top-level `stream` when it is a boolean, else null. */
  readonly stream: boolean | null;
  /** Whether the bytes must be parsed before `model` and `stream` can be relied on. */
  readonly needsParse: boolean;
  /** Position of the value of `model`, including its quotes: `[start, end)`. */
  readonly modelSpan: readonly [start: number, end: number] | null;
  /** How much output the body requests; unknown when a parse is needed. */
  readonly output: OutputDemand;
  /** The body is a multipart form: there is no JSON to read, and `modelSpan` has no quotes. */
  readonly isForm?: true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const MODEL_BYTES_MAX = 1_024;
/** Maximum top-level members; a parser of the body refuses more. */
const MEMBERS_MAX = 100_000;
const LETTER_M = 0x6d;
const LETTER_S = 0x73;
const LETTER_U = 0x75;

export const DOUBT: ShallowScan = {
  model: null,
  stream: null,
  needsParse: true,
  modelSpan: null,
  output: NO_DEMAND,
};

/**
 * Reads `model`, `stream` and the requested output from the bytes of a JSON object, without parsing
 * the object.
 * For every valid document, `model` and `stream` are what `JSON.parse` would give. Where two parsers
 * could differ, it requests a parse: duplicate `model` or `stream` keys, escapes in a top-level key
 * or in the model, non-ASCII models, values of other types, anything before or after the object, bad
 * escapes in any text, and any invalid JSON that it notices. It requests none for a member of the
 * output that is given twice; the larger value counts (see `OutputDemand`).
 * It does not validate what it skips, so `needsParse: false` does not mean that the document is
 * valid.
 */
export function shallowScan(body: Buffer): ShallowScan {
  const scan = scanMembers(body);
  return scan.needsParse || hasSoundEscapes(body) ? scan : DOUBT;
}

/**
 * Like `shallowScan`, for bytes whose escapes were checked elsewhere. `isWhole` is false for the
 * skeleton of a larger body, in which every nested value is empty (see `BodySkim`).
 */
export function scanMembers(body: Buffer, isWhole = true): ShallowScan {
  const output = new DemandReader();
  const found = membersOf(body, output);
  if (found === null) return DOUBT;
  const { model, stream, modelSpan } = found;
  return { model, stream, needsParse: false, modelSpan, output: output.demand(isWhole) };
}

/**
 * Reads `model` and the bytes of `usage` from a response. Returns null when a parse is needed;
 * `usage` is null when it is absent or not an object.
 */
export function shallowResponse(
  body: Buffer,
): { readonly model: string | null; readonly usage: Buffer | null } | null {
  const found = membersOf(body, null);
  if (found === null) return null;
  const [start, end] = found.usageSpan ?? [0, 0];
  return {
    model: found.model,
    usage: body[start] === OPEN_OBJECT && end > 0 ? body.subarray(start, end) : null,
  };
}

/** Collects what a scan looks for. */
class Found implements MemberReader {
  model: string | null = null;
  stream: boolean | null = null;
  modelSpan: [number, number] | null = null;
  usageSpan: [number, number] | null = null;
  private members = 0;
  /** `output` is null for a response, which requests none. */
  constructor(readonly output: DemandReader | null) {}

  /**
   * Returns false for a second `model` or `stream`, for an unusual value of one, and for too many
   * members.
   */
  member(body: Buffer, keyStart: number, keyEnd: number, valueStart: number, valueEnd: number): boolean {
    this.members += 1;
    if (this.members > MEMBERS_MAX) return false;
    const first = body[keyStart + 1];
    if (first === LETTER_M && isKey(body, keyStart, keyEnd, 'model')) {
      if (this.modelSpan !== null) return false;
      this.model = plainString(body, valueStart, valueEnd);
      this.modelSpan = [valueStart, valueEnd];
      return this.model !== null;
    }
    if (first === LETTER_S && isKey(body, keyStart, keyEnd, 'stream')) {
      if (this.stream !== null) return false;
      this.stream = booleanAt(body, valueStart, valueEnd);
      return this.stream !== null;
    }
    if (first === LETTER_U && isKey(body, keyStart, keyEnd, 'usage')) this.usageSpan = [valueStart, valueEnd];
    return this.output === null || this.output.member(body, keyStart, keyEnd, valueStart, valueEnd);
  }
}

/** Returns null when the object is in doubt. */
function membersOf(body: Buffer, output: DemandReader | null): Found | null {
  const found = new Found(output);
  const end = readMembers(body, skipSpace(body, 0), found);
  // Only white space may follow the object.
  return end >= 0 && skipSpace(body, end) === body.length ? found : null;
}

/**
 * Returns the same bytes with another model. `span` is the `modelSpan` of a scan of these bytes.
 */
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

/** Returns a string of printable ASCII without escapes, or null. */
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
