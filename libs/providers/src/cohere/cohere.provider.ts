import { openAiRoutes, openAiSpeaker, withTranslatedRoutes } from '../dialects/openai/openai-compatible';
import { defineProvider } from '../provider';

/**
 * Cohere's own API has several versions below one root, and its OpenAI-compatible API has a
 * separate prefix there. Passthrough paths therefore contain the version: `/v1/v2/chat` of the
 * gateway is `/v2/chat` of Cohere.
 */
export const cohere = defineProvider({
  ...openAiSpeaker,
  id: 'cohere',
  name: 'Cohere',
  baseUrl: () => 'https://api.cohere.com',
  routes: {
    ...withTranslatedRoutes('cohere', openAiRoutes(['chat.completions', 'embeddings'], '/compatibility/v1'), {
      maxTokensField: 'max_tokens',
    }),
    rerank: { via: 'native', prefix: '/v2' },
  },
  priceCatalogueId: 'cohere',
  environmentKey: { variable: 'COHERE_API_KEY' },
});
