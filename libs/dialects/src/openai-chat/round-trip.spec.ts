import type { JsonObject } from '../call';
import { LossLedger } from '../losses';
import { mismatches } from '../spec-support/matching';
import { normalised } from '../spec-support/normalised';
import { VECTORS } from '../spec-support/vectors';
import { optional } from '../values/json';
import { targetOf } from '../target';
import { openAiChatClient, openAiChatProvider } from '.';

const REQUESTS = VECTORS.filter(
  ({ kind, from, family, expect: expected }) =>
    kind === 'request' &&
    from === 'openai-chat' &&
    family === undefined &&
    expected['type'] !== 'validation_failed',
);

/**
 * Returns the input in the spelling of the encoder: without default members, and with stops as a
 * list.
 */
function respelt(input: JsonObject): JsonObject {
  const {
    n,
    logprobs,
    parallel_tool_calls: parallel,
    stop,
    stream_options: options,
    functions,
    response_format: format,
    ...rest
  } = JSON.parse(JSON.stringify(input).replace('image/jpg', 'image/jpeg')) as JsonObject;
  return {
    ...rest,
    ...(n === 1 ? {} : optional('n', n)),
    ...(logprobs === true ? { logprobs } : {}),
    ...(rest['tools'] === undefined ? {} : optional('parallel_tool_calls', parallel)),
    ...(stop === undefined ? {} : { stop: [stop].flat() }),
    ...optional('stream_options', options),
    ...((format as JsonObject | undefined)?.['type'] === 'text' ? {} : optional('response_format', format)),
    ...(functions === undefined ? {} : { tools: [{ type: 'function' }] }),
  };
}

describe('chat completions: encode(decode(x)) equals x', () => {
  it.each(REQUESTS.map((vector) => [vector.id, vector] as const))(
    'keeps the request %s',
    (_id, { input }) => {
      const maxTokensField = 'max_completion_tokens' in input ? 'max_completion_tokens' : 'max_tokens';
      const target = targetOf({
        provider: 'x',
        dialect: 'openai-chat',
        model: 'm',
        traits: { maxTokensField },
      });
      const { body } = openAiChatProvider.encodeCall(
        openAiChatClient.decodeCall(input),
        target,
        new LossLedger('strict', target),
      );
      const encoded = JSON.parse(JSON.stringify(body)) as unknown;
      expect(
        mismatches(normalised('openai-chat', respelt(input)), normalised('openai-chat', encoded)),
      ).toEqual([]);
    },
  );
});
