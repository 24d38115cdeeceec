import { openAiCompatible } from '../dialects/openai/openai-compatible';

export const zhipu = openAiCompatible({
  id: 'zhipu',
  name: 'Zhipu AI',
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  routes: [
    'chat.completions',
    'embeddings',
    'models',
    'moderations',
    'audio.speech',
    'audio.transcriptions',
    'images.generations',
    'files',
    'batches',
    'rerank',
  ],
  priceCatalogueId: 'zhipuai',
});
