import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const openrouter = openAiCompatible({
  id: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  routes: ['chat.completions', 'completions', 'embeddings', 'models', 'responses'],
  priceCatalogueId: 'openrouter',
});
