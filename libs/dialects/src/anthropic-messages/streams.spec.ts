import type { JsonObject, Part } from '../call';
import type { ClientContext, ProviderContext } from '../codec';
import type { StreamEvent } from '../response';
import { readStream, type ReadStream } from '../spec-support/client-streams';
import { fold } from '../stream/fold';
import { targetOf } from '../target';
import { anthropicClient, anthropicProvider } from './index';
import { block, message, streamed, translated } from '../spec-support/anthropic-translations';

const CONTEXT: ClientContext & ProviderContext = {
  call: anthropicClient.decodeCall({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] }),
  target: targetOf({ provider: 'anthropic', dialect: 'anthropic-messages', model: 'claude-opus-5' }),
  request: {},
  provider: 'anthropic',
  model: 'm',
  requestId: 'req_1',
  createdAt: 1_700_000_000,
};

const START: StreamEvent = { t: 'start', id: 'r', model: 'm', created: 1 };
const END: readonly StreamEvent[] = [{ t: 'finish', c: 0, finish: { reason: 'stop' } }, { t: 'done' }];
const open = (i: number, part: Part): StreamEvent => ({ t: 'open', c: 0, i, part });
const close = (i: number): StreamEvent => ({ t: 'close', c: 0, i });
const words = (i: number, text: string): StreamEvent => ({ t: 'text', c: 0, i, text });
const args = (i: number, json: string): StreamEvent => ({ t: 'args', c: 0, i, json });
const call = (id: string): Part => ({ kind: 'tool_call', id, name: 'f', args: '' });
const TEXT: Part = { kind: 'text', text: '' };

/** Writes events one by one, like a stream. */
function written(events: readonly StreamEvent[]): ReadStream {
  const encoder = anthropicClient.encodeStream(CONTEXT);
  return readStream('anthropic-messages', events.map((event) => encoder.write([event])).join(''));
}

