import type { JsonObject } from '../call';
import type { ClientContext } from '../codec';
import type { ModelResponse } from '../response';
import { encodeFinish } from './finish';
import { own } from './paths';
import { BlockWriter } from './response-blocks';
import { encodeUsage } from './usage';

/** Encodes a response as a message. Clients of this dialect get one candidate. */
export function encodeResponse(response: ModelResponse, context: ClientContext): JsonObject {
  const [candidate] = response.candidates;
  const id = response.id === '' ? context.requestId : response.id;
  const writer = new BlockWriter(context, id);
  for (const part of candidate?.parts ?? []) writer.add(part);
  const stop = encodeFinish(candidate?.finish ?? { reason: 'stop' }, writer);
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: response.model === '' ? context.model : response.model,
    content: writer.blocks,
    ...stop,
    container: null,
    diagnostics: null,
    usage: encodeUsage(response.usage, response.serviceTier),
    ...own(response),
  };
}
