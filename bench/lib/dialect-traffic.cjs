'use strict';

/** The same calls and responses in two dialects: a conversation of several turns with a tool, and a response of 640 characters. */

const TEXT =
  'The quick brown fox jumps over the lazy dog while the seven wizards box with five dozen liquor jugs. ';
/** @param {number} length */
const fill = (length) => TEXT.repeat(Math.ceil(length / TEXT.length)).slice(0, length);

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
  required: ['city'],
};
/** @typedef {'chat' | 'messages'} ChatDialect */

const MODELS = { chat: 'gpt-4o-mini', messages: 'claude-sonnet-4-5' };
/** Characters of a turn of the conversation; a body of 100 KB has many turns. */
const TURN = 700;

/** @param {number} bytes */
const turnsFor = (bytes) => Math.max(1, Math.round((bytes - 600) / (2 * TURN + 60)));

/**
 * Returns a request of about `bytes` bytes. `model`: name of the model at the provider.
 * @param {ChatDialect} dialect
 * @param {{ bytes: number, stream: boolean, model: string }} options
 */
function request(dialect, { bytes, stream, model }) {
  const turns = Array.from({ length: turnsFor(bytes) }, () => [
    { role: 'user', content: fill(TURN) },
    { role: 'assistant', content: fill(TURN) },
  ]).flat();
  const messages = [...turns, { role: 'user', content: 'What is the weather in Paris?' }];
  const common = { model, max_tokens: 256, ...(stream ? { stream: true } : {}) };
  const body =
    dialect === 'chat'
      ? {
          ...common,
          messages: [{ role: 'system', content: fill(200) }, ...messages],
          tools: [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA } }],
        }
      : { ...common, system: fill(200), messages, tools: [{ name: 'get_weather', input_schema: SCHEMA }] };
  return Buffer.from(JSON.stringify(body));
}

/**
 * @param {readonly object[]} choices
 * @param {object} more
 */
const chunk = (choices, more = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini', choices, ...more })}\n\n`;
/** @param {{ type: string, [field: string]: unknown }} data */
const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const EVENTS = 50;
const words = Array.from({ length: EVENTS }, (_, at) => ` word${at}`);
const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' };

/** Bodies of the provider's responses, by dialect. */
const PAYLOADS = {
  chat: {
    whole: Buffer.from(
      JSON.stringify({
        id: 'chatcmpl-bench',
        object: 'chat.completion',
        created: 1,
        model: 'gpt-4o-mini',
        choices: [{ index: 0, message: { role: 'assistant', content: fill(640) }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 420, completion_tokens: 150, total_tokens: 570 },
      }),
    ),
    stream: Buffer.from(
      [
        chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
        ...words.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
        chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
        chunk([], { usage: { prompt_tokens: 420, completion_tokens: 150, total_tokens: 570 } }),
        'data: [DONE]\n\n',
      ].join(''),
    ),
  },
  messages: {
    whole: Buffer.from(
      JSON.stringify({
        ...message,
        content: [{ type: 'text', text: fill(640) }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 420, output_tokens: 150 },
      }),
    ),
    stream: Buffer.from(
      [
        event({
          type: 'message_start',
          message: {
            ...message,
            content: [],
            stop_reason: null,
            usage: { input_tokens: 420, output_tokens: 1 },
          },
        }),
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        ...words.map((text) =>
          event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
        ),
        event({ type: 'content_block_stop', index: 0 }),
        event({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 150 },
        }),
        event({ type: 'message_stop' }),
      ].join(''),
    ),
  },
};

module.exports = { PAYLOADS, EVENTS, MODELS, fill, request };
