import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const fireworksAi = openAiCompatible({
  id: 'fireworks-ai',
  name: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  routes: ['chat.completions', 'completions', 'embeddings', 'models', 'rerank', 'responses'],
  priceCatalogueId: 'fireworks',
});
