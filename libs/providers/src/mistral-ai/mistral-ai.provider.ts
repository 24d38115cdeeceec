import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const mistralAi = openAiCompatible({
  id: 'mistral-ai',
  name: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  routes: [
    'chat.completions',
    'embeddings',
    'moderations',
    'models',
    'audio.transcriptions',
    'files',
    'fine_tuning',
    'ocr',
  ],
  priceCatalogueId: 'mistral',
});
