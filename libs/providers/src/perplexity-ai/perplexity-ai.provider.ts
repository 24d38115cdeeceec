import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const perplexityAi = openAiCompatible({
  id: 'perplexity-ai',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  routes: ['chat.completions'],
  priceCatalogueId: 'perplexity',
});
