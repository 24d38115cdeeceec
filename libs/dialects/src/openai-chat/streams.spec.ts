import type { JsonObject } from '../call';
import { ANTHROPIC_CLIENT, chunk, streamed, translated } from '../spec-support/anthropic-translations';
import { framed } from '../spec-support/framing';

const CALL = (id: string, name: string, args: string): JsonObject => ({
  index: 0,
  id,
  type: 'function',
  function: { name, arguments: args },
});
const GEMINI_CLIENT = { client: 'gemini', provider: 'openai-chat', model: 'gpt-4.1' } as const;
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

describe('streams of Chat Completions', () => {
  it('have several calls although all have the same index, as some servers send them', () => {
    const frames = [
      chunk({ tool_calls: [CALL('a', 'f', '{"x":1}')] }),
      chunk({ tool_calls: [CALL('b', 'g', '{"y":')] }),
      chunk({ tool_calls: [{ index: 0, id: 'random', function: { arguments: '2}' } }] }),
      chunk({}, 'tool_calls'),
    ];
    expect(streamed(frames, ANTHROPIC_CLIENT).folded).toMatchObject({
      content: [
        { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
        { type: 'tool_use', id: 'b', name: 'g', input: { y: 2 } },
      ],
    });
  });

  it('have several calls without ids and indexes', () => {
    const calls = ['f', 'g'].map((name) => ({ function: { name, arguments: '{}' } }));
    const frames = [chunk({ tool_calls: calls }), chunk({}, 'tool_calls')];
    expect(streamed(frames, ANTHROPIC_CLIENT).folded).toMatchObject({
      content: [
        { name: 'f', input: {} },
        { name: 'g', input: {} },
      ],
    });
  });

  it('have reasoning in either of the members that servers use', () => {
    const delta = { reasoning_content: '', reasoning: 'hm' };
    expect(streamed([chunk(delta), chunk({}, 'stop')], ANTHROPIC_CLIENT).folded).toMatchObject({
      content: [{ type: 'thinking', thinking: 'hm' }],
    });
    const body = { choices: [{ message: { ...delta, content: 'a' }, finish_reason: 'stop' }] };
    expect(translated({ max_tokens: 9 }, ANTHROPIC_CLIENT).response(body)).toMatchObject({
      content: [{ type: 'thinking', thinking: 'hm' }, { text: 'a' }],
    });
  });

  it('have images', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const frames = [chunk({ content: 'a' }), chunk({ images: [image] }), chunk({}, 'stop')];
    const { folded } = streamed(frames, { ...GEMINI_CLIENT, request: CONTENTS });
    expect(folded).toMatchObject({
      candidates: [
        { content: { parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
      ],
    });
  });

  it('keep their usage when a later one is empty', () => {
    const frames = [
      { ...chunk({ content: 'a' }, 'stop'), usage: { prompt_tokens: 5, completion_tokens: 7 } },
      { choices: [], usage: {} },
    ];
    const stream = translated({ stream: true }, { provider: 'mistral', model: 'm' }).stream();
    stream.write(framed('mistral', frames, 'complete'));
    expect(stream.usage).toMatchObject({ input: 5, output: 7 });
  });

  it('have an empty input of a custom tool, as whole responses do', () => {
    const item = { type: 'custom_tool_call', call_id: 'c', name: 'f', input: '' };
    const frames = [
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } },
    ];
    const request = { max_tokens: 100 };
    const { events } = streamed(frames, { provider: 'openai-responses', model: 'gpt-4.1', request });
    const text = JSON.stringify(events);
    expect(text).toContain('"custom":{"name":"f","input":""}');
    expect(text).not.toContain('{}"}');
  });

  it('begin with a byte order mark at some servers', () => {
    const bytes = framed('mistral', [chunk({ content: 'a' }, 'stop')], 'complete');
    const stream = translated({ stream: true }, { provider: 'mistral', model: 'm' }).stream();
    const text = [Buffer.from([0xef]), Buffer.from([0xbb, 0xbf]), bytes].map((part) => stream.write(part));
    expect(text.join('')).toContain('"content":"a"');
    expect(stream.complete).toBe(true);
  });

  it('fail for the gateway as well when the client’s stream ends with an error', () => {
    const stream = translated({ max_tokens: 9, stream: true }, ANTHROPIC_CLIENT).stream();
    const calls = ['a', 'b'].map((id, index) => ({ ...CALL(id, id, ''), index }));
    const more = chunk({ tool_calls: [{ index: 1, function: { arguments: 'x'.repeat(600_000) } }] });
    const frames = [chunk({ tool_calls: calls }), more, more, chunk({}, 'tool_calls')];
    expect(stream.write(framed('openai-chat', frames, 'complete'))).toContain('event: error');
    expect([stream.complete, stream.failed]).toEqual([false, true]);
  });
});
