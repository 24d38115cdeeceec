import { asString, parseObject } from '@gw/dialects';
import type { Usage } from '@gw/contracts';
import type { JsonObject, Provider } from '../provider';
import { skipSpace } from './json-members';
import { shallowResponse } from './shallow-scan';
import { lastUsageMetadata } from './usage-object';

type Reader = Pick<Provider, 'usage'>;

/**
 * A larger body is scanned but never parsed whole, so that no response blocks the event loop for
 * long.
 */
const PARSE_BYTES_MAX = 4 * 1024 * 1024;
/** Bytes read from the end of a longer body or list. */
const END_BYTES = 16_384;
/** Lines read from the end when searching for usage. */
const LINES_MAX = 16;
const LINE_FEED = 0x0a;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export interface ResponseFacts {
  readonly usage: Usage | null;
  /** The `model` at the top level of the response. */
  readonly model: string | null;
}

/**
 * Reads usage and model from the bytes of a response, whatever its content type says.
 * The body may be an object (not parsed when both are at the top level), a list of objects whose
 * last one has the usage, or lines of objects, likewise. Both are null when the body has none, is
 * neither of these, or would need parsing and is larger than 4 MiB.
 */
export function readResponse(provider: Reader, body: Buffer): ResponseFacts {
  const start = startOf(body);
  if (body[start] === OPEN_ARRAY) return ofList(provider, body.subarray(start));
  if (body[start] !== OPEN_OBJECT) return NOTHING;
  const bytes = start === 0 ? body : body.subarray(start);
  return ofObject(provider, bytes) ?? ofLines(provider, bytes);
}

/** Whether a response that starts with these bytes may contain usage. */
export function mayContainUsage(begin: Buffer): boolean {
  const first = begin[startOf(begin)];
  return first === undefined || first === OPEN_OBJECT || first === OPEN_ARRAY;
}

const startOf = (body: Buffer): number =>
  skipSpace(body, body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0);

const NOTHING: ResponseFacts = { usage: null, model: null };

/** Returns null when the bytes are not a single object, or one too long to parse. */
function ofObject(provider: Reader, body: Buffer): ResponseFacts | null {
  const found = shallowResponse(body);
  const object = found?.usage ? parseObject(found.usage.toString('utf8')) : null;
  const usage = object === null ? null : provider.usage({ usage: object });
  if (found !== null && usage !== null) return { usage, model: found.model };
  const isLong = body.length > PARSE_BYTES_MAX;
  const whole = isLong ? null : parseObject(body.toString('utf8'));
  if (whole !== null) return { usage: provider.usage(whole), model: modelOf(whole) };
  if (found === null) return null;
  return { usage: isLong ? readUsageAtEnd(provider, endOf(body)) : null, model: found.model };
}

/** Returns the model of a response, which Google names `modelVersion`; null for none. */
const modelOf = (response: JsonObject): string | null =>
  asString(response['model']) ?? asString(response['modelVersion']);

/**
 * Reads a list. Each item of a stream has the usage so far, so the last one counts, even if the
 * list was cut after it.
 */
function ofList(provider: Reader, body: Buffer): ResponseFacts {
  const end = endOf(body);
  const last = lastItem(end);
  const usage = last === null ? null : provider.usage(last);
  if (last !== null && usage !== null) return { usage, model: modelOf(last) };
  const usageMetadata = lastUsageMetadata(end);
  return usageMetadata === null ? NOTHING : { usage: provider.usage({ usageMetadata }), model: null };
}

function ofLines(provider: Reader, body: Buffer): ResponseFacts {
  const first = body.indexOf(LINE_FEED);
  if (first < 0 || shallowResponse(body.subarray(0, first)) === null) return NOTHING;
  let end = body.length;
  for (let lines = 0; lines < LINES_MAX && end > 0; lines += 1) {
    const start = body.lastIndexOf(LINE_FEED, end - 1) + 1;
    const facts = start === 0 ? null : ofObject(provider, body.subarray(start, end));
    if (facts !== null && facts.usage !== null) return facts;
    end = start - 1;
  }
  return NOTHING;
}

const MARKER = '"usage';

/**
 * Reads the usage from the last bytes of a JSON response that is too long to keep.
 * The text after the last key that starts with `usage` must close exactly one object, so that the
 * key belongs to the response itself and not to a nested value; a list may close after it.
 */
export function readUsageAtEnd(provider: Reader, end: Buffer): Usage | null {
  const rest = lastItem(end);
  return rest === null ? null : provider.usage(rest);
}

/** Returns the last members of a response, or of the last item of a list. */
function lastItem(end: Buffer): JsonObject | null {
  const at = end.lastIndexOf(MARKER);
  return at < 0 ? null : parseObject(`{${end.toString('utf8', at).replace(/\]\s*$/, '')}`);
}

const endOf = (body: Buffer): Buffer => (body.length > END_BYTES ? body.subarray(-END_BYTES) : body);
