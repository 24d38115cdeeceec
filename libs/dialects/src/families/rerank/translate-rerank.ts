import type { JsonObject } from '../../call';
import type { ProviderCall } from '../../codec';
import type { LossMode } from '@gw/kernel';
import { LossLedger } from '../../losses';
import type { Target } from '../../target';
import { decodeRerank, encodeRerank } from './cohere';
import type { RerankForm } from './rerank';

export interface TranslatedRerank {
  readonly call: ProviderCall;
  readonly losses: LossLedger;
  /** Throws `provider_answer_invalid`. */
  response(body: JsonObject, headers?: Readonly<Record<string, string>>): JsonObject;
}

/**
 * Translates a rerank request of Cohere's form for a target of another form. Throws
 * `validation_failed` for a broken body, and `unsupported_by_provider` for features that the target
 * cannot express.
 */
export function translateRerank(
  form: RerankForm,
  request: JsonObject,
  facts: { readonly target: Target; readonly loss: LossMode; readonly requestId: string },
): TranslatedRerank {
  const { target, loss, requestId } = facts;
  const losses = new LossLedger(loss, target);
  const decoded = decodeRerank(request);
  for (const name of decoded.hints) losses.note(name);
  if (decoded.maxTokensPerDocument !== undefined && form.cutsDocuments !== true)
    losses.note('max_tokens_per_doc');
  const call = form.encodeCall(decoded, { target, losses });
  losses.check();
  return {
    call,
    losses,
    response: (body, headers) => encodeRerank(decoded, form.decodeResponse(body, headers), requestId),
  };
}
