import type { JsonObject, Part } from '../call';
import type { ProviderContext } from '../codec';
import { responseArguments } from '../openai-chat/decode-response';
import type { ModelResponse } from '../response';
import { asObject, asString, objectsOf, optional } from '../values/json';
import { withoutFailure } from '../values/failed-response';
import { answerInvalid } from '../values/tool-arguments';
import { createdOf, readFinish, readLogprobs, readToolCall, readUsage } from './response-reader';

/**
 * Decodes a response of `/api/chat`. Throws `provider_answer_invalid` for a body that is incomplete
 * or has no message.
 */
export function decodeResponse(body: JsonObject, context: ProviderContext): ModelResponse {
  const message = asObject(body['message']);
  if (message === null) throw answerInvalid('The response has no message.');
  if (body['done'] === false) throw answerInvalid('The response is not complete.');
  const calls = objectsOf(message['tool_calls']).map((call, index) => ({
    ...readToolCall(call, context, index),
    args: responseArguments(asObject(call['function'])?.['arguments']),
  }));
  const candidate = {
    index: 0,
    parts: [...plainParts(message), ...calls],
    finish: readFinish(body['done_reason'], calls.length > 0),
    ...optional('logprobs', readLogprobs(body['logprobs']) ?? undefined),
  };
  return {
    id: context.requestId,
    model: asString(body['model']) ?? context.target.model,
    created: createdOf(body, context),
    candidates: withoutFailure([candidate]),
    ...optional('usage', readUsage(body)),
  };
}

function plainParts(message: JsonObject): Part[] {
  const thinking = asString(message['thinking']) ?? '';
  const text = asString(message['content']) ?? '';
  return [
    ...(thinking === '' ? [] : [{ kind: 'reasoning', text: thinking } as const]),
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
  ];
}
