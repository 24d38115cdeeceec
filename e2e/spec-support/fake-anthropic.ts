import type { RecordedRequest, StubResponse } from '@gw/testing';

export const CLAUDE = 'claude-opus-4-8';

/** Cost of 20 input tokens at 5 USD and 15 output tokens at 25 USD per million, in 1e-8 USD. */
export const ANTHROPIC_COST = 20 * 500 + 15 * 2_500;

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: CLAUDE,
  stop_sequence: null,
};
const TOOL = { type: 'tool_use', id: 'toolu_1', name: 'get_weather' };

/** A response with a text and a call of the tool `get_weather` for Paris. */
export const ANTHROPIC_MESSAGE = {
  ...MESSAGE,
  content: [
    { type: 'text', text: 'Looking.' },
    { ...TOOL, input: { city: 'Paris' } },
  ],
  stop_reason: 'tool_use',
  usage: { input_tokens: 20, output_tokens: 15 },
};

const EVENTS = [
  {
    type: 'message_start',
    message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: 20, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Look' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ing.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { ...TOOL, input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"city":' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"Paris"}' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 15 },
  },
  { type: 'message_stop' },
];

const STREAM: StubResponse = {
  headers: { 'content-type': 'text/event-stream' },
  steps: EVENTS.map((event) => ({ chunk: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` })),
};

/** Responds to `/v1/messages` like Anthropic. */
export function fakeAnthropic({ url, body }: RecordedRequest): StubResponse {
  if (url !== '/v1/messages') return { status: 404, body: ANTHROPIC_NOT_FOUND };
  const { stream } = JSON.parse(body.toString()) as { stream?: boolean };
  return stream === true ? STREAM : { body: ANTHROPIC_MESSAGE };
}

const ANTHROPIC_NOT_FOUND = { type: 'error', error: { type: 'not_found_error', message: 'Not found' } };

export const ANTHROPIC_OVERLOADED: StubResponse = {
  status: 529,
  body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
};
