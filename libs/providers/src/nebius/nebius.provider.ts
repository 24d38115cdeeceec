import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const nebius = openAiCompatible({
  id: 'nebius',
  name: 'Nebius',
  baseUrl: 'https://api.studio.nebius.com/v1',
  routes: [
    'chat.completions',
    'completions',
    'embeddings',
    'models',
    'images.generations',
    'files',
    'batches',
  ],
  priceCatalogueId: null,
});
