import { row, type ProviderRow } from './row';

/** Servers that run on the user’s own machines: each needs a `custom_host`. */
export const SELF_HOSTED: readonly ProviderRow[] = [
  row('ollama', 'Ollama', null, 'chat completions embeddings models responses messages', {
    auth: 'optional',
    ownApi: { dialect: 'ollama', forms: { embeddings: 'ollama' } },
  }),
  row(
    'vllm',
    'vLLM',
    null,
    'chat completions embeddings models transcriptions translations rerank responses messages count_tokens',
    { aliases: 'hosted_vllm', auth: 'optional' },
  ),
  row('sglang', 'SGLang', null, 'chat completions embeddings models rerank messages', { auth: 'optional' }),
  row('tgi', 'Text Generation Inference', null, 'chat completions models', { auth: 'optional' }),
  row('llamafile', 'llama.cpp', null, 'chat completions embeddings models rerank messages responses', {
    aliases: 'llama-cpp',
    auth: 'optional',
  }),
  row('lm-studio', 'LM Studio', null, 'chat completions embeddings models responses messages', {
    aliases: 'lm_studio',
    auth: 'optional',
  }),
  row(
    'xinference',
    'Xinference',
    null,
    'chat completions embeddings models rerank images speech transcriptions',
    { auth: 'optional' },
  ),
  row('infinity', 'Infinity', null, 'embeddings rerank models', { auth: 'optional' }),
  row('modal', 'Modal', null, 'chat models', { auth: 'optional' }),
  row(
    'litellm',
    'LiteLLM',
    null,
    'chat completions embeddings moderations models speech transcriptions images edits files batches fine_tuning rerank responses messages count_tokens realtime',
    { aliases: 'litellm_proxy' },
  ),
  row('datarobot', 'DataRobot', null, 'chat'),
  row('databricks', 'Databricks', null, 'chat embeddings completions responses', {
    drop: 'parallel_tool_calls store service_tier',
  }),
];
