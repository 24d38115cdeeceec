import type { JsonObject } from '../../call';
import type { LossLedger } from '../../losses';
import { asArray, asString, compact, optional } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import { invokePath } from '../bedrock-invoke';
import { aspectRatio } from './aspect-ratio';
import type { ImagesCall, ImagesForm, MadeImages } from './images';

/** Smallest and largest side of an image of Nova Canvas, in pixels; a side is a multiple of 16. */
const SIDE = { least: 320, most: 4_096, step: 16 } as const;

/** Nova Canvas and Titan Image Generator of Amazon. */
export const bedrockCanvasImages: ImagesForm = {
  imagesMax: 5,
  encodeCall(call, n, facts) {
    const { losses } = facts;
    refuseFormats(call, ['png'], losses);
    return {
      path: invokePath(facts),
      body: {
        taskType: 'TEXT_IMAGE',
        textToImageParams: { text: call.prompt },
        imageGenerationConfig: { numberOfImages: n, ...sides(call, losses) },
      },
    };
  },
  decodeResponse: (body) => madeImages(body, asString(body['error'])),
};

function sides({ size }: ImagesCall, losses: LossLedger): JsonObject {
  if (size === undefined) return {};
  const isTaken = [size.width, size.height].every(
    (side) => side >= SIDE.least && side <= SIDE.most && side % SIDE.step === 0,
  );
  if (isTaken) return { width: size.width, height: size.height };
  losses.parameter('size', 'The sides must be multiples of 16 from 320 to 4096 pixels.');
  return {};
}

const RATIOS = ['1:1', '16:9', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21'];

/** Models of Stability AI on Bedrock, which generate one image in each call. */
export const bedrockStabilityImages: ImagesForm = {
  imagesMax: 1,
  encodeCall(call, _n, facts) {
    const { losses } = facts;
    refuseFormats(call, ['png', 'jpeg'], losses);
    return {
      path: invokePath(facts),
      body: compact({
        prompt: call.prompt,
        mode: 'text-to-image',
        aspect_ratio: aspectRatio(call, RATIOS, losses),
        output_format: call.format === 'webp' ? undefined : call.format,
      }),
    };
  },
  decodeResponse: (body) =>
    madeImages(body, asString(asArray(body['finish_reasons'])?.find((reason) => asString(reason) !== null))),
};

function refuseFormats(
  { format, compression, transparent }: ImagesCall,
  formats: readonly string[],
  losses: LossLedger,
): void {
  if (transparent) losses.parameter('background', 'The model cannot make transparent images.');
  if (format !== undefined && !formats.includes(format))
    losses.parameter('output_format', `The model makes ${formats.join(' and ')}.`);
  if (compression !== undefined) losses.note('output_compression');
}

/** Reads `images`. Throws `provider_answer_invalid` when there are neither images nor a reason. */
function madeImages(body: JsonObject, refusal: string | null): MadeImages {
  const images = (asArray(body['images']) ?? [])
    .map(asString)
    .filter((base64) => base64 !== null)
    .map((base64) => ({ base64 }));
  if (images.length === 0 && refusal === null) throw answerInvalid('The response has no images.');
  return { images, ...optional('refusal', refusal ?? undefined) };
}
