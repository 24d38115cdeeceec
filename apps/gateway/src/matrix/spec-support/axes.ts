import { anthropicClient } from './clients/anthropic-messages';
import { geminiClient } from './clients/gemini';
import { openAiChatClient } from './clients/openai-chat';
import { openAiResponsesClient } from './clients/openai-responses';
import type { Client } from './client';
import type { StandIn } from './stand-in';
import { anthropicMessages } from './stand-ins/anthropic-messages';
import { bedrockConverse } from './stand-ins/bedrock-converse';
import { cohereV2 } from './stand-ins/cohere-v2';
import { gemini } from './stand-ins/gemini';
import { mistral } from './stand-ins/mistral';
import { ollama } from './stand-ins/ollama';
import { openAiChat } from './stand-ins/openai-chat';
import { openAiResponses } from './stand-ins/openai-responses';

/** The rows of the matrix in `docs/dialects.md`: the SDKs of the client dialects. */
export const CLIENTS: readonly Client[] = [
  openAiChatClient,
  openAiResponsesClient,
  anthropicClient,
  geminiClient,
];

/** The columns of the matrix: a stand-in for a provider of each dialect. */
export const STAND_INS: readonly StandIn[] = [
  openAiChat,
  openAiResponses,
  anthropicMessages,
  gemini,
  bedrockConverse,
  cohereV2,
  mistral,
  ollama,
];
