import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const sambanova = openAiCompatible({
  id: 'sambanova',
  name: 'SambaNova',
  baseUrl: 'https://api.sambanova.ai/v1',
  routes: [
    'chat.completions',
    'completions',
    'embeddings',
    'models',
    'audio.transcriptions',
    'audio.translations',
  ],
  priceCatalogueId: null,
});
