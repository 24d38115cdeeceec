import type { JsonObject } from '../../call';
import type { LossMode } from '@gw/kernel';
import { LossLedger } from '../../losses';
import type { Target } from '../../target';
import type { FanOut } from '../fan-out';
import type { ImagesForm, ImagesOutcome } from './images';
import { decodeImages, encodeImages } from './openai';

export interface TranslatedImages extends FanOut {
  readonly losses: LossLedger;
  /** Joins the responses of all calls, in their order. Throws `provider_answer_invalid`. */
  response(bodies: readonly JsonObject[]): ImagesOutcome;
}

/**
 * Translates an OpenAI request for images for a target of another form. Throws `validation_failed`
 * for a broken body, and `unsupported_by_provider` for features that the target cannot express.
 */
export function translateImages(
  form: ImagesForm,
  request: JsonObject,
  facts: { readonly target: Target; readonly loss: LossMode; readonly createdAt: number },
): TranslatedImages {
  const { target, loss, createdAt } = facts;
  const losses = new LossLedger(loss, target);
  const call = decodeImages(request, losses);
  for (const name of call.hints) losses.note(name);
  const calls = countsOf(call.n, form, losses).map((n) => form.encodeCall(call, n, { target, losses }));
  losses.check();
  return {
    calls,
    losses,
    response: (bodies) =>
      encodeImages(
        bodies.map((body) => form.decodeResponse(body)),
        createdAt,
      ),
  };
}

/** Returns the number of images of each call. */
function countsOf(n: number, { imagesMax }: ImagesForm, losses: LossLedger): number[] {
  if (imagesMax === 1) return Array.from({ length: n }, () => 1);
  if (n <= imagesMax) return [n];
  losses.parameter(
    'n',
    `The model makes at most ${String(imagesMax)} images.`,
    'approximated',
    String(imagesMax),
  );
  return [imagesMax];
}
