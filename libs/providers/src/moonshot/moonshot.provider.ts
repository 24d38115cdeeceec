import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const moonshot = openAiCompatible({
  id: 'moonshot',
  name: 'Moonshot AI',
  baseUrl: 'https://api.moonshot.ai/v1',
  routes: ['chat.completions', 'models', 'files'],
  priceCatalogueId: 'moonshotai',
});
