import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const cerebras = openAiCompatible({
  id: 'cerebras',
  name: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  routes: ['chat.completions', 'completions', 'models'],
  priceCatalogueId: 'cerebras',
});
