import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const novitaAi = openAiCompatible({
  id: 'novita-ai',
  name: 'Novita AI',
  baseUrl: 'https://api.novita.ai/openai/v1',
  routes: ['chat.completions', 'completions', 'embeddings', 'models', 'rerank'],
  priceCatalogueId: 'novita',
});
