import { anthropicClient, anthropicProvider } from './anthropic-messages';
import { bedrockProvider } from './bedrock-converse';
import type { ClientCodec, ProviderCodec } from './codec';
import { cohereProvider } from './cohere-v2';
import { geminiClient, geminiProvider } from './gemini';
import { mistralProvider } from './mistral';
import { ollamaProvider } from './ollama';
import { openAiChatClient, openAiChatProvider } from './openai-chat';
import { openAiResponsesClient, openAiResponsesProvider } from './openai-responses';

/** Codecs of the dialects that clients may use. */
const CLIENTS: readonly ClientCodec[] = [
  anthropicClient,
  geminiClient,
  openAiChatClient,
  openAiResponsesClient,
];

/** Codecs of the dialects that the gateway uses for providers. */
const PROVIDERS: readonly ProviderCodec[] = [
  anthropicProvider,
  bedrockProvider,
  cohereProvider,
  geminiProvider,
  mistralProvider,
  ollamaProvider,
  openAiChatProvider,
  openAiResponsesProvider,
];

export const CLIENT_CODECS: ReadonlyMap<string, ClientCodec> = new Map(
  CLIENTS.map((codec) => [codec.dialect, codec]),
);
export const PROVIDER_CODECS: ReadonlyMap<string, ProviderCodec> = new Map(
  PROVIDERS.map((codec) => [codec.dialect, codec]),
);
