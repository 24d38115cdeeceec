import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const deepseek = openAiCompatible({
  id: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com/v1',
  routes: ['chat.completions', 'models'],
  priceCatalogueId: 'deepseek',
});
