import type { JsonObject } from '../call';
import { decoded, encoded, refusal, streamed, streamedText } from '../spec-support/provider-side';
import { fold } from '../stream/fold';
import { ollamaProvider } from '.';

const user = (content: unknown): JsonObject => ({ role: 'user', content });
const call = (id: string, name: string, args: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { name, ...more },
});
const sent = (body: JsonObject): JsonObject => encoded(ollamaProvider, body).body;
const refused = (body: JsonObject): readonly [string, string | undefined] =>
  refusal(() => encoded(ollamaProvider, body));

describe('ollama: requests', () => {
  it('writes calls with objects as arguments, and results with the name of the tool', () => {
    const { messages } = sent({
      messages: [
        { role: 'system', content: 'S' },
        user('w'),
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [call('1', 'f', ''), call('2', 'g', '{"a":1}')],
        },
        { role: 'tool', tool_call_id: '1', content: 'one' },
        { role: 'tool', tool_call_id: '2', content: 'two' },
        { role: 'system', content: 'later' },
        user('and?'),
      ],
    });
    expect(messages).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'w' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { function: { name: 'f', arguments: {} } },
          { function: { name: 'g', arguments: { a: 1 } } },
        ],
      },
      { role: 'tool', tool_name: 'f', content: 'one' },
      { role: 'tool', tool_name: 'g', content: 'two' },
      { role: 'system', content: 'later' },
      { role: 'user', content: 'and?' },
    ]);
  });

  it.each(['[1]', 'no JSON', '"x"'])('refuses %s as arguments of the history', (args) => {
    const messages = [user('w'), { role: 'assistant', content: null, tool_calls: [call('1', 'f', args)] }];
    expect(refused({ messages })).toEqual([
      'validation_failed',
      'messages.1.tool_calls.0.function.arguments',
    ]);
  });

  it('joins texts without a separator, and moves images of a result to the next user message', () => {
    const { body, losses } = encoded(
      ollamaProvider,
      {
        max_tokens: 5,
        messages: [
          user([
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ]),
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: { x: 1 } }] },
          user([
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: [
                { type: 'text', text: 'shot' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
              ],
            },
            { type: 'text', text: 'Look.' },
          ]),
        ],
      },
      { from: 'anthropic-messages' },
    );
    expect(body['messages']).toMatchObject([
      { role: 'user', content: 'ab' },
      { role: 'assistant' },
      { role: 'tool', tool_name: 'f', content: 'shot' },
      { role: 'user', content: '[tool result t1]Look.', images: ['iVBORw0KGgo='] },
    ]);
    expect(losses).toEqual([
      { path: 'messages.2.content.0.content.1', code: 'moved', to: 'the next user message' },
    ]);
  });

  it('leaves out reasoning, unless the model needs it back', () => {
    const messages = [user('x'), { role: 'assistant', content: 'y', reasoning_content: 'hm' }, user('z')];
    expect(sent({ messages })['messages']).toEqual([
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'y' },
      { role: 'user', content: 'z' },
    ]);
    const { body } = encoded(ollamaProvider, { messages }, { traits: { replay: 'required' } });
    expect((body['messages'] as JsonObject[])[1]).toEqual({
      role: 'assistant',
      content: 'y',
      thinking: 'hm',
    });
  });

  it('continues a last assistant message', () => {
    const { messages } = sent({ messages: [user('x'), { role: 'assistant', content: 'Once' }] });
    expect(messages).toEqual([
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'Once' },
    ]);
  });

  it('sends zeros, and stream false', () => {
    expect(sent({ temperature: 0, top_p: 0, max_tokens: 0, seed: 0, presence_penalty: 0 })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: false,
      options: { temperature: 0, top_p: 0, num_predict: 0, seed: 0, presence_penalty: 0 },
    });
    expect(sent({ stream: true, stream_options: { include_usage: true } })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    });
  });

  it('sends tools and log probabilities, and no tools for the choice none', () => {
    const tools = [tool('f', { description: 'd', strict: true })];
    const { body, losses } = encoded(ollamaProvider, { tools, logprobs: true, top_logprobs: 2 });
    expect(body).toMatchObject({
      tools: [tool('f', { description: 'd', parameters: { type: 'object', properties: {} } })],
      logprobs: true,
      top_logprobs: 2,
    });
    expect(losses).toEqual([{ path: 'tools.0.function.strict', code: 'dropped' }]);
    expect(sent({ tools, tool_choice: 'none' })['tools']).toBeUndefined();
    expect(sent({ tools, tool_choice: 'auto' })['tools']).toHaveLength(1);
  });

  it.each<[string, unknown, boolean]>([
    ['none', false, true],
    ['minimal', 'low', false],
    ['low', 'low', true],
    ['medium', 'medium', true],
    ['xhigh', 'high', false],
    ['max', 'high', false],
  ])('converts the effort %s to think: %s', (effort, think, isExact) => {
    const { body, losses } = encoded(ollamaProvider, { reasoning_effort: effort });
    expect(body['think']).toBe(think);
    expect(losses.map(({ code }) => code)).toEqual(isExact ? [] : ['approximated']);
  });

  it.each<[string, JsonObject]>([
    ['n', { n: 2 }],
    ['logit_bias', { logit_bias: { 1: 1 } }],
    ['verbosity', { verbosity: 'high' }],
    ['parallel_tool_calls', { tools: [tool('f')], parallel_tool_calls: false }],
    ['tool_choice', { tools: [tool('f')], tool_choice: { type: 'function', function: { name: 'f' } } }],
    ['tools.0', { tools: [{ type: 'custom', custom: { name: 'c' } }] }],
    [
      'messages.0.content.0.image_url.url',
      { messages: [user([{ type: 'image_url', image_url: { url: 'https://e.com/a.png' } }])] },
    ],
    [
      'messages.0.content.0.file.file_data',
      { messages: [user([{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }])] },
    ],
  ])('refuses %s', (path, body) => {
    expect(refused(body)).toEqual(['unsupported_by_provider', path]);
  });
});

