import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const hyperbolic = openAiCompatible({
  id: 'hyperbolic',
  name: 'Hyperbolic',
  baseUrl: 'https://api.hyperbolic.xyz/v1',
  routes: ['chat.completions', 'completions', 'models'],
  priceCatalogueId: null,
});
