import { row, type ProviderRow } from './row';

/** Companies that serve the models they train. */
export const MODEL_MAKERS: readonly ProviderRow[] = [
  row(
    'mistral-ai',
    'Mistral AI',
    'https://api.mistral.ai/v1',
    'moderations models speech transcriptions files fine_tuning ocr completions@/fim',
    {
      aliases: 'mistral',
      dialect: 'mistral',
      forms: { embeddings: 'mistral' },
      usage: 'always',
      prices: 'mistral',
      halfPriceBatches: true,
      environmentKey: { variable: 'MISTRAL_API_KEY', slug: 'mistral', name: 'Mistral' },
      telemetryName: 'mistral_ai',
    },
  ),
  row('codestral', 'Mistral Codestral', 'https://codestral.mistral.ai/v1', 'completions@/fim', {
    dialect: 'mistral',
    usage: 'always',
    prices: 'mistral',
  }),
  // The OpenAI-compatible API serves what version 2 lacks; passthrough paths begin with the
  // version.
  row('cohere', 'Cohere', 'https://api.cohere.com', 'models@/compatibility/v1 rerank@/v2', {
    dialect: 'cohere-v2',
    forms: { embeddings: 'cohere-v2' },
    usage: 'always',
    prices: 'cohere',
    environmentKey: { variable: 'COHERE_API_KEY' },
  }),
  row(
    'x-ai',
    'xAI',
    'https://api.x.ai/v1',
    'chat completions embeddings models images edits responses realtime files batches messages',
    {
      aliases: 'xai grok',
      maxTokens: 'max_completion_tokens',
      prices: 'x-ai',
      environmentKey: { variable: 'XAI_API_KEY', slug: 'xai' },
      telemetryName: 'x_ai',
    },
  ),
  row('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'chat models completions', {
    messages: 'https://api.deepseek.com/anthropic/v1',
    messagesAuth: { header: 'x-api-key' },
    drop: 'n seed logit_bias user store parallel_tool_calls service_tier',
    bases: { completions: 'https://api.deepseek.com/beta' },
    prices: 'deepseek',
    environmentKey: { variable: 'DEEPSEEK_API_KEY' },
  }),
  row('perplexity-ai', 'Perplexity', 'https://api.perplexity.ai', 'chat responses@/v1 embeddings@/v1', {
    aliases: 'perplexity',
    drop: 'n logprobs top_logprobs tools tool_choice parallel_tool_calls seed logit_bias stop user store service_tier',
    usage: 'always',
    prices: 'perplexity',
    environmentKey: { variable: 'PERPLEXITY_API_KEY', slug: 'perplexity' },
  }),
  row('ai21', 'AI21 Labs', 'https://api.ai21.com/studio/v1', 'chat models', {
    drop: 'logprobs logit_bias seed user parallel_tool_calls',
  }),
  row('reka-ai', 'Reka', 'https://api.reka.ai/v1', 'chat models', { auth: { header: 'x-api-key' } }),
  row(
    'meta-llama',
    'Meta Llama API',
    'https://api.llama.com/compat/v1',
    'chat models embeddings moderations',
    { aliases: 'meta_llama', maxTokens: 'max_completion_tokens' },
  ),
  row('writer', 'Writer', 'https://api.writer.com/v1', 'chat=/chat completions models', {
    drop: 'parallel_tool_calls user',
  }),
  row('upstage', 'Upstage', 'https://api.upstage.ai/v1', 'chat embeddings models'),
  row('inception', 'Inception', 'https://api.inceptionlabs.ai/v1', 'chat completions@/fim models'),
  row('arcee', 'Arcee', 'https://api.arcee.ai/api/v1', 'chat models'),
  row('morph', 'Morph', 'https://api.morphllm.com/v1', 'chat embeddings rerank models'),
  row('v0', 'Vercel v0', 'https://api.v0.dev/v1', 'chat'),
  row('maritalk', 'Maritaca (Sabiá)', 'https://chat.maritaca.ai/api', 'chat models'),
  row('sarvam', 'Sarvam AI', 'https://api.sarvam.ai/v1', 'chat', {
    auth: { header: 'api-subscription-key' },
  }),
  row('moonshot', 'Moonshot AI', 'https://api.moonshot.ai/v1', 'chat models files', {
    aliases: 'moonshotai kimi',
    messages: 'https://api.moonshot.ai/anthropic/v1',
    regions: { cn: { base: 'https://api.moonshot.cn/v1', messages: 'https://api.moonshot.cn/anthropic/v1' } },
    clamp: { temperature: [0, 1] },
    traits: { replay: 'required' },
    prices: 'moonshotai',
  }),
  row(
    'zhipu',
    'Zhipu AI',
    'https://open.bigmodel.cn/api/paas/v4',
    'chat embeddings models images rerank transcriptions files batches moderations speech',
    {
      aliases: 'zhipuai',
      messages: 'https://open.bigmodel.cn/api/anthropic/v1',
      drop: 'n logit_bias logprobs seed presence_penalty frequency_penalty user',
      clamp: { temperature: [0, 1], top_p: [0.01, 1] },
      prices: 'zhipuai',
    },
  ),
  row('z-ai', 'Z.AI', 'https://api.z.ai/api/paas/v4', 'chat embeddings models images', {
    aliases: 'zai',
    messages: 'https://api.z.ai/api/anthropic/v1',
    regions: { coding: { base: 'https://api.z.ai/api/coding/paas/v4' } },
    drop: 'n logit_bias logprobs seed presence_penalty frequency_penalty user',
    clamp: { temperature: [0, 1], top_p: [0.01, 1] },
    prices: 'zai',
  }),
  row('minimax', 'MiniMax', 'https://api.minimax.io/v1', 'chat models', {
    messages: 'https://api.minimax.io/anthropic/v1',
    messagesAuth: { header: 'x-api-key' },
    regions: {
      cn: { base: 'https://api.minimaxi.com/v1', messages: 'https://api.minimaxi.com/anthropic/v1' },
    },
    clamp: { temperature: [0.01, 1], n: [1, 1] },
    prices: 'minimax',
  }),
  row(
    'dashscope',
    'Alibaba Model Studio',
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    'chat completions embeddings models responses files batches',
    {
      aliases: 'alibaba qwen',
      messages: 'https://dashscope-intl.aliyuncs.com/apps/anthropic/v1',
      regions: {
        cn: {
          base: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
          messages: 'https://dashscope.aliyuncs.com/apps/anthropic/v1',
        },
      },
    },
  ),
  row(
    'volcengine',
    'Volcengine Ark (Doubao)',
    'https://ark.cn-beijing.volces.com/api/v3',
    'chat embeddings images responses files models',
    { aliases: 'doubao' },
  ),
  row(
    'byteplus',
    'BytePlus ModelArk',
    'https://ark.ap-southeast.bytepluses.com/api/v3',
    'chat embeddings images responses models',
    { aliases: 'bytedance' },
  ),
  row('lingyi', '01.AI (Yi)', 'https://api.lingyiwanwu.com/v1', 'chat models', { aliases: '01ai' }),
  row('baichuan', 'Baichuan', 'https://api.baichuan-ai.com/v1', 'chat embeddings'),
  row('stepfun', 'StepFun', 'https://api.stepfun.ai/v1', 'chat models speech transcriptions images files', {
    regions: { cn: { base: 'https://api.stepfun.com/v1' } },
  }),
  row('tencent', 'Tencent Hunyuan', 'https://api.hunyuan.cloud.tencent.com/v1', 'chat embeddings models', {
    regions: { intl: { base: 'https://tokenhub-intl.tencentcloudmaas.com/v1' } },
    drop: 'n logit_bias logprobs',
  }),
  row('qianfan', 'Baidu Qianfan', 'https://qianfan.baidubce.com/v2', 'chat embeddings models rerank images', {
    headers: { appid: '{qianfan_app_id}' },
  }),
  row('spark', 'iFlytek Spark', 'https://spark-api-open.xf-yun.com/v1', 'chat'),
  row('xiaomi-mimo', 'Xiaomi MiMo', 'https://api.xiaomimimo.com/v1', 'chat models', {
    aliases: 'xiaomi_mimo',
    messages: 'https://api.xiaomimimo.com/anthropic/v1',
  }),
  row('krutrim', 'Krutrim', 'https://cloud.olakrutrim.com/v1', 'chat embeddings models'),
  row('recraft-ai', 'Recraft', 'https://external.api.recraft.ai/v1', 'images'),
  row('abliteration', 'Abliteration', 'https://api.abliteration.ai/v1', 'chat models'),
];
