import type { JsonObject } from '../../call';
import { capabilitiesOf } from '../../capabilities';
import { modelPath } from '../../gemini/encode-call';
import { usageOf } from '../../gemini/usage';
import type { LossLedger } from '../../losses';
import { asObject, asString, objectsOf, optional } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import { aspectRatio, imageSize } from './aspect-ratio';
import type { ImagesCall, ImagesForm, MadeImage } from './images';

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

/** `generateContent` of the Gemini models that make images, one for each call. */
export const geminiImages: ImagesForm = {
  imagesMax: 1,
  encodeCall(call, _n, { target, losses }) {
    refuseFormat(call, losses);
    const hasSizes = capabilitiesOf(target.model).reasoning === 'level';
    const imageConfig = {
      ...optional('aspectRatio', aspectRatio(call, RATIOS, losses)),
      ...optional('imageSize', hasSizes ? imageSize(call) : undefined),
    };
    return {
      path: modelPath(target, 'generateContent'),
      body: {
        contents: [{ role: 'user', parts: [{ text: call.prompt }] }],
        generationConfig: {
          responseModalities: ['TEXT', 'IMAGE'],
          ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
        },
      },
    };
  },
  decodeResponse(body) {
    const candidates = objectsOf(body['candidates']);
    const images = candidates.flatMap(imagesOf);
    const usage = usageOf(body['usageMetadata']);
    const counted = usage === undefined ? {} : { usage };
    if (images.length > 0) return { images, ...counted };
    const feedback = asObject(body['promptFeedback']);
    const blocked = asString(feedback?.['blockReason']);
    const [candidate] = candidates;
    const finish = asString(candidate?.['finishReason']);
    const message = asString(feedback?.['blockReasonMessage']) ?? asString(candidate?.['finishMessage']);
    const reason = blocked ?? (finish === 'STOP' ? null : finish);
    if (reason === null) throw answerInvalid('The response has no image.');
    return { images, refusal: message ?? `The provider made no image: ${reason}.`, ...counted };
  },
};

function imagesOf(candidate: JsonObject): MadeImage[] {
  return objectsOf(asObject(candidate['content'])?.['parts']).flatMap((part) => {
    const base64 = asString(asObject(part['inlineData'])?.['data']);
    // Drafts among the thoughts are not images of the response.
    return base64 === null || part['thought'] === true ? [] : [{ base64 }];
  });
}

function refuseFormat({ format, transparent, compression }: ImagesCall, losses: LossLedger): void {
  if (transparent) losses.parameter('background', 'Gemini cannot make transparent images.');
  if (format !== undefined && format !== 'png') losses.parameter('output_format', 'Gemini makes png.');
  if (compression !== undefined) losses.note('output_compression');
}
