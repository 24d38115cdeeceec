import type { JsonObject } from '../call';
import { GatewayError } from '@gw/kernel';
import {
  ANTHROPIC_CLIENT,
  block,
  chunk,
  lost,
  message,
  sent,
  streamed,
  translated,
} from '../spec-support/anthropic-translations';

const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } };
const USAGE = {
  id: 'x',
  choices: [],
  usage: { prompt_tokens: 60, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 20 } },
};

function refusal(run: () => unknown): { type: string; param: unknown } {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { type: thrown.type, param: thrown.options.param };
    throw thrown;
  }
  throw new Error('The call was not refused.');
}

describe('known bugs of other gateways: streams', () => {
  it('two calls of Claude are the tool calls 0 and 1, whatever the index of their blocks is', () => {
    const { folded } = streamed(
      message(
        ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' }),
        ...block(
          1,
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
          { type: 'input_json_delta', partial_json: '{}' },
        ),
        ...block(
          2,
          { type: 'tool_use', id: 'b', name: 'g', input: {} },
          { type: 'input_json_delta', partial_json: '{}' },
        ),
      ),
    );
    expect(folded).toMatchObject({
      choices: [
        {
          message: {
            tool_calls: [
              { index: 0, id: 'a' },
              { index: 1, id: 'b' },
            ],
          },
        },
      ],
    });
  });

  it('two chat calls are two blocks, without an empty text in front', () => {
    const call = (index: number, id: string): JsonObject => ({
      index,
      id,
      function: { name: 'f', arguments: '{}' },
    });
    const { events, folded } = streamed(
      [
        chunk({ role: 'assistant', content: '' }),
        chunk({ tool_calls: [call(0, 'a'), call(1, 'b')] }),
        chunk({}, 'tool_calls'),
      ],
      ANTHROPIC_CLIENT,
    );
    expect(folded).toMatchObject({
      content: [
        { type: 'tool_use', id: 'a' },
        { type: 'tool_use', id: 'b' },
      ],
    });
    expect(events.filter(({ type }) => type === 'content_block_start')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'content_block_stop')).toHaveLength(2);
  });

  it('text and calls of chat end with tool_use', () => {
    const frames = [
      chunk({ content: 'x' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }),
      chunk({}, 'stop'),
    ];
    expect(streamed(frames, ANTHROPIC_CLIENT).folded).toMatchObject({ stop_reason: 'tool_use' });
  });

  it('the empty input at the start of a call does not begin its arguments', () => {
    const { folded } = streamed(
      message(
        ...block(
          0,
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
          { type: 'input_json_delta', partial_json: '{"a":1}' },
        ),
      ),
    );
    expect(folded).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { arguments: '{"a":1}' } }] } }],
    });
  });

  it('a call without arguments has an empty object exactly once', () => {
    const { folded } = streamed(message(...block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} })));
    expect(folded).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { arguments: '{}' } }] } }],
    });
  });

  it('arguments that come before the name are not lost', () => {
    const frames = [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{"a"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: ':1}' } }] }),
      chunk({}, 'tool_calls'),
    ];
    expect(streamed(frames, ANTHROPIC_CLIENT).folded).toMatchObject({
      content: [{ name: 'f', input: { a: 1 } }],
    });
  });

  it('a call without a type and an empty role are accepted', () => {
    const call = { index: 0, id: 'a', type: null, function: { name: 'f', arguments: '{"a":1}' } };
    const frames = [chunk({ role: '', tool_calls: [call] }), chunk({ role: '' }, 'tool_calls')];
    expect(streamed(frames, ANTHROPIC_CLIENT).folded).toMatchObject({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } }],
    });
  });

  it('the first chunk of a Claude stream has the role', () => {
    const { events } = streamed(
      message(...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' })),
    );
    expect(events[0]).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] });
  });

  it.each(['cut', 'cut-in-frame'])('a stream that ends with a %s never looks complete', (end) => {
    const frames = message(...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' }));
    for (let length = 1; length < frames.length; length += 1) {
      expect(streamed(frames.slice(0, length), { end }).end).toBe('error');
    }
    expect(streamed(frames.slice(0, -1)).end).toBe('error');
  });

  it('half a tool call of a cut stream is not closed', () => {
    const frames = [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a' } }] }),
    ];
    const { types, end } = streamed(frames, { ...ANTHROPIC_CLIENT, end: 'cut' });
    expect([types.at(-1), end]).toEqual(['error', 'error']);
    expect(types).not.toContain('content_block_stop');
  });

  it('the start of a message has a usage', () => {
    const { events } = streamed([chunk({ content: 'x' }), chunk({}, 'stop')], ANTHROPIC_CLIENT);
    expect(events[0]).toMatchObject({
      type: 'message_start',
      message: { usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 } },
    });
  });

  it('counts that come late are in message_delta', () => {
    const { events } = streamed([chunk({ content: 'x' }), chunk({}, 'stop'), USAGE], ANTHROPIC_CLIENT);
    expect(events.find(({ type }) => type === 'message_delta')).toMatchObject({
      usage: { input_tokens: 40, cache_read_input_tokens: 20, output_tokens: 5 },
    });
  });

  it('a second message_start is an error', () => {
    const frames = message();
    expect(streamed([frames[0] ?? {}, ...frames]).end).toBe('error');
  });
});

