import type { TranslationContext } from '../provider';
import { chatTranslator } from '../spec-support/chat-over-anthropic';

const context: TranslationContext = {
  requestId: 'req-1',
  createdAt: 1_700_000_000,
  request: { model: 'claude', messages: [{ role: 'user', content: 'Hello' }] },
  provider: 'anthropic',
  strict: false,
};
const response = (content: object[], more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 3 },
  ...more,
});

describe('translation of Anthropic responses to chat completions', () => {
  it('returns the OpenAI format, with cached tokens in the usage', () => {
    expect(
      chatTranslator.response(
        response([
          { type: 'text', text: 'Hi' },
          { type: 'text', text: ' there' },
        ]),
        context,
      ),
    ).toEqual({
      id: 'msg_1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'claude-x',
      provider: 'anthropic',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi there', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 17,
        completion_tokens: 3,
        total_tokens: 20,
        prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  it('returns tool calls with their arguments as text, and thinking that can be sent back', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const content = [thinking, { type: 'tool_use', id: 't1', name: 'f', input: { x: 1 } }];
    expect(
      chatTranslator.response(response(content, { stop_reason: 'tool_use' }), context)['choices'],
    ).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          reasoning_content: 'hm',
          thinking_blocks: [thinking],
          tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ]);
  });

  it('returns only members of the OpenAI API in strict mode', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'server_tool_use', id: 's' },
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 't1', name: 'f', input: { x: 1 } },
    ];
    const strict = chatTranslator.response(response(content), { ...context, strict: true });
    const message = (strict['choices'] as { message: object }[])[0]?.message;
    expect(Object.keys(strict)).not.toContain('provider');
    expect(message).toEqual({
      role: 'assistant',
      content: 'a',
      refusal: null,
      tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
    });
  });

  it('keeps blocks that have no equivalent in chat', () => {
    const block = { type: 'server_tool_use', id: 's' };
    expect(chatTranslator.response(response([block]), context)).toMatchObject({
      choices: [{ message: { content_blocks: [block] } }],
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'stop'],
    ['toString', 'stop'],
    [null, 'stop'],
  ])('maps stop reason %p to %p', (reason, expected) => {
    expect(chatTranslator.response(response([], { stop_reason: reason }), context)).toMatchObject({
      choices: [{ finish_reason: expected }],
    });
  });

  it.each([{}, { content: 'text' }, { type: 'error', error: {} }])(
    'throws for %p, which is not a message',
    (body) => {
      expect(() => chatTranslator.response(body, context)).toThrow('could not be read');
    },
  );

  it('omits usage that the provider did not report, so that it is not read as zero', () => {
    expect(chatTranslator.response(response([], { usage: undefined }), context)).not.toHaveProperty('usage');
  });
});
