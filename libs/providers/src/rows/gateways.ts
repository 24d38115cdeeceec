import { row, type ProviderRow } from './row';

/** Services that resell or route to models of other companies. */
export const GATEWAYS: readonly ProviderRow[] = [
  row(
    'openrouter',
    'OpenRouter',
    'https://openrouter.ai/api/v1',
    'chat completions embeddings models responses messages',
    { prices: 'openrouter', environmentKey: { variable: 'OPENROUTER_API_KEY' } },
  ),
  row(
    'vercel-ai-gateway',
    'Vercel AI Gateway',
    'https://ai-gateway.vercel.sh/v1',
    'chat embeddings models responses messages',
    { aliases: 'vercel' },
  ),
  row(
    'cloudflare-ai-gateway',
    'Cloudflare AI Gateway',
    'https://gateway.ai.cloudflare.com/v1/{cf_account_id}/{cf_gateway}/compat',
    'chat embeddings models',
    { headers: { 'cf-aig-authorization': 'Bearer {cf_aig_token}' } },
  ),
  row('helicone', 'Helicone Gateway', 'https://ai-gateway.helicone.ai/v1', 'chat models'),
  row(
    'portkey',
    'Portkey gateway',
    'https://api.portkey.ai/v1',
    'chat completions embeddings models speech transcriptions translations images edits files batches fine_tuning responses messages count_tokens rerank realtime',
    { auth: { header: 'x-portkey-api-key' } },
  ),
  row('latitude', 'Latitude', 'https://gateway.latitude.so/api/v3', 'chat'),
  row('assemblyai-llm', 'AssemblyAI LLM Gateway', 'https://llm-gateway.assemblyai.com/v1', 'chat', {
    auth: { header: 'authorization' },
  }),
  row('302ai', '302.AI', 'https://api.302.ai/v1', 'chat embeddings models images'),
  row('cometapi', 'CometAPI', 'https://api.cometapi.com/v1', 'chat embeddings models images messages'),
  row('matterai', 'Matter AI', 'https://api.matterai.so/v1', 'chat'),
  row('aibadgr', 'AI Badgr', 'https://aibadgr.com/api/v1', 'chat'),
  row(
    'aihubmix',
    'AIHubMix',
    'https://aihubmix.com/v1',
    'chat embeddings models images responses messages rerank',
  ),
  row('nano-gpt', 'NanoGPT', 'https://nano-gpt.com/api/v1', 'chat completions embeddings models', {
    aliases: 'nanogpt',
  }),
  row('poe', 'Poe', 'https://api.poe.com/v1', 'chat models responses', { drop: 'tools response_format' }),
  row('apertis', 'Apertis', 'https://api.stima.tech/v1', 'chat models'),
  row('llamagate', 'LlamaGate', 'https://api.llamagate.dev/v1', 'chat models'),
  row('deepbricks', 'DeepBricks', 'https://api.deepbricks.ai/v1', 'chat images models', {
    headers: { 'deepbricks-organization': '{openai_organization}', 'deepbricks-project': '{openai_project}' },
  }),
];