describe('encodeStream', () => {
  it('buffers fragments of later calls until the earlier one is closed', () => {
    const { folded, events } = written([
      START,
      open(0, call('a')),
      args(0, '{"x"'),
      open(1, call('b')),
      args(1, '{"y"'),
      args(0, ':1}'),
      args(1, ':2}'),
      open(2, TEXT),
      words(2, 'z'),
      close(0),
      close(1),
      close(2),
      ...END,
    ]);
    expect(folded).toMatchObject({
      content: [{ id: 'a', input: { x: 1 } }, { id: 'b', input: { y: 2 } }, { text: 'z' }],
    });
    expect(
      events.map(({ type, index }) =>
        typeof index === 'number' ? `${String(type)} ${String(index)}` : type,
      ),
    ).toEqual([
      'message_start',
      ...[0, 0, 0, 0].map(
        (index, at) => `content_block_${['start', 'delta', 'delta', 'stop'][at] ?? ''} ${String(index)}`,
      ),
      ...[1, 1, 1, 1].map(
        (index, at) => `content_block_${['start', 'delta', 'delta', 'stop'][at] ?? ''} ${String(index)}`,
      ),
      ...[2, 2, 2].map(
        (index, at) => `content_block_${['start', 'delta', 'stop'][at] ?? ''} ${String(index)}`,
      ),
      'message_delta',
      'message_stop',
    ]);
  });

  it('writes many waiting blocks in one step', () => {
    const waiting = Array.from({ length: 4_000 }, (_, index) => [
      open(index + 1, call(`c${String(index)}`)),
      close(index + 1),
    ]);
    const { folded } = written([START, open(0, call('a')), ...waiting.flat(), close(0), ...END]);
    expect(folded['content']).toHaveLength(4_001);
  });

  it('fails when it must buffer more than 1 MiB', () => {
    const { end, error } = written([
      START,
      open(0, call('a')),
      open(1, call('b')),
      args(1, 'x'.repeat(1_100_000)),
      ...END,
    ]);
    expect([end, error]).toMatchObject(['error', { error: { type: 'api_error' } }]);
  });

  it('does not open a block without text', () => {
    expect(
      written([START, open(0, TEXT), close(0), open(1, TEXT), words(1, 'x'), close(1), ...END]).folded,
    ).toMatchObject({
      content: [{ type: 'text', text: 'x' }],
    });
  });

  it("carries Google's seals before their calls and after their text", () => {
    const seal = { by: 'google', value: 'c2ln' } as const;
    const { folded } = written([
      START,
      open(0, { ...call('a'), kind: 'tool_call', id: 'a', name: 'f', args: '', seal }),
      close(0),
      open(1, TEXT),
      words(1, 'x'),
      { t: 'seal', c: 0, i: 1, seal },
      close(1),
      ...END,
    ]);
    const carrier = { type: 'thinking', thinking: '', signature: 'g1.c2ln' };
    expect(folded['content']).toMatchObject([
      carrier,
      { type: 'tool_use' },
      { type: 'text', text: 'x' },
      carrier,
    ]);
  });

  it('separates the seal of a text from a call without one', () => {
    const seal = { by: 'google', value: 'c2ln' } as const;
    const sealed: Part = { kind: 'text', text: '', seal };
    const { folded } = written([
      START,
      open(0, sealed),
      words(0, 'x'),
      close(0),
      open(1, call('a')),
      close(1),
      ...END,
    ]);
    const { turns } = anthropicClient.decodeCall({
      model: 'm',
      max_tokens: 1,
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: folded['content'] },
      ],
    });
    expect(turns[1]?.parts).toMatchObject([
      { kind: 'text', seal },
      { kind: 'tool_call', id: 'a' },
    ]);
    expect(turns[1]?.parts[1]).not.toHaveProperty('seal');
  });

  it('writes a signature at the end of its block, wherever it arrived', () => {
    const sealed: Part = { kind: 'reasoning', text: '', seal: { by: 'anthropic', value: 'v' } };
    const { events } = written([START, open(0, sealed), words(0, 'hm'), close(0), ...END]);
    const deltas = events.flatMap(({ delta }) =>
      delta === undefined ? [] : [(delta as JsonObject)['type']],
    );
    expect(deltas.slice(0, 2)).toEqual(['thinking_delta', 'signature_delta']);
  });

  it.each([
    ['openai', 'gw1.openai.v'],
    ['anthropic', 'v'],
  ] as const)('writes the seal of reasoning by %s', (by, signature) => {
    const { folded } = written([
      START,
      open(0, { kind: 'reasoning', text: '' }),
      words(0, 'hm'),
      { t: 'seal', c: 0, i: 0, seal: { by, value: 'v' } },
      close(0),
      ...END,
    ]);
    expect(folded['content']).toEqual([{ type: 'thinking', thinking: 'hm', signature }]);
  });

  it('drops a foreign seal over 64 KiB', () => {
    const value = 'v'.repeat(65_537);
    const events = [START, open(0, { kind: 'reasoning', text: '' }), words(0, 'hm'), close(0), ...END];
    events.splice(3, 0, { t: 'seal', c: 0, i: 0, seal: { by: 'openai', value } });
    expect(written(events).folded['content']).toEqual([{ type: 'thinking', thinking: 'hm', signature: '' }]);
  });

  it('writes a cited page as a citation of a web search', () => {
    const citation = { url: 'https://a', title: 'A', start: 0, end: 1 };
    const { folded } = written([
      START,
      open(0, TEXT),
      words(0, 'x'),
      { t: 'cite', c: 0, i: 0, citation },
      close(0),
      ...END,
    ]);
    expect(folded['content']).toMatchObject([
      { citations: [{ type: 'web_search_result_location', url: 'https://a' }] },
    ]);
  });

  it('ends a refusal with the stop reason refusal', () => {
    expect(
      written([START, open(0, { kind: 'refusal', text: '' }), words(0, 'No.'), close(0), ...END]).folded,
    ).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal' },
    });
  });

  it('writes nothing after an error', () => {
    const fault = { class: 'rate', message: 'slow', status: 429 } as const;
    const { types, error } = written([START, { t: 'error', fault }, open(0, TEXT), words(0, 'x'), ...END]);
    expect(types).toEqual(['message_start', 'error']);
    expect(error).toMatchObject({ error: { type: 'rate_limit_error', message: 'slow' } });
  });

  it('writes only the first candidate', () => {
    const other: StreamEvent = { t: 'open', c: 1, i: 1, part: TEXT };
    const events: StreamEvent[] = [
      START,
      open(0, TEXT),
      other,
      words(0, 'x'),
      { t: 'text', c: 1, i: 1, text: 'y' },
      close(0),
      ...END,
    ];
    expect(written(events).folded['content']).toMatchObject([{ text: 'x' }]);
  });

  it('keeps the connection alive with pings', () => {
    expect(anthropicClient.encodeStream(CONTEXT).keepAlive).toBe('event: ping\ndata: {"type": "ping"}\n\n');
  });
});

