import type { JsonObject } from '../call';
import { CLIENT_CODECS, PROVIDER_CODECS } from '../codecs';
import type { LossMode } from '@gw/kernel';
import { targetOf } from '../target';
import { translateCall, type TranslatedCall } from '../translate';

type Name = 'openai-chat' | 'openai-responses';

/** Translates a call for a target of OpenAI. */
export function translated(
  from: Name,
  to: Name,
  body: JsonObject,
  { model = 'gpt-5.4', loss = 'strict' }: { readonly model?: string; readonly loss?: LossMode } = {},
): TranslatedCall {
  const client = CLIENT_CODECS.get(from);
  const provider = PROVIDER_CODECS.get(to);
  if (client === undefined || provider === undefined) throw new Error(`No codec for ${from} to ${to}`);
  return translateCall(client, provider, body, {
    target: targetOf({ provider: 'openai', dialect: to, model }),
    loss,
    requestId: 'req_1',
    createdAt: 1_700_000_000,
  });
}

/** Translates a call of the Responses API for a provider of Chat Completions. */
export const toChat = (body: JsonObject): TranslatedCall =>
  translated('openai-responses', 'openai-chat', { model: 'm', input: 'Hi', ...body }, { model: 'gpt-4.1' });
/** Translates a call of Chat Completions for a provider of the Responses API. */
export const fromChat = (body: JsonObject, options = {}): TranslatedCall =>
  translated(
    'openai-chat',
    'openai-responses',
    { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...body },
    options,
  );
