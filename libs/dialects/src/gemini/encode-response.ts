import type { JsonObject } from '../call';
import type { ClientContext } from '../codec';
import type { Candidate, ModelResponse } from '../response';
import { ByteOffsets } from './byte-offsets';
import { finishReason } from './finish';
import { groundingMetadata } from './grounding';
import { logprobsResult } from './logprobs';
import { responsePart, type CandidateText } from './response-parts';
import { usageMetadata } from './usage';

/** Writes a `GenerateContentResponse`. */
export function encodeResponse(response: ModelResponse, context: ClientContext): JsonObject {
  const { usage } = response;
  return {
    candidates: response.candidates.map((candidate) => encodeCandidate(candidate, context)),
    ...(usage === undefined ? {} : { usageMetadata: usageMetadata(usage) }),
    ...headOf(response, context),
  };
}

/** Returns the members that every response and event has. */
export const headOf = (
  { id, model }: Pick<ModelResponse, 'id' | 'model'>,
  context: ClientContext,
): { readonly modelVersion: string; readonly responseId: string } => ({
  modelVersion: model === '' ? context.model : model,
  responseId: id === '' ? context.requestId : id,
});

function encodeCandidate({ index, parts, finish, logprobs }: Candidate, context: ClientContext): JsonObject {
  const text: CandidateText = { offsets: new ByteOffsets(), citations: [] };
  const encoded = parts
    .map((part, place) =>
      responsePart(part, context, `candidates.${String(index)}.content.parts.${String(place)}`, text),
    )
    .filter((part) => part !== null);
  const grounding = groundingMetadata(text.citations, text.offsets);
  return {
    content: { role: 'model', parts: encoded },
    finishReason: finishReason(finish),
    index,
    ...(finish.detail === undefined ? {} : { finishMessage: finish.detail }),
    ...(grounding === undefined ? {} : { groundingMetadata: grounding }),
    ...(logprobs === undefined ? {} : { logprobsResult: logprobsResult(logprobs) }),
  };
}
