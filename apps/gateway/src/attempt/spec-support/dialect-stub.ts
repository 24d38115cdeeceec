import { awsFrame, type StubResponse } from '@gw/testing';

/**
 * The calls and responses of a provider of one dialect: a greeting, its error, and the usage of the
 * greeting.
 */
export interface DialectStub {
  /** Path of a call below the base URL. */
  readonly path: string;
  /** Path of a streamed call, if it differs. */
  readonly streamPath?: string;
  readonly plain: object;
  readonly stream: StubResponse;
  /** A stream that begins with an error. */
  readonly broken: StubResponse;
  readonly error: { readonly status: number; readonly body: object; readonly message: string };
  /** As the ledger counts it. */
  readonly usage: Readonly<Record<string, number>>;
}

const SSE = { 'content-type': 'text/event-stream' };
const events = (...bodies: readonly object[]): StubResponse => ({
  headers: SSE,
  steps: bodies.map((body) => ({ chunk: `data: ${JSON.stringify(body)}\n\n` })),
});
const named = (
  ...bodies: readonly { readonly type: string; readonly [member: string]: unknown }[]
): StubResponse => ({
  headers: SSE,
  steps: bodies.map((body) => ({ chunk: `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n` })),
});
const marked = ({ headers = {}, steps = [] }: StubResponse): StubResponse => ({
  headers,
  steps: [...steps, { chunk: 'data: [DONE]\n\n' }],
});

const CHAT_USAGE = {
  prompt_tokens: 1_000_003,
  completion_tokens: 50_021,
  total_tokens: 1_050_024,
  prompt_tokens_details: { cached_tokens: 300_007, audio_tokens: 71 },
  completion_tokens_details: { reasoning_tokens: 20_011, audio_tokens: 53 },
};
const CHAT_COUNTS = {
  inputTokens: 1_000_003,
  outputTokens: 50_021,
  cacheReadTokens: 300_007,
  reasoningTokens: 20_011,
  inputAudioTokens: 71,
  outputAudioTokens: 53,
};
const HEAD = { id: 'c1', created: 1, model: 'm' };
const chunk = (delta: object, finish: string | null, more: object = {}): object => ({
  ...HEAD,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

const openAiChat: DialectStub = {
  path: '/chat/completions',
  plain: {
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: CHAT_USAGE,
  },
  stream: marked(
    events(chunk({ role: 'assistant', content: 'Hello' }, null), chunk({}, 'stop'), {
      ...HEAD,
      object: 'chat.completion.chunk',
      choices: [],
      usage: CHAT_USAGE,
    }),
  ),
  broken: events({ error: { message: 'overloaded', type: 'server_error', code: 503 } }),
  error: {
    status: 429,
    body: { error: { message: 'slow down', type: 'requests', code: 'rate' } },
    message: 'slow down',
  },
  usage: CHAT_COUNTS,
};

const MISTRAL_USAGE = {
  prompt_tokens: 1_000_003,
  completion_tokens: 50_021,
  total_tokens: 1_050_024,
  num_cached_tokens: 300_007,
};

const mistral: DialectStub = {
  path: '/chat/completions',
  plain: {
    ...HEAD,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
        finish_reason: 'stop',
      },
    ],
    usage: MISTRAL_USAGE,
  },
  stream: marked(
    events(
      chunk({ role: 'assistant', content: [{ type: 'text', text: 'Hello' }] }, null),
      chunk({ content: '' }, 'stop', { usage: MISTRAL_USAGE }),
    ),
  ),
  broken: events({
    object: 'error',
    message: 'Service unavailable',
    type: 'service_unavailable',
    code: '3505',
  }),
  error: {
    status: 422,
    body: {
      object: 'error',
      detail: [{ loc: ['body', 'messages'], msg: 'Field required', type: 'missing' }],
    },
    message: 'Field required',
  },
  usage: { inputTokens: 1_000_003, outputTokens: 50_021, cacheReadTokens: 300_007 },
};

const COHERE_USAGE = {
  billed_units: { input_tokens: 900_001, output_tokens: 40_001 },
  tokens: { input_tokens: 1_000_003, output_tokens: 50_021 },
  cached_tokens: 300_007,
};

const cohere: DialectStub = {
  path: '/v2/chat',
  plain: {
    id: 'c1',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
    usage: COHERE_USAGE,
  },
  stream: named(
    { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hello' } } } },
    { type: 'content-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: COHERE_USAGE } },
  ),
  broken: named({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'no capacity' } }),
  error: { status: 429, body: { message: 'trial key limit' }, message: 'trial key limit' },
  usage: { inputTokens: 1_000_003, outputTokens: 50_021, cacheReadTokens: 300_007 },
};

const MESSAGES_USAGE = {
  input_tokens: 699_996,
  cache_read_input_tokens: 300_007,
  cache_creation_input_tokens: 11,
  cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 7 },
  output_tokens: 50_021,
  output_tokens_details: { thinking_tokens: 20_011 },
};
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };

const anthropic: DialectStub = {
  path: '/messages',
  plain: {
    ...MESSAGE,
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: MESSAGES_USAGE,
  },
  stream: named(
    {
      type: 'message_start',
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...MESSAGES_USAGE, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 50_021, output_tokens_details: { thinking_tokens: 20_011 } },
    },
    { type: 'message_stop' },
  ),
  broken: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  error: {
    status: 529,
    body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    message: 'Overloaded',
  },
  usage: {
    inputTokens: 1_000_014,
    outputTokens: 50_021,
    cacheReadTokens: 300_007,
    cacheWriteTokens: 11,
    cacheWrite1hTokens: 7,
    reasoningTokens: 20_011,
  },
};

