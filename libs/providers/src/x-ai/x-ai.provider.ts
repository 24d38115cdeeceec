import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const xAi = openAiCompatible({
  id: 'x-ai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  routes: [
    'chat.completions',
    'completions',
    'embeddings',
    'models',
    'images.generations',
    'files',
    'responses',
    'realtime',
  ],
  priceCatalogueId: 'x-ai',
});
