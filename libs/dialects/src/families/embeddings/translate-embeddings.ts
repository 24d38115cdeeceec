import type { JsonObject } from '../../call';
import type { LossMode } from '@gw/kernel';
import { LossLedger } from '../../losses';
import type { Target } from '../../target';
import { chunksOf, type FanOut } from '../fan-out';
import type { EmbeddingsForm } from './embeddings';
import { decodeEmbeddings, encodeEmbeddings } from './openai';

export interface TranslatedEmbeddings extends FanOut {
  readonly losses: LossLedger;
  /** Joins the responses of all calls, in their order. Throws `provider_answer_invalid`. */
  response(bodies: readonly JsonObject[], headers?: readonly Readonly<Record<string, string>>[]): JsonObject;
}

/**
 * Translates an OpenAI embeddings request for a target of another form. More inputs than the target
 * accepts in one call become several calls. Throws `validation_failed` for a broken body, and
 * `unsupported_by_provider` for features that the target cannot express.
 */
export function translateEmbeddings(
  form: EmbeddingsForm,
  request: JsonObject,
  target: Target,
  loss: LossMode,
): TranslatedEmbeddings {
  const losses = new LossLedger(loss, target);
  const decoded = decodeEmbeddings(request, losses, form.words);
  const call = { ...decoded, more: supportedMembers(decoded.more, form, losses) };
  losses.check();
  const calls = chunksOf(call.inputs, form.inputsMax(target.model)).map((inputs) =>
    form.encodeCall(call, inputs, { target, losses }),
  );
  losses.check();
  return {
    calls,
    losses,
    response: (bodies, headers = []) =>
      encodeEmbeddings(
        call,
        bodies.map((body, index) => form.decodeResponse(body, headers[index])),
      ),
  };
}

/** Returns the members that the target may support; only OpenAI has `user`. */
function supportedMembers(
  more: JsonObject,
  { takesMore = false }: EmbeddingsForm,
  losses: LossLedger,
): JsonObject {
  const entries = Object.entries(more);
  const isKept = (name: string): boolean => takesMore && name !== 'user';
  for (const [name] of entries) if (!isKept(name)) losses.note(name);
  return Object.fromEntries(entries.filter(([name]) => isKept(name)));
}