const TEXT_BLOCK = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' });

describe('decodeStream', () => {
  const events = (frames: readonly unknown[], context: ProviderContext = CONTEXT): StreamEvent[] => {
    const decoder = anthropicProvider.decodeStream(context);
    const bytes = Buffer.from(frames.map((frame) => `event: x\ndata: ${JSON.stringify(frame)}\n\n`).join(''));
    return [...decoder.write(bytes), ...decoder.end()];
  };

  it('skips pings, unknown events and deltas of unknown blocks', () => {
    const frames = [
      ...message(...TEXT_BLOCK).slice(0, -2),
      { type: 'brand_new' },
      { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'lost' } },
      { type: 'content_block_stop', index: 9 },
      ...message().slice(-2),
    ];
    expect(fold(events(frames))).toMatchObject({ candidates: [{ parts: [{ text: 'x' }] }] });
  });

  it.each([
    ['a block without a number', { type: 'content_block_start', content_block: { type: 'text' } }],
    [
      'a call without a name',
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a' } },
    ],
    ['a message without a stop reason', { type: 'message_stop' }],
    ['no JSON', 'oops'],
  ])('fails a stream with %s', (_title, frame) => {
    expect(events([message()[0], frame]).at(-1)).toMatchObject({
      t: 'error',
      fault: { code: 'provider_answer_invalid' },
    });
  });

  it.each([
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate'],
    ['api_error', 'server'],
    ['invalid_request_error', 'invalid'],
    ['brand_new_error', 'server'],
  ])('reads the error %s as %s', (type, expected) => {
    const fault = { type: 'error', error: { type, message: 'm' } };
    expect(events([message()[0], fault]).at(-1)).toMatchObject({
      t: 'error',
      fault: { class: expected, message: 'm' },
    });
  });

  it('reads the output tool as text', () => {
    const output = block(
      0,
      { type: 'tool_use', id: 't', name: 'json_output', input: {} },
      { type: 'input_json_delta', partial_json: '{"a"' },
      { type: 'input_json_delta', partial_json: ':1}' },
    );
    const frames = message(...output).map((frame) =>
      frame['type'] === 'message_delta' ? { ...frame, delta: { stop_reason: 'tool_use' } } : frame,
    );
    const [candidate] = fold(events(frames, { ...CONTEXT, outputTool: true })).candidates;
    expect(candidate).toMatchObject({
      parts: [{ kind: 'text', text: '{"a":1}' }],
      finish: { reason: 'stop' },
    });
  });

  it('reads the input of a hosted call from its fragments', () => {
    const search = block(
      0,
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'input_json_delta', partial_json: '{"query":"q"}' },
    );
    expect(fold(events(message(...search))).candidates[0]?.parts).toEqual([
      {
        kind: 'hosted_call',
        tool: 'web_search',
        dialect: 'anthropic-messages',
        data: { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
      },
    ]);
  });

  it('adds the range of the cited text to citations', () => {
    const citation = {
      type: 'web_search_result_location',
      url: 'https://a',
      title: 'A',
      cited_text: 'c',
      encrypted_index: 'i',
    };
    const cited = block(
      1,
      { type: 'text', text: '' },
      { type: 'citations_delta', citation },
      { type: 'text_delta', text: 'yz' },
    );
    const parts = fold(events(message(...TEXT_BLOCK, ...cited))).candidates[0]?.parts;
    expect(parts?.[1]).toMatchObject({ citations: [{ url: 'https://a', title: 'A', start: 1, end: 3 }] });
  });

  it('fails when it must buffer more than 1 MiB of a block', () => {
    const signature = 's'.repeat(700_000);
    const deltas = [signature, signature].map((value) => ({ type: 'signature_delta', signature: value }));
    expect(events(message(...block(0, { type: 'thinking', thinking: '' }, ...deltas))).at(-1)).toMatchObject({
      t: 'error',
    });
  });

  it('fails for blocks that are nested too deeply to serialise', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    for (const start of [
      `{"type":"tool_use","id":"a","name":"f","input":{"x":${deep}}}`,
      `{"type":"brand_new","x":${deep}}`,
      `{"type":"server_tool_use","name":"web_search","input":{"x":${deep}}}`,
    ]) {
      const decoder = anthropicProvider.decodeStream(CONTEXT);
      const frame = `data: {"type":"content_block_start","index":0,"content_block":${start}}\n\n`;
      expect(decoder.write(Buffer.from(frame)).at(-1)).toMatchObject({ t: 'error' });
      const body = JSON.parse(`{"content":[${start}]}`) as JsonObject;
      expect(() => anthropicProvider.decodeResponse(body, CONTEXT)).toThrow(
        expect.objectContaining({ type: 'provider_answer_invalid' }) as Error,
      );
    }
  });

  it('fails when too many blocks are open', () => {
    const starts = Array.from(
      { length: 300 },
      (_, index) => block(index, { type: 'server_tool_use', name: 'x' })[0],
    );
    expect(events([message()[0], ...starts]).at(-1)).toMatchObject({ t: 'error' });
  });

  it('forwards arguments of 5 MB in one delta', () => {
    const value = JSON.stringify({ x: 'a'.repeat(5_000_000) });
    const frames = message(
      ...block(
        0,
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
        { type: 'input_json_delta', partial_json: value },
      ),
    );
    expect(streamed(frames).folded).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { arguments: value } }] } }],
    });
  });

  it('fails for an event over 8 MiB', () => {
    const decoder = anthropicProvider.decodeStream(CONTEXT);
    const big = Buffer.from(`data: {"type":"ping","x":"${'a'.repeat(9 * 1024 * 1024)}`);
    expect(decoder.write(big).at(-1)).toMatchObject({ t: 'error' });
  });

  it('serves concurrent streams without mixing them', () => {
    const bytes = (id: string): Buffer =>
      Buffer.from(
        message(...TEXT_BLOCK)
          .map((frame) => `data: ${JSON.stringify(frame).replace('msg_1', id)}\n\n`)
          .join(''),
      );
    const [one, other] = [translated({ stream: true }).stream(), translated({ stream: true }).stream()];
    const half = 200;
    let [first, second] = ['', ''];
    first += one.write(bytes('a').subarray(0, half));
    second += other.write(bytes('b').subarray(0, half));
    first += one.write(bytes('a').subarray(half));
    second += other.write(bytes('b').subarray(half));
    expect([
      readStream('openai-chat', first).folded['id'],
      readStream('openai-chat', second).folded['id'],
    ]).toEqual(['a', 'b']);
  });
});
