import { GatewayError } from '@gw/kernel';
import { sent, streamed, translated, type Translation } from '../spec-support/anthropic-translations';
import type { JsonObject } from '../call';
import type { ReadStream } from '../spec-support/client-streams';

export const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
export const OPUS = 'global.anthropic.claude-opus-4-8';
export const NOVA = 'amazon.nova-pro-v1:0';
export const LLAMA = 'meta.llama3-3-70b-instruct-v1:0';

const toBedrock = (model: string, client: string): Translation => ({
  client,
  provider: 'bedrock-converse',
  model,
});

/** Returns the body that Bedrock gets of a chat completion. */
export const ofChat = (body: JsonObject, model = SONNET): JsonObject =>
  sent(body, toBedrock(model, 'openai-chat'));

/** Returns the body that Bedrock gets of a Messages request. */
export const ofMessages = (body: JsonObject, model = SONNET): JsonObject =>
  sent({ max_tokens: 4_000, ...body }, toBedrock(model, 'anthropic-messages'));

/** Returns the losses of a chat completion as `path=code`. */
export const lostOfChat = (body: JsonObject, model = SONNET): string[] =>
  translated(body, toBedrock(model, 'openai-chat')).losses.losses.map(({ path, code }) => `${path}=${code}`);

/**
 * Returns type and path of the error for a refused request; throws if the request is not refused.
 */
export function refusal(run: () => unknown): [type: string, param: unknown] {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [thrown.type, thrown.options.param];
    throw thrown;
  }
  throw new Error('The call was not refused.');
}

/** Returns the chat completion of a response of Bedrock. */
export const responded = (body: JsonObject, request: JsonObject = {}, model = SONNET): JsonObject =>
  translated(request, toBedrock(model, 'openai-chat')).response(body);

/** Returns the chat stream of frames of Bedrock. */
export const streamedChat = (
  frames: readonly JsonObject[],
  {
    end = 'complete',
    request = {},
    model = SONNET,
  }: { end?: string; request?: JsonObject; model?: string } = {},
): ReadStream => streamed(frames, { ...toBedrock(model, 'openai-chat'), end, request });

export const frame = (event: string, payload: JsonObject = {}): JsonObject => ({ event, payload });
export const delta = (contentBlockIndex: number, found: JsonObject): JsonObject =>
  frame('contentBlockDelta', { contentBlockIndex, delta: found, p: 'abc' });
export const stop = (contentBlockIndex: number): JsonObject =>
  frame('contentBlockStop', { contentBlockIndex });
export const toolStart = (contentBlockIndex: number, toolUseId: string, name: string): JsonObject =>
  frame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } });
export const toolDelta = (index: number, input: string): JsonObject => delta(index, { toolUse: { input } });

export const USAGE = { inputTokens: 7, outputTokens: 3, totalTokens: 10 };

/** Returns the frames of a response around the frames of its blocks. */
export const message = (blocks: readonly JsonObject[], stopReason = 'end_turn'): JsonObject[] => [
  frame('messageStart', { role: 'assistant' }),
  ...blocks,
  frame('messageStop', { stopReason }),
  frame('metadata', { usage: USAGE, metrics: { latencyMs: 1 } }),
];

/** Returns a Converse response with this content. */
export const response = (content: readonly JsonObject[], stopReason = 'end_turn'): JsonObject => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage: USAGE,
});
