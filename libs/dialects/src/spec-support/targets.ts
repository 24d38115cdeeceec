import type { Dialect, JsonObject } from '../call';
import type { ClientCodec } from '../codec';
import { targetOf, type Target } from '../target';

/** A model of each dialect that supports most features of the neutral form. */
const MODELS: Readonly<Record<Dialect, string>> = {
  'anthropic-messages': 'claude-opus-4-8',
  'bedrock-converse': 'anthropic.claude-opus-4-8',
  'cohere-v2': 'command-a-03-2025',
  gemini: 'gemini-3-flash-preview',
  mistral: 'mistral-large-latest',
  ollama: 'llama3.2',
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-5.4',
};
const PROVIDERS: Readonly<Record<Dialect, string>> = {
  'anthropic-messages': 'anthropic',
  'bedrock-converse': 'bedrock',
  'cohere-v2': 'cohere',
  gemini: 'google',
  mistral: 'mistral-ai',
  ollama: 'ollama',
  'openai-chat': 'openai',
  'openai-responses': 'openai',
};

/** Returns the usual target of a provider's dialect. */
export const targetFor = (dialect: Dialect): Target =>
  targetOf({ provider: PROVIDERS[dialect], dialect, model: MODELS[dialect] });

/** Returns the smallest call of a client's dialect. */
export function smallCall({ dialect }: Pick<ClientCodec, 'dialect'>): JsonObject {
  if (dialect === 'gemini') return { contents: [{ role: 'user', parts: [{ text: 'x' }] }] };
  if (dialect === 'openai-responses') return { model: 'm', input: 'x' };
  return { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'x' }] };
}
