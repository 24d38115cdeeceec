import { AUDIO_ROUTES, openAiCompatible } from '../dialects/openai/openai-compatible';

export const groq = openAiCompatible({
  id: 'groq',
  name: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  routes: ['chat.completions', 'models', ...AUDIO_ROUTES, 'files', 'batches', 'responses'],
  priceCatalogueId: 'groq',
});
