import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../../call';
import type { CallAddress } from '../../codec';
import { Members } from '../../gemini/members';
import { invalid, type LossLedger } from '../../losses';
import { asNumber, asObject, objectsOf, optional } from '../../values/json';
import { vectorOf } from './vectors';

/** Maximum texts of one call, as at Google. */
const INPUTS_MAX = 100;
const LENGTH = 'outputDimensionality';
/** Members of a request that are translated, or that repeat the address (`model`). */
const TRANSLATED: ReadonlySet<string> = new Set([
  ...['requests', 'model', 'content', 'embedContentConfig', LENGTH],
]);
const TRANSLATED_CONFIG: ReadonlySet<string> = new Set([LENGTH]);

/** A call of Gemini's `embedContent` or `batchEmbedContents`, translated to OpenAI's embeddings. */
export interface GeminiEmbeddings {
  readonly body: JsonObject;
  /** Writes Gemini's response. Throws `provider_answer_invalid` for a body without all vectors. */
  response(body: JsonObject): JsonObject;
}

/**
 * Translates embeddings of a Gemini client to OpenAI's form. Throws `validation_failed` for a body
 * that breaks Gemini's form, and for requests that differ in the length of their vectors; `losses`
 * records members that OpenAI's form does not have.
 */
export function geminiToOpenAiEmbeddings(
  request: JsonObject,
  address: CallAddress,
  losses: LossLedger,
): GeminiEmbeddings {
  const body = new Members(request, '');
  const isBatch = body.has('requests');
  const requests = isBatch ? body.list('requests') : [body];
  if (requests.length === 0 || requests.length > INPUTS_MAX) {
    throw invalid('requests', `requests must be a list of 1 to ${String(INPUTS_MAX)} requests.`);
  }
  const input = requests.map((one) => textOf(one, losses));
  const dimensions = sharedDimensions(requests);
  for (const one of isBatch ? [body, ...requests] : requests) {
    noteOthers(one, TRANSLATED, losses);
    const config = configOf(one);
    if (config !== undefined) noteOthers(config, TRANSLATED_CONFIG, losses);
  }
  losses.check();
  return {
    body: {
      model: address.model ?? '',
      input,
      encoding_format: 'float',
      ...optional('dimensions', dimensions),
    },
    response: (found) => encodeVectors(found, input.length, isBatch),
  };
}

/** Returns the object in which newer clients send the options of one text. */
const configOf = (request: Members): Members | undefined => request.members('embedContentConfig');

/** Records the members that are not translated. */
function noteOthers(members: Members, translated: ReadonlySet<string>, losses: LossLedger): void {
  for (const name of Object.keys(members.rest(translated))) losses.note(members.at(name));
}

function textOf(request: Members, losses: LossLedger): string {
  const content = request.members('content');
  if (content === undefined) throw invalid(request.at('content'), `${request.at('content')} is required.`);
  const parts = content.list('parts');
  for (const part of parts) {
    if (part.string('text') === undefined)
      losses.refuse(part.path, 'The provider embeds only text; remove the part.');
  }
  return parts.map((part) => part.string('text') ?? '').join('\n');
}

/** Returns the length of the vectors, which must be the same for all texts in OpenAI's form. */
function sharedDimensions(requests: readonly Members[]): number | undefined {
  const lengths = new Set(requests.map((one) => configOf(one)?.integer(LENGTH) ?? one.integer(LENGTH)));
  if (lengths.size <= 1) return [...lengths][0];
  throw invalid('requests', 'All requests must have the same outputDimensionality.');
}

function encodeVectors(body: JsonObject, expected: number, isBatch: boolean): JsonObject {
  const vectors = objectsOf(body['data'])
    .map(({ index, embedding }, position) => ({ place: asNumber(index) ?? position, embedding }))
    .sort((one, other) => one.place - other.place)
    .map(({ embedding }) => ({ values: vectorOf(embedding) }));
  if (vectors.length !== expected) {
    const reason = `${String(vectors.length)} embeddings for ${String(expected)} inputs`;
    throw new GatewayError('provider_answer_invalid', { detail: { reason } });
  }
  const tokens = asNumber(asObject(body['usage'])?.['prompt_tokens']);
  return {
    ...(isBatch ? { embeddings: vectors } : { embedding: vectors[0] }),
    ...(tokens === null ? {} : { usageMetadata: { promptTokenCount: tokens } }),
  };
}
