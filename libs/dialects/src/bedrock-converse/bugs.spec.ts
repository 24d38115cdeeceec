import type { JsonObject } from '../call';
import {
  responded,
  delta,
  frame,
  LLAMA,
  message,
  NOVA,
  ofChat,
  ofMessages,
  OPUS,
  refusal,
  response,
  SONNET,
  stop,
  streamedChat,
  toolDelta,
  toolStart,
} from './spec-facts';

const call = (id: string, name = 'f', args = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const USER = { role: 'user', content: 'Hi' };

describe('known bugs of other gateways: streams', () => {
  const text = [delta(0, { text: 'x' }), stop(0)];

  it('a call without arguments gets {} once', () => {
    const { folded } = streamedChat(message([toolStart(0, 'a', 'f'), stop(0)], 'tool_use'));
    expect(folded).toMatchObject({
      choices: [{ message: { tool_calls: [{ id: 'a', function: { arguments: '{}' } }] } }],
    });
  });

  it.each(['cut', 'cut-in-frame'])('a stream that is %s ends with an error, without a finish', (end) => {
    const half = [
      frame('messageStart'),
      toolStart(0, 'a', 'f'),
      toolDelta(0, '{"a"'),
      delta(1, { text: 'y' }),
    ];
    const { end: ended, folded } = streamedChat(half, { end });
    expect(ended).toBe('error');
    expect(folded).not.toHaveProperty('usage');
    expect(folded).toMatchObject({ choices: [{ finish_reason: null }] });
  });

  it('a stream that ends without usage after its stop is complete', () => {
    const frames = message(text).slice(0, -1);
    const { end, folded } = streamedChat(frames, { request: { stream_options: { include_usage: true } } });
    expect(end).toBe('[DONE]');
    expect(folded).not.toHaveProperty('usage');
  });

  it.each([
    ['throttlingException', 'rate_limit_error'],
    ['validationException', 'invalid_request_error'],
    ['modelStreamErrorException', 'server_error'],
    ['serviceUnavailableException', 'server_overloaded'],
  ])('the exception %s in a stream is an error of its class', (exception) => {
    const frames = [frame('messageStart'), ...text, { exception, payload: { message: 'm' } }, ...text];
    const { end, error, types } = streamedChat(frames);
    expect(end).toBe('error');
    expect(error).toMatchObject({ message: 'm' });
    expect(types).toHaveLength(3);
  });

  it('two starts are an error', () => {
    expect(streamedChat([frame('messageStart'), ...message(text)]).end).toBe('error');
  });

  it('reasoning text with its signature, and redacted reasoning, both survive in order', () => {
    const { folded } = streamedChat(
      message([
        delta(0, { reasoningContent: { text: 'hm' } }),
        delta(0, { reasoningContent: { signature: 's1' } }),
        delta(0, { reasoningContent: { signature: 's2' } }),
        stop(0),
        delta(1, { reasoningContent: { redactedContent: 'AAEC' } }),
        stop(1),
        delta(2, { text: 'ok' }),
        stop(2),
      ]),
    );
    expect(folded).toMatchObject({
      choices: [
        {
          message: {
            content: 'ok',
            reasoning_content: 'hm',
            thinking_blocks: [
              { type: 'thinking', signature: 's1s2' },
              { type: 'redacted_thinking', data: 'AAEC' },
            ],
          },
        },
      ],
    });
  });
});

describe('known bugs of other gateways: tools and messages', () => {
  it('an empty list of tools is no toolConfig', () => {
    expect(ofChat({ tools: [] })).not.toHaveProperty('toolConfig');
  });

  it('ids of calls on Mistral are nine letters and digits, the same in call and result', () => {
    const body = ofChat(
      {
        messages: [
          USER,
          { role: 'assistant', tool_calls: [call('tooluse_x-1')] },
          { role: 'tool', tool_call_id: 'tooluse_x-1', content: '1' },
        ],
      },
      'mistral.mistral-large-2407-v1:0',
    );
    const ids = JSON.stringify(body).match(/(?<="toolUseId":")[^"]+/g);
    expect(new Set(ids).size).toBe(1);
    expect(ids?.[0]).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  it('three results are one user turn, in the order of their calls', () => {
    const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: id });
    const calls = { role: 'assistant', content: null, tool_calls: [call('a'), call('b'), call('c')] };
    const { messages } = ofChat({
      messages: [USER, calls, result('c'), result('a'), result('b'), { role: 'user', content: 'and?' }],
    });
    const used = (id: string): JsonObject => ({ toolResult: { toolUseId: id, content: [{ text: id }] } });
    expect((messages as JsonObject[]).slice(2)).toEqual([
      { role: 'user', content: [used('a'), used('b'), used('c'), { text: 'and?' }] },
    ]);
  });

  it("a tool of another provider's is refused, and schemas go as they are", () => {
    const tools = [{ type: 'computer_20250124', name: 'computer' }];
    expect(refusal(() => ofMessages({ messages: [USER], tools }))).toEqual([
      'unsupported_by_provider',
      'tools.0',
    ]);
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { minimum: 1 } } };
    const body = ofMessages({ messages: [USER], tools: [{ name: 'f', input_schema: schema }] });
    expect(body['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: schema } } }],
    });
  });

  it('a name that Bedrock does not take is a 400 with its path', () => {
    const messages = [
      USER,
      { role: 'assistant', tool_calls: [call('a', 'my tool')] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ];
    expect(refusal(() => ofChat({ messages }))).toEqual([
      'unsupported_by_provider',
      'messages.1.tool_calls.0.function.name',
    ]);
  });

  it('empty text and empty turns are left out', () => {
    const messages = [
      USER,
      { role: 'assistant', content: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'b' },
        ],
      },
    ];
    expect(ofChat({ messages })['messages']).toEqual([
      { role: 'user', content: [{ text: 'Hi' }, { text: 'b' }] },
    ]);
    expect(
      refusal(() =>
        ofChat({ messages: [USER, { role: 'assistant', content: 'x' }, { role: 'user', content: '' }] }),
      ),
    ).toEqual(['validation_failed', 'messages.2']);
  });

  it('a system message among Messages is system text with its cache mark', () => {
    const marked = {
      role: 'system',
      content: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
    };
    const body = ofMessages({ messages: [USER, marked, { role: 'assistant', content: 'x' }, USER] });
    expect(body['system']).toEqual([{ text: 'S' }, { cachePoint: { type: 'default' } }]);
    expect(
      ofMessages({ messages: [USER, marked, { role: 'assistant', content: 'x' }, USER] }, OPUS)['messages'],
    ).toMatchObject([
      { role: 'user' },
      { role: 'system', content: [{ text: 'S' }, { cachePoint: {} }] },
      { role: 'assistant' },
      { role: 'user' },
    ]);
  });

  it('the extension is no part of the name of a document, and names are unique', () => {
    const file = (filename: string): JsonObject => ({
      type: 'file',
      file: { filename, file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
    });
    const content = [
      file('Q3  Report_(final).pdf'),
      file('a.pdf'),
      file('a.txt'),
      { type: 'text', text: 'x' },
    ];
    const { messages } = ofChat({ messages: [{ role: 'user', content }] });
    const names = ((messages as JsonObject[])[0]?.['content'] as { document?: JsonObject }[]).map(
      ({ document }) => document?.['name'],
    );
    expect(names).toEqual(['Q3 Report-(final)', 'a', 'a-2', undefined]);
  });

  it('a result with an image and a cache mark keeps both', () => {
    const messages = [
      USER,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't',
            cache_control: { type: 'ephemeral', ttl: '1h' },
            content: [
              { type: 'text', text: '1', cache_control: { type: 'ephemeral' } },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
        ],
      },
    ];
    expect((ofMessages({ messages })['messages'] as JsonObject[])[2]).toEqual({
      role: 'user',
      content: [
        {
          toolResult: {
            toolUseId: 't',
            content: [{ text: '1' }, { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }],
          },
        },
        { cachePoint: { type: 'default', ttl: '1h' } },
      ],
    });
  });
});

