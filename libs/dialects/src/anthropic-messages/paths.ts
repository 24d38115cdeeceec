import type { CallPaths } from '../call';

export const DIALECT = 'anthropic-messages';

/** Names of the members in this dialect, for errors and losses. */
export const PATHS: CallPaths = {
  model: 'model',
  system: 'system',
  turns: 'messages',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelTools: 'tool_choice.disable_parallel_tool_use',
  output: 'output_config.format',
  reasoning: 'thinking',
  maxTokens: 'max_tokens',
  stop: 'stop_sequences',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  cache: 'cache_control',
  serviceTier: 'service_tier',
  user: 'metadata.user_id',
  parts: {
    image: 'source',
    document: 'source',
    arguments: 'input',
    callId: 'tool_use_id',
    name: 'name',
    error: 'is_error',
    cache: 'cache_control',
    title: 'title',
    citations: 'citations',
  },
};

/** Returns the members that are written unchanged: `x` of an object for this dialect. */
export const own = (
  object: { readonly x?: Readonly<Partial<Record<string, Record<string, unknown>>>> } | undefined,
): Record<string, unknown> | undefined => object?.x?.[DIALECT];

/** Returns `{ x }` for members without a place in the neutral form; `{}` when there are none. */
export const extensions = (
  rest: Record<string, unknown> | undefined,
): { x?: { readonly 'anthropic-messages': Record<string, unknown> } } =>
  rest === undefined ? {} : { x: { 'anthropic-messages': rest } };
