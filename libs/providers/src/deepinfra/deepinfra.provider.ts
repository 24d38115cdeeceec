import { AUDIO_ROUTES, openAiCompatible } from '../dialects/openai/openai-compatible';

export const deepinfra = openAiCompatible({
  id: 'deepinfra',
  name: 'DeepInfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  routes: ['chat.completions', 'completions', 'embeddings', 'models', ...AUDIO_ROUTES, 'images.generations'],
  priceCatalogueId: null,
});