describe('known bugs of other gateways: cache marks', () => {
  it('a mark inside of a result is after the result', () => {
    const messages = [
      USER,
      { role: 'assistant', tool_calls: [call('a')] },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [{ type: 'text', text: '1', cache_control: { type: 'ephemeral' } }],
      },
    ];
    expect((ofChat({ messages })['messages'] as JsonObject[])[2]?.['content']).toEqual([
      { toolResult: { toolUseId: 'a', content: [{ text: '1' }] } },
      { cachePoint: { type: 'default' } },
    ]);
  });
});

describe('known bugs of other gateways: responses', () => {
  it.each([
    ['no output', {}],
    ['no message', { output: {} }],
    ['no content', { output: { message: { role: 'assistant' } } }],
    ['a call without a name', response([{ toolUse: { toolUseId: 'a' } }])],
    ['nothing of the model', response([], 'malformed_model_output')],
  ])('a response with %s is a 502', (_what, body) => {
    expect(refusal(() => responded(body))[0]).toBe('provider_answer_invalid');
  });

  it('reasoning without a signature, or of another maker, is left out of the request', () => {
    const thought = { role: 'assistant', content: 'x', reasoning_content: 'hm' };
    const { messages } = ofChat({ messages: [USER, thought, USER] });
    expect((messages as JsonObject[])[1]).toEqual({ role: 'assistant', content: [{ text: 'x' }] });
    const signed = {
      role: 'assistant',
      content: 'x',
      thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }],
    };
    for (const model of [NOVA, LLAMA])
      expect((ofChat({ messages: [USER, signed, USER] }, model)['messages'] as JsonObject[])[1]).toEqual({
        role: 'assistant',
        content: [{ text: 'x' }],
      });
    expect((ofChat({ messages: [USER, signed, USER] }, SONNET)['messages'] as JsonObject[])[1]).toEqual({
      role: 'assistant',
      content: [{ reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } }, { text: 'x' }],
    });
  });

  it('reasoning of a model that does not sign is shown, without a seal', () => {
    const { folded } = streamedChat(
      message([delta(0, { reasoningContent: { text: 'hm' } }), stop(0), delta(1, { text: 'ok' }), stop(1)]),
      { model: 'deepseek.r1-v1:0' },
    );
    expect(folded).toMatchObject({ choices: [{ message: { reasoning_content: 'hm', content: 'ok' } }] });
    expect(JSON.stringify(folded)).not.toContain('thinking_blocks');
  });
});
