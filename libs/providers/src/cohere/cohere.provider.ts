import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const cohere = openAiCompatible({
  id: 'cohere',
  name: 'Cohere',
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  routes: ['chat.completions', 'embeddings'],
  priceCatalogueId: 'cohere',
});
