import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const groq = openAiCompatible({
  id: 'groq',
  name: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  routes: ['chat.completions', 'models'],
  priceCatalogueId: 'groq',
});
