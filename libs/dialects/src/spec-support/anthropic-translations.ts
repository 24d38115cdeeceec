import type { JsonObject } from '../call';
import { CLIENT_CODECS, PROVIDER_CODECS } from '../codecs';
import type { LossMode } from '@gw/kernel';
import { readStream, type ReadStream } from './client-streams';
import { framed } from './framing';
import { targetOf } from '../target';
import { translateCall, type TranslatedCall } from '../translate';

export interface Translation {
  readonly client?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly loss?: LossMode;
}

/** Translates a call, by default one of Chat Completions for Claude. */
export function translated(
  body: JsonObject,
  {
    client = 'openai-chat',
    provider = 'anthropic-messages',
    model = 'claude-sonnet-4-5',
    loss = 'strict',
  }: Translation = {},
): TranslatedCall {
  const [from, to] = [CLIENT_CODECS.get(client), PROVIDER_CODECS.get(provider)];
  if (from === undefined || to === undefined) throw new Error(`No codecs of ${client} and ${provider}`);
  return translateCall(
    from,
    to,
    { model, messages: [{ role: 'user', content: 'Hi' }], ...body },
    {
      target: targetOf({ provider: 'p', dialect: to.dialect, model }),
      loss,
      requestId: 'req_1',
      createdAt: 1_700_000_000,
    },
  );
}

/** Returns the body that the provider gets. */
export const sent = (body: JsonObject, translation?: Translation): JsonObject =>
  JSON.parse(JSON.stringify(translated(body, translation).body)) as JsonObject;

/** Returns the losses as `path=code`. */
export const lost = (body: JsonObject, translation?: Translation): string[] =>
  translated(body, translation).losses.losses.map(({ path, code }) => `${path}=${code}`);

/** Translates a stream of the provider's frames, and reads it like the client's SDK. */
export function streamed(
  frames: readonly JsonObject[],
  translation: Translation & { readonly end?: string; readonly request?: JsonObject } = {},
): ReadStream {
  const { client = 'openai-chat', provider = 'anthropic-messages', end = 'complete', request } = translation;
  const call = translated({ max_tokens: 9, stream: true, ...request }, translation);
  const stream = call.stream();
  const text = stream.write(framed(provider, frames, end)) + stream.end();
  return readStream(client, text);
}

export const ANTHROPIC_CLIENT = {
  client: 'anthropic-messages',
  provider: 'openai-chat',
  model: 'gpt-4.1',
} as const;

/** Returns the frames of an Anthropic message around the frames of its blocks. */
export const message = (...blocks: readonly JsonObject[]): JsonObject[] => [
  {
    type: 'message_start',
    message: { id: 'msg_1', model: 'claude', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
  },
  ...blocks,
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

/** Returns the frames of one block. */
export const block = (index: number, start: JsonObject, ...deltas: readonly JsonObject[]): JsonObject[] => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

/** Returns a chunk of Chat Completions. */
export const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
