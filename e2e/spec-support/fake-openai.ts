import type { RecordedRequest, StubResponse } from '@gw/testing';

const MODEL = 'gpt-4o-2024-08-06';
const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 };

/** Cost of 9 input tokens at 2.50 USD and 12 output tokens at 10 USD per million, in 1e-8 USD. */
export const OPENAI_CHAT_COST = 9 * 250 + 12 * 1_000;

export const OPENAI_CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
  usage: USAGE,
};

const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** Returns one event of a chat stream. */
export const openAiEvent = (content: string): string => event(chunk({ content }));

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

const CHAT_STREAM: StubResponse = {
  headers: { 'content-type': 'text/event-stream' },
  steps: [
    { chunk: event(chunk({ role: 'assistant', content: '' })) },
    { chunk: openAiEvent('Hel') },
    { chunk: openAiEvent('lo!') },
    { chunk: event(chunk({}, 'stop')) },
    { chunk: event({ ...chunk({}), choices: [], usage: USAGE }) },
    { chunk: 'data: [DONE]\n\n' },
  ],
};

const RESPONSES: Readonly<Record<string, object>> = {
  '/v1/embeddings': {
    object: 'list',
    model: 'text-embedding-3-small',
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
    usage: { prompt_tokens: 8, total_tokens: 8 },
  },
  '/v1/models': {
    object: 'list',
    data: [{ id: 'gpt-4o', object: 'model', created: 1, owned_by: 'system' }],
  },
  '/v1/moderations': {
    id: 'modr-1',
    model: 'omni-moderation-latest',
    results: [{ flagged: false, categories: { hate: false }, category_scores: { hate: 0.01 } }],
  },
  '/v1/completions': {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model: 'gpt-3.5-turbo-instruct',
    choices: [{ text: 'Hello!', index: 0, logprobs: null, finish_reason: 'stop' }],
    usage: USAGE,
  },
};

const isStream = ({ body }: RecordedRequest): boolean =>
  (JSON.parse(body.toString()) as { stream?: boolean }).stream === true;

/** Responds like OpenAI, whatever the model is called. */
export function fakeOpenAi(request: RecordedRequest): StubResponse {
  if (request.url === '/v1/chat/completions') {
    return isStream(request) ? CHAT_STREAM : { body: OPENAI_CHAT };
  }
  const body = RESPONSES[request.url];
  return body ? { body } : { status: 404, body: { error: { message: 'Invalid URL' } } };
}

export const OPENAI_QUOTA_ERROR: StubResponse = {
  status: 429,
  headers: { 'x-of-provider': 'openai' },
  body: {
    error: {
      message: 'You exceeded your current quota.',
      type: 'insufficient_quota',
      param: null,
      code: 'insufficient_quota',
    },
  },
};
