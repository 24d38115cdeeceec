import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../../call';
import { invalid, type LossLedger } from '../../losses';
import { isAbsent, membersBesides, optional, read } from '../../values/json';
import type { Embeddings, EmbeddingsCall, EmbeddingsForm, InputType } from './embeddings';

const INPUTS_MAX = 2_048;
const KNOWN: ReadonlySet<string> = new Set(['model', 'input', 'dimensions', 'encoding_format', 'input_type']);
const INPUT_TYPES: ReadonlySet<string> = new Set<InputType>([
  'search_document',
  'search_query',
  'classification',
  'clustering',
]);
const isInputType = (name: string): name is InputType => INPUT_TYPES.has(name);

/**
 * Decodes an OpenAI embeddings request. Throws `validation_failed` for a broken body. Tokens
 * instead of text are refused in `losses`, because only OpenAI's own models have them.
 */
export function decodeEmbeddings(
  body: JsonObject,
  losses: LossLedger,
  words: EmbeddingsForm['words'] = {},
): EmbeddingsCall {
  const dimensions = read.integer(body['dimensions'], 'dimensions');
  if (dimensions !== undefined && dimensions < 1)
    throw invalid('dimensions', 'dimensions must be at least 1.');
  const more = Object.entries(membersBesides(body, KNOWN) ?? {}).filter(([, value]) => !isAbsent(value));
  return {
    model: read.string(body['model'], 'model') ?? '',
    inputs: inputsOf(body['input'], losses),
    ...optional('dimensions', dimensions),
    ...optional('inputType', inputTypeOf(body, words)),
    base64: isBase64(body['encoding_format']),
    more: Object.fromEntries(more),
  };
}

function inputsOf(input: unknown, losses: LossLedger): string[] {
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input) || input.length === 0) {
    throw invalid('input', 'input must be a string or a list of at least one string.');
  }
  if (input.some((item) => typeof item === 'number' || Array.isArray(item))) {
    losses.refuse('input', 'The provider takes texts, not tokens.');
    return [];
  }
  if (input.length > INPUTS_MAX)
    throw invalid('input', `input may have at most ${String(INPUTS_MAX)} texts.`);
  return read.strings(input, 'input') ?? [];
}

function inputTypeOf(body: JsonObject, words: NonNullable<EmbeddingsForm['words']>): InputType | undefined {
  const type = read.string(body['input_type'], 'input_type');
  if (type === undefined) return undefined;
  const named = Object.keys(words).find((name) => words[name as InputType] === type) ?? type;
  if (!isInputType(named)) {
    throw invalid('input_type', `input_type must be one of ${[...INPUT_TYPES].join(', ')}.`);
  }
  return named;
}

function isBase64(format: unknown): boolean {
  if (isAbsent(format) || format === 'float') return false;
  if (format === 'base64') return true;
  throw invalid('encoding_format', 'encoding_format must be float or base64.');
}

/**
 * Writes OpenAI's response of all calls' embeddings, in order. Throws `provider_answer_invalid`
 * when some are missing.
 */
export function encodeEmbeddings(call: EmbeddingsCall, parts: readonly Embeddings[]): JsonObject {
  const vectors = parts.flatMap((part) => part.vectors);
  if (vectors.length !== call.inputs.length) {
    const reason = `${String(vectors.length)} embeddings for ${String(call.inputs.length)} inputs`;
    throw new GatewayError('provider_answer_invalid', { detail: { reason } });
  }
  const tokens = parts.reduce<number | undefined>(
    (sum, part) => (sum === undefined || part.tokens === undefined ? undefined : sum + part.tokens),
    0,
  );
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: call.base64 ? float32(vector) : vector,
    })),
    model: call.model,
    ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

/** Base64 of little-endian float32. */
function float32(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((number, index) => bytes.writeFloatLE(number, index * 4));
  return bytes.toString('base64');
}
