import type { JsonObject } from '../../call';
import { invalid, type LossLedger } from '../../losses';
import { isAbsent, membersBesides, optional, read, required } from '../../values/json';
import type { ImagesCall, ImagesOutcome, MadeImages } from './images';

const IMAGES_MAX = 10;
const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'n',
  'size',
  'output_format',
  'output_compression',
  'background',
  'response_format',
  'stream',
  'partial_images',
]);
/** Values of hints that mean the same as leaving them out, so that they are not a loss. */
const NEUTRAL: Readonly<Record<string, readonly string[]>> = {
  quality: ['auto', 'standard'],
  moderation: ['auto'],
};

const isNeutral = (name: string, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(NEUTRAL, name) && NEUTRAL[name]?.includes(value) === true;

/**
 * Decodes an OpenAI request for images. Throws `validation_failed`. Records features that only
 * OpenAI has as refused in `losses`.
 */
export function decodeImages(body: JsonObject, losses: LossLedger): ImagesCall {
  const n = read.integer(body['n'], 'n') ?? 1;
  if (n < 1 || n > IMAGES_MAX) throw invalid('n', `n must be from 1 to ${String(IMAGES_MAX)}.`);
  refuseDelivery(body, losses);
  const hints = Object.entries(membersBesides(body, KNOWN) ?? {})
    .filter(([name, value]) => !isAbsent(value) && !isNeutral(name, value))
    .map(([name]) => name);
  return {
    model: read.string(body['model'], 'model') ?? '',
    prompt: required(read.string(body['prompt'], 'prompt'), 'prompt', 'a text'),
    n,
    ...optional('size', sizeOf(body)),
    ...optional('format', formatOf(body)),
    ...optional('compression', read.integer(body['output_compression'], 'output_compression')),
    transparent: body['background'] === 'transparent',
    hints,
  };
}

/**
 * Refuses image URLs, because the gateway stores no images, and streaming, because these providers
 * send only whole images.
 */
function refuseDelivery(body: JsonObject, losses: LossLedger): void {
  if (body['response_format'] === 'url') {
    losses.refuse('response_format', 'The provider returns the images themselves; use b64_json.');
  }
  if (body['stream'] === true) losses.refuse('stream', 'The provider cannot stream images.');
  else if (!isAbsent(body['partial_images']) && body['partial_images'] !== 0) losses.note('partial_images');
}

function sizeOf(body: JsonObject): ImagesCall['size'] {
  const size = read.string(body['size'], 'size');
  if (size === undefined || size === 'auto') return undefined;
  const [, width, height] = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(size) ?? [];
  if (width === undefined || height === undefined) {
    throw invalid('size', 'size must be auto or a width and height in pixels such as 1024x1024.');
  }
  return { width: Number(width), height: Number(height) };
}

function formatOf(body: JsonObject): ImagesCall['format'] {
  const format = read.string(body['output_format'], 'output_format');
  if (format === undefined || format === 'png' || format === 'jpeg' || format === 'webp') return format;
  throw invalid('output_format', 'output_format must be png, jpeg or webp.');
}

/**
 * Writes OpenAI's response of all calls; an error of class `blocked` when the provider's filter
 * left no image.
 */
export function encodeImages(parts: readonly MadeImages[], createdAt: number): ImagesOutcome {
  const images = parts.flatMap((part) => part.images);
  if (images.length === 0) {
    const message =
      parts.find(({ refusal }) => refusal !== undefined)?.refusal ?? 'The provider made no image.';
    return { fault: { class: 'blocked', message, status: 400, code: 'content_filter' } };
  }
  const data = images.map(({ base64, revisedPrompt }) => ({
    b64_json: base64,
    ...optional('revised_prompt', revisedPrompt),
  }));
  return { body: { created: createdAt, data, ...usageOf(parts) } };
}

/** Returns the usage of all calls in total; empty when one of them does not count tokens. */
function usageOf(parts: readonly MadeImages[]): JsonObject {
  let [input, output, image] = [0, 0, 0];
  for (const { usage } of parts) {
    if (usage === undefined) return {};
    input += usage.input;
    output += usage.output;
    image += usage.inputImage;
  }
  return {
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      input_tokens_details: { text_tokens: input - image, image_tokens: image },
    },
  };
}
