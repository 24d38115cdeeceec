import { createHash } from 'node:crypto';
import type { SandboxResponse } from './request';
import { invalid, readInteger, type SandboxRequest } from './request';
import { countTokens } from './text';

const DEFAULT_DIMENSIONS = 256;
const DIMENSIONS_MAX = 4_096;
const INPUTS_MAX = 2_048;
/** Maximum numbers in one response; a million of them make 10 to 20 MB of JSON. */
const NUMBERS_MAX = 1_000_000;

/**
 * Returns OpenAI embeddings: unit vectors made from a hash of each input, as numbers or as base64
 * of little-endian float32.
 */
export function embeddingsResponse({ body, model, dials }: SandboxRequest): SandboxResponse {
  const inputs = readInputs(body['input']);
  const dimensions = readInteger(body, 'dimensions', 1, DIMENSIONS_MAX) ?? DEFAULT_DIMENSIONS;
  if (inputs.length * dimensions > NUMBERS_MAX)
    throw invalid(
      `The response would have more than ${String(NUMBERS_MAX)} numbers; send fewer inputs or request fewer dimensions.`,
      'input',
    );
  const base64 = readsBase64(body['encoding_format']);
  const tokens = countTokens(inputs.join('')) * (dials.usage === 'wrong' ? 10 : 1);
  return {
    kind: 'json',
    body: {
      object: 'list',
      data: inputs.map((input, index) => {
        const vector = embed(model, input, dimensions);
        return { object: 'embedding', index, embedding: base64 ? toBase64(vector) : [...vector] };
      }),
      model,
      system_fingerprint: 'sandbox',
      ...(dials.usage === 'none' ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    },
  };
}

function embed(model: string, input: string, dimensions: number): Float32Array {
  const bytes = createHash('shake256', { outputLength: dimensions * 4 })
    .update(`${model}\n${input}`)
    .digest();
  const raw = Array.from({ length: dimensions }, (_, index) => bytes.readInt32LE(index * 4) / 2 ** 31);
  const length = Math.hypot(...raw) || 1;
  return Float32Array.from(raw, (number) => number / length);
}

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((number, index) => bytes.writeFloatLE(number, index * 4));
  return bytes.toString('base64');
}

function readsBase64(format: unknown): boolean {
  if (format === undefined || format === null || format === 'float') return false;
  if (format === 'base64') return true;
  throw invalid('encoding_format must be float or base64.', 'encoding_format');
}

function readInputs(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.length > 0) {
    if (input.every((item) => typeof item === 'number')) return [input.join(' ')];
    if (input.length > INPUTS_MAX)
      throw invalid(`input has more than ${String(INPUTS_MAX)} items; send fewer.`, 'input');
    const texts = input.map((item: unknown) =>
      typeof item === 'string' ? item : Array.isArray(item) ? item.join(' ') : null,
    );
    const found = texts.filter((text) => text !== null);
    if (found.length === input.length) return found;
  }
  throw invalid('input must be a string, a list of strings, tokens or lists of tokens.', 'input');
}
