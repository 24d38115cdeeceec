import type { JsonObject } from '../../call';
import { modelPath } from '../../gemini/encode-call';
import type { LossLedger } from '../../losses';
import { asString, objectsOf, optional } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import { aspectRatio, imageSize } from './aspect-ratio';
import type { ImagesCall, ImagesForm, MadeImage } from './images';

const RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'];

/** `predict` of Imagen, on Vertex AI and on Google AI Studio. */
export const imagenImages: ImagesForm = {
  imagesMax: 4,
  encodeCall(call, n, { target, losses }) {
    const size = imageSize(call);
    return {
      path: modelPath(target, 'predict'),
      body: {
        instances: [{ prompt: call.prompt }],
        parameters: {
          sampleCount: n,
          ...optional('aspectRatio', aspectRatio(call, RATIOS, losses)),
          ...optional('sampleImageSize', size === '4K' ? '2K' : size),
          // Requests reasons, because otherwise filtered images are missing without an explanation.
          includeRaiReason: true,
          ...outputOptions(call, losses),
        },
      },
    };
  },
  decodeResponse(body) {
    const predictions = objectsOf(body['predictions']);
    const reason = predictions
      .map((prediction) => asString(prediction['raiFilteredReason']))
      .find((text) => text !== null);
    // Without predictions, everything was filtered.
    if (predictions.length === 0 && !isEmptyResponse(body))
      throw answerInvalid('The response has no predictions.');
    const images = predictions.map(imageOf).filter((image) => image !== null);
    if (images.length > 0) return { images };
    return { images, refusal: reason ?? "The provider's filter blocked all images." };
  },
};

const isEmptyResponse = (body: JsonObject): boolean =>
  Object.keys(body).length === 0 || Array.isArray(body['predictions']);

function imageOf(prediction: JsonObject): MadeImage | null {
  const base64 = asString(prediction['bytesBase64Encoded']);
  return base64 === null
    ? null
    : { base64, ...optional('revisedPrompt', asString(prediction['prompt']) ?? undefined) };
}

function outputOptions({ format, compression, transparent }: ImagesCall, losses: LossLedger): JsonObject {
  if (transparent) losses.parameter('background', 'Imagen cannot make transparent images.');
  if (format === 'webp') losses.parameter('output_format', 'Imagen makes png and jpeg.');
  if (compression !== undefined && format !== 'jpeg') losses.note('output_compression');
  if (format !== 'jpeg') return format === 'png' ? { outputOptions: { mimeType: 'image/png' } } : {};
  return { outputOptions: { mimeType: 'image/jpeg', ...optional('compressionQuality', compression) } };
}