const TIME = '2026-11-23T10:00:00.123456789Z';
const line = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: 'llama3.2',
  created_at: TIME,
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
});
const last = (reason: string, more: JsonObject = {}): JsonObject =>
  line({}, { done: true, done_reason: reason, ...more });

describe('ollama: responses and streams', () => {
  const calls = [
    { function: { name: 'f', arguments: { a: 1 } } },
    { id: 'own', function: { name: 'g', arguments: {} } },
  ];

  it('reads the same from a stream and a response, with the same ids', () => {
    const whole = line(
      { content: 'Hi', thinking: 'hm', tool_calls: calls },
      { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 },
    );
    const response = decoded(ollamaProvider, whole);
    const events = streamed(ollamaProvider, [
      line({ thinking: 'h' }),
      line({ thinking: 'm' }),
      line({ content: 'H' }),
      line({ content: 'i' }),
      line({ tool_calls: calls }),
      last('stop', { prompt_eval_count: 3, eval_count: 2 }),
    ]);
    expect(fold(events)).toEqual(response);
    expect(response).toMatchObject({ id: 'req_1', model: 'llama3.2', created: 1_795_428_000 });
    expect(response.candidates[0]).toMatchObject({
      finish: { reason: 'tool_calls', raw: 'stop' },
      parts: [
        { kind: 'reasoning', text: 'hm' },
        { kind: 'text', text: 'Hi' },
        {
          kind: 'tool_call',
          name: 'f',
          args: '{"a":1}',
          id: expect.stringMatching(/^call_\w{24}$/) as string,
        },
        { kind: 'tool_call', name: 'g', args: '{}', id: 'own' },
      ],
    });
  });

  it('counts a cached prompt as 0, and reports nothing without counts', () => {
    expect(
      decoded(ollamaProvider, last('length', { eval_count: 2, message: { content: 'x' } })),
    ).toMatchObject({ usage: { input: 0, output: 2 }, candidates: [{ finish: { reason: 'length' } }] });
    expect(decoded(ollamaProvider, last('stop', { message: { content: 'x' } })).usage).toBeUndefined();
  });

  it('uses the time of the gateway if the provider sends none', () => {
    const body = last('stop', { created_at: 'soon', message: { content: 'x' } });
    expect(decoded(ollamaProvider, body).created).toBe(1_700_000_000);
  });

  it.each<[string, JsonObject]>([
    ['an error', { error: 'model not found' }],
    ['no message', { done: true }],
    ['an incomplete line', line({ content: 'x' })],
    ['a loaded model without content', last('load')],
  ])('refuses a response that is %s', (_what, body) => {
    expect(refusal(() => decoded(ollamaProvider, body))[0]).toBe('provider_answer_invalid');
  });

  it('fails a stream that ends with an unloaded model and no content', () => {
    expect(streamed(ollamaProvider, [last('unload')]).at(-1)).toMatchObject({
      t: 'error',
      fault: { code: 'provider_answer_invalid' },
    });
  });

  it.each(['cut', 'cut-in-frame'] as const)('a stream that is %s ends with an error', (end) => {
    const events = streamed(ollamaProvider, [line({ content: 'x' }), line({ content: 'y' })], end);
    expect(events.at(-1)).toMatchObject({ t: 'error', fault: { code: 'stream_interrupted' } });
    expect(events.some(({ t }) => t === 'finish')).toBe(false);
  });

  it('accepts a last line without line end, empty lines and CRLF', () => {
    const text = `${JSON.stringify(line({ content: 'x' }))}\r\n\r\n\n${JSON.stringify(last('stop'))}`;
    expect(streamedText(ollamaProvider, text).map(({ t }) => t)).toEqual([
      'start',
      'open',
      'text',
      'close',
      'finish',
      'done',
    ]);
  });

  it.each([
    ['no JSON', 'oops\n'],
    ['a list', '[1]\n'],
    ['arguments that are nested too deeply', deepCall()],
  ])('fails a stream with %s', (_what, text) => {
    expect(streamedText(ollamaProvider, text).at(-1)).toMatchObject({
      t: 'error',
      fault: { code: 'provider_answer_invalid' },
    });
  });

  it('reports an error line and reads nothing after it', () => {
    const events = streamed(ollamaProvider, [
      line({ content: 'x' }),
      { error: 'model runner stopped' },
      last('stop'),
    ]);
    expect(events.at(-1)).toMatchObject({ t: 'error', fault: { message: 'model runner stopped' } });
  });

  it('reads the probabilities of tokens', () => {
    const logprobs = [
      { token: 'Hi', logprob: -0.1, bytes: [72], top_logprobs: [{ token: 'Ho', logprob: -1 }] },
    ];
    const expected = [{ token: 'Hi', logprob: -0.1, bytes: [72], top: [{ token: 'Ho', logprob: -1 }] }];
    const whole = last('stop', { message: { content: 'Hi' }, logprobs });
    expect(decoded(ollamaProvider, whole).candidates[0]?.logprobs).toEqual(expected);
    const events = streamed(ollamaProvider, [line({ content: 'Hi' }, { logprobs }), last('stop')]);
    expect(fold(events).candidates[0]?.logprobs).toEqual(expected);
  });
});

function deepCall(): string {
  const args = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  return `{"message":{"tool_calls":[{"function":{"name":"f","arguments":${args}}}]}}\n`;
}