const gemini: DialectStub = {
  path: '/models/m:generateContent',
  streamPath: '/models/m:streamGenerateContent?alt=sse',
  ...geminiBodies(),
};

function geminiBodies(): Omit<DialectStub, 'path'> {
  const usageMetadata = {
    promptTokenCount: 1_000_000,
    toolUsePromptTokenCount: 3,
    candidatesTokenCount: 30_010,
    thoughtsTokenCount: 20_011,
    cachedContentTokenCount: 300_007,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 71 }],
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 53 }],
  };
  const body = (text: string, more: object, usage: object): object => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
    modelVersion: 'm',
    responseId: 'r1',
    usageMetadata: usage,
  });
  const early = { promptTokenCount: 1_000_000, candidatesTokenCount: 1 };
  return {
    plain: body('Hello', { finishReason: 'STOP' }, usageMetadata),
    stream: events(body('Hel', {}, early), body('lo', { finishReason: 'STOP' }, usageMetadata)),
    broken: events({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
    error: {
      status: 429,
      body: { error: { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED' } },
      message: 'Quota exceeded.',
    },
    usage: CHAT_COUNTS,
  };
}

/** Providers' dialects by name. */
const RESPONSES_USAGE = {
  input_tokens: 1_000_003,
  input_tokens_details: { cached_tokens: 300_007 },
  output_tokens: 50_021,
  output_tokens_details: { reasoning_tokens: 20_011 },
  total_tokens: 1_050_024,
};
const outputText = { type: 'output_text', text: 'Hello', annotations: [] };
const responseMessage = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [outputText],
};
const response = (status: string, more: object): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output: [],
  ...more,
});
const COMPLETED = response('completed', { output: [responseMessage], usage: RESPONSES_USAGE });
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };

const openAiResponses: DialectStub = {
  path: '/responses',
  plain: COMPLETED,
  stream: named(
    { type: 'response.created', sequence_number: 0, response: response('in_progress', {}) },
    {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { ...responseMessage, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', sequence_number: 2, ...at, part: { ...outputText, text: '' } },
    { type: 'response.output_text.delta', sequence_number: 3, ...at, delta: 'Hello' },
    { type: 'response.output_text.done', sequence_number: 4, ...at, text: 'Hello' },
    { type: 'response.content_part.done', sequence_number: 5, ...at, part: outputText },
    { type: 'response.output_item.done', sequence_number: 6, output_index: 0, item: responseMessage },
    { type: 'response.completed', sequence_number: 7, response: COMPLETED },
  ),
  broken: named({ type: 'error', code: 'server_error', message: 'overloaded', sequence_number: 0 }),
  error: openAiChat.error,
  usage: {
    inputTokens: 1_000_003,
    outputTokens: 50_021,
    cacheReadTokens: 300_007,
    reasoningTokens: 20_011,
  },
};

const CONVERSE_USAGE = {
  inputTokens: 699_996,
  cacheReadInputTokens: 300_007,
  cacheWriteInputTokens: 11,
  outputTokens: 50_021,
  totalTokens: 1_050_035,
};
const frame = (name: string, payload: object): { readonly chunk: Buffer } => ({
  chunk: awsFrame(
    { ':message-type': 'event', ':event-type': name, ':content-type': 'application/json' },
    Buffer.from(JSON.stringify(payload)),
  ),
});
const exception = (type: string): Buffer =>
  awsFrame({ ':message-type': 'exception', ':exception-type': type }, Buffer.from('{"message":"Too many"}'));
const FRAMES = { 'content-type': 'application/vnd.amazon.eventstream' };

const bedrock: DialectStub = {
  path: '/model/m/converse',
  streamPath: '/model/m/converse-stream',
  plain: {
    output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
    stopReason: 'end_turn',
    usage: CONVERSE_USAGE,
    metrics: { latencyMs: 1 },
  },
  stream: {
    headers: FRAMES,
    steps: [
      frame('messageStart', { role: 'assistant' }),
      frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello' } }),
      frame('contentBlockStop', { contentBlockIndex: 0 }),
      frame('messageStop', { stopReason: 'end_turn' }),
      frame('metadata', { usage: CONVERSE_USAGE, metrics: { latencyMs: 1 } }),
    ],
  },
  broken: { headers: FRAMES, steps: [{ chunk: exception('throttlingException') }] },
  error: { status: 429, body: { message: 'Too many tokens' }, message: 'Too many tokens' },
  usage: {
    inputTokens: 1_000_014,
    outputTokens: 50_021,
    cacheReadTokens: 300_007,
    cacheWriteTokens: 11,
  },
};

const OLLAMA_END = { done: true, done_reason: 'stop', prompt_eval_count: 1_000_003, eval_count: 50_021 };
const line = (content: string, more: object = {}): { readonly chunk: string } => ({
  chunk: `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done: false, ...more })}\n`,
});
const LINES = { 'content-type': 'application/x-ndjson' };

const ollama: DialectStub = {
  path: '/chat',
  plain: { model: 'm', message: { role: 'assistant', content: 'Hello' }, ...OLLAMA_END },
  stream: { headers: LINES, steps: [line('Hello'), line('', OLLAMA_END)] },
  broken: { headers: LINES, steps: [{ chunk: '{"error":"model runner has stopped"}\n' }] },
  error: { status: 404, body: { error: 'model not found' }, message: 'model not found' },
  usage: { inputTokens: 1_000_003, outputTokens: 50_021 },
};

export const DIALECT_STUBS = {
  'openai-responses': openAiResponses,
  'bedrock-converse': bedrock,
  ollama,
  'openai-chat': openAiChat,
  'anthropic-messages': anthropic,
  'cohere-v2': cohere,
  gemini,
  mistral,
} as const satisfies Readonly<Record<string, DialectStub>>;
