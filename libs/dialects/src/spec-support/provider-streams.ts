import type { JsonObject } from '../call';

const functionCall = (id: string, args: string): JsonObject => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});

const mistralChunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'm1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'mistral-large-latest',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(finish === null ? {} : { usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }),
});

const ollamaLine = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: 'llama3.2',
  created_at: '2026-11-23T10:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
});

const cohereContent = (index: number, type: 'text' | 'thinking', text: string): JsonObject[] => [
  { type: 'content-start', index, delta: { message: { content: { type, [type]: '' } } } },
  { type: 'content-delta', index, delta: { message: { content: { [type]: text } } } },
  { type: 'content-end', index },
];

/**
 * Equivalent streams of providers with the same content: the thought `hm`, the text `I look.`, and
 * the call `f({"a":1})`.
 */
export const PROVIDER_STREAMS: Readonly<Record<string, readonly JsonObject[]>> = {
  'cohere-v2': [
    { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
    ...cohereContent(0, 'thinking', 'hm'),
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I ' } } },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'look.' } } },
    { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: functionCall('f_1', '') } } },
    {
      type: 'tool-call-delta',
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: '{"a"' } } } },
    },
    {
      type: 'tool-call-delta',
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: ':1}' } } } },
    },
    { type: 'tool-call-end', index: 0 },
    {
      type: 'message-end',
      delta: {
        finish_reason: 'TOOL_CALL',
        usage: {
          billed_units: { input_tokens: 1, output_tokens: 1 },
          tokens: { input_tokens: 9, output_tokens: 4 },
        },
      },
    },
  ],
  mistral: [
    mistralChunk({
      role: 'assistant',
      content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }],
    }),
    mistralChunk({ content: [{ type: 'text', text: 'I ' }] }),
    mistralChunk({ content: 'look.' }),
    mistralChunk({ tool_calls: [{ index: 0, ...functionCall('abcdefghi', '{"a":1}') }] }),
    mistralChunk({ content: '' }, 'tool_calls'),
  ],
  ollama: [
    ollamaLine({ thinking: 'hm' }),
    ollamaLine({ content: 'I ' }),
    ollamaLine({ content: 'look.' }),
    ollamaLine({ tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }),
    ollamaLine({}, { done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 4 }),
  ],
};

/** The content of `PROVIDER_STREAMS` as unstreamed responses. */
export const PROVIDER_RESPONSES: Readonly<Record<string, JsonObject>> = {
  'cohere-v2': {
    id: 'c1',
    finish_reason: 'TOOL_CALL',
    message: {
      role: 'assistant',
      content: [{ type: 'thinking', thinking: 'hm' }],
      tool_plan: 'I look.',
      tool_calls: [functionCall('f_1', '{"a":1}')],
      citations: [{ start: 0, end: 1, text: 'I', type: 'PLAN', sources: [{ type: 'tool', id: 't' }] }],
    },
    logprobs: [{ text: 'I', token_ids: [1], logprobs: [-0.5] }],
    usage: { tokens: { input_tokens: 9, output_tokens: 4 } },
  },
  mistral: {
    id: 'm1',
    object: 'chat.completion',
    created: 1,
    model: 'mistral-large-latest',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], signature: 's1' },
            { type: 'text', text: 'I look.' },
            { type: 'reference', reference_ids: [1] },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            { type: 'tool_file', tool: 't', file_id: 'f1' },
          ],
          tool_calls: [functionCall('abcdefghi', '{"a":1}')],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
  },
  ollama: ollamaLine(
    {
      thinking: 'hm',
      content: 'I look.',
      tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }],
    },
    {
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 9,
      eval_count: 4,
      logprobs: [{ token: 'I', logprob: -0.5, top_logprobs: [{ token: 'We', logprob: -1 }] }],
    },
  ),
};
