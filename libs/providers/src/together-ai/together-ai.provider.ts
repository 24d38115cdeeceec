import { AUDIO_ROUTES, openAiCompatible } from '../dialects/openai/openai-compatible';

export const togetherAi = openAiCompatible({
  id: 'together-ai',
  name: 'Together AI',
  baseUrl: 'https://api.together.xyz/v1',
  routes: [
    'chat.completions',
    'completions',
    'embeddings',
    'models',
    ...AUDIO_ROUTES,
    'images.generations',
    'rerank',
  ],
  priceCatalogueId: 'together',
});