describe('known bugs of other gateways: usage', () => {
  it('counts of both events are neither added nor overwritten', () => {
    const counts = { input_tokens: 10, cache_read_input_tokens: 20, cache_creation_input_tokens: 30 };
    const frames = message();
    const changed = frames.map((frame) => {
      if (frame['type'] === 'message_start')
        return { ...frame, message: { id: 'm', usage: { ...counts, output_tokens: 1 } } };
      if (frame['type'] !== 'message_delta') return frame;
      return { ...frame, usage: { ...counts, cache_read_input_tokens: null, output_tokens: 9 } };
    });
    const { folded } = streamed(changed, { request: { stream_options: { include_usage: true } } });
    expect(folded['usage']).toMatchObject({ prompt_tokens: 60, completion_tokens: 9, total_tokens: 69 });
  });

  it("the client's input excludes cached tokens, and ours includes them", () => {
    const call = translated({ max_tokens: 9, stream: true }, ANTHROPIC_CLIENT);
    const stream = call.stream();
    const frames = [chunk({ content: 'x' }), chunk({}, 'stop'), USAGE];
    const text = stream.write(
      Buffer.from(`${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`),
    );
    expect(text).toContain('"input_tokens":40');
    expect(stream.usage).toMatchObject({ input: 60, cacheRead: 20, output: 5 });
  });
});

describe('known bugs of other gateways: reasoning', () => {
  it('reasoning of another maker is left out, and an assistant turn left empty with it', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, reasoning_content: 'hm' },
      { role: 'user', content: 'b' },
    ];
    expect(sent({ messages })['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  it('parts of a signature are joined in order, before the call', () => {
    const { folded } = streamed(
      message(
        ...block(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'hm' },
          { type: 'signature_delta', signature: 'ab' },
          { type: 'signature_delta', signature: 'cd' },
        ),
        ...block(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      ),
    );
    expect(folded).toMatchObject({ choices: [{ message: { thinking_blocks: [{ signature: 'abcd' }] } }] });
  });
});

describe('known bugs of other gateways: tools and messages', () => {
  const choice = (value: unknown): unknown => sent({ tools: [TOOL], tool_choice: value })['tool_choice'];

  it('the choices none and of a named tool reach Claude', () => {
    expect(choice('none')).toEqual({ type: 'none' });
    expect(choice({ type: 'function', function: { name: 'f' } })).toEqual({ type: 'tool', name: 'f' });
  });

  it('an empty list of tools is left out', () => {
    expect(sent({ tools: [], tool_choice: 'auto' })).not.toHaveProperty('tools');
    expect(sent({ tools: [], tool_choice: 'auto' })).not.toHaveProperty('tool_choice');
  });

  it('results in a row are one user turn, in the order of the calls', () => {
    const call = (id: string): JsonObject => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '' },
    });
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: '', tool_calls: [call('a'), call('b'), call('c')] },
      { role: 'tool', tool_call_id: 'c', content: '3' },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'user', content: 'go on' },
    ];
    expect((sent({ messages })['messages'] as JsonObject[])[2]).toMatchObject({
      role: 'user',
      content: [
        { tool_use_id: 'a' },
        { tool_use_id: 'b' },
        { tool_use_id: 'c' },
        { type: 'text', text: 'go on' },
      ],
    });
  });

  it('a tool that Anthropic runs is refused for another provider', () => {
    const body = { max_tokens: 9, tools: [{ type: 'computer_20250124', name: 'computer' }] };
    expect(refusal(() => translated(body, ANTHROPIC_CLIENT))).toEqual({
      type: 'unsupported_by_provider',
      param: 'tools.0',
    });
  });

  it('input schemas go as they are', () => {
    const parameters = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, title: 't' };
    const tools = [{ type: 'function', function: { name: 'f', parameters } }];
    expect(sent({ tools })['tools']).toEqual([{ name: 'f', input_schema: parameters }]);
  });

  it('a name with spaces in the history is refused by its path', () => {
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'my tool', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ];
    expect(refusal(() => sent({ messages }))).toEqual({
      type: 'unsupported_by_provider',
      param: 'messages.1.tool_calls.0.function.name',
    });
  });

  it('empty and blank texts are left out', () => {
    const messages = [
      { role: 'system', content: ' ' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'a' },
        ],
      },
      { role: 'assistant', content: '\n' },
      { role: 'user', content: 'b' },
    ];
    const body = sent({ messages });
    expect(body).not.toHaveProperty('system');
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  it('a last message without text is refused', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: ' ' },
    ];
    expect(refusal(() => sent({ messages }))).toEqual({ type: 'validation_failed', param: 'messages.2' });
  });

  it('the content of a tool message may be a list of parts', () => {
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: '1' },
          { type: 'text', text: '2' },
        ],
      },
    ];
    expect((sent({ messages })['messages'] as JsonObject[])[2]).toMatchObject({
      content: [{ content: [{ text: '1' }, { text: '2' }] }],
    });
  });

  it('a later system message keeps its cache mark when it moves', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'system', content: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }] },
      { role: 'user', content: 'b' },
    ];
    expect(sent({ messages })['system']).toEqual([
      { type: 'text', text: 'S', cache_control: { type: 'ephemeral' } },
    ]);
    expect(lost({ messages })).toContain('messages.1=moved');
    expect(sent({ messages }, { model: 'claude-opus-5' })['messages']).toMatchObject([
      { role: 'user' },
      { role: 'system' },
      { role: 'user' },
    ]);
  });

  it('a tool result keeps its image and its cache mark', () => {
    const content = [
      { type: 'text', text: 't' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ];
    const result = { type: 'tool_result', tool_use_id: 'a', content, cache_control: { type: 'ephemeral' } };
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [result] },
    ];
    const body = sent({ max_tokens: 9, messages }, { client: 'anthropic-messages' });
    expect((body['messages'] as JsonObject[])[2]).toEqual({ role: 'user', content: [result] });
  });

  it('zero is a value', () => {
    expect(sent({ temperature: 0, max_tokens: 0 })).toMatchObject({ temperature: 0, max_tokens: 0 });
    expect(sent({ top_p: 0 })).toMatchObject({ top_p: 0 });
  });
});
