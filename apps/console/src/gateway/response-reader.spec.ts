import { readResponsePart } from './response-reader';

const NOTHING = { text: '', inputTokens: null, outputTokens: null, error: null };

describe('readResponsePart', () => {
  it.each([
    ['chat', { choices: [{ delta: { content: 'Hi' } }] }, { text: 'Hi' }],
    ['chat', { choices: [{ message: { content: [{ type: 'text', text: 'Hi' }] } }] }, { text: 'Hi' }],
    [
      'chat',
      { choices: [{ delta: { tool_calls: [{ function: { name: 'look', arguments: '{"a":' } }] } }] },
      { text: 'look{"a":' },
    ],
    ['chat', { usage: { prompt_tokens: 3, completion_tokens: 4 } }, { inputTokens: 3, outputTokens: 4 }],
    ['responses', { type: 'response.output_text.delta', delta: 'Hi' }, { text: 'Hi' }],
    [
      'responses',
      { type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 4 } } },
      { inputTokens: 3, outputTokens: 4 },
    ],
    ['responses', { output: [{ content: [{ text: 'Hi' }] }] }, { text: 'Hi' }],
    ['messages', { type: 'content_block_delta', delta: { text: 'Hi' } }, { text: 'Hi' }],
    ['messages', { type: 'message_start', message: { usage: { input_tokens: 3 } } }, { inputTokens: 3 }],
    ['messages', { type: 'message', content: [{ type: 'text', text: 'Hi' }] }, { text: 'Hi' }],
    ['chat', { error: { message: 'No.' } }, { error: 'No.' }],
    [
      'responses',
      { type: 'response.failed', response: { status: 'failed', error: { code: 'x', message: 'No.' } } },
      { error: 'No.' },
    ],
    ['responses', { type: 'response.completed', response: { error: null } }, {}],
    ['chat', { error: { code: 1 } }, { error: '{"code":1}' }],
    ['chat', { choices: 'x', usage: { prompt_tokens: -1, completion_tokens: '9' } }, {}],
    ['messages', null, {}],
    ['responses', 'text', {}],
  ] as const)('reads for the API %s the event %j', (api, event, expected) => {
    expect(readResponsePart(api, event)).toEqual({ ...NOTHING, ...expected });
  });
});
