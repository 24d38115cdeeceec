import fc from 'fast-check';
import type { JsonObject, TranslationContext } from '../provider';
import { chatTranslator } from '../spec-support/chat-over-anthropic';

const sse = (...events: readonly JsonObject[]) =>
  events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'claude-x',
    usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 },
  },
};
const block = (index: number, contentBlock: JsonObject, ...deltas: JsonObject[]) => [
  { type: 'content_block_start', index, content_block: contentBlock },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const text = (value: string) => ({ type: 'text_delta', text: value });
const json = (value: string) => ({ type: 'input_json_delta', partial_json: value });
const stop = (reason: string) => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

const context = (request: JsonObject = {}, strict = false): TranslationContext => ({
  requestId: 'req-1',
  createdAt: 1_700_000_000,
  request: { model: 'claude', messages: [{ role: 'user', content: 'Hello' }], ...request },
  provider: 'anthropic',
  strict,
});

function run(bytes: Buffer | string, cuts: readonly number[] = [], request: JsonObject = {}, strict = false) {
  const whole = Buffer.from(bytes);
  const translator = chatTranslator.stream(context(request, strict));
  const out: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((one, other) => one - other)) {
    out.push(translator.write(whole.subarray(from, cut)));
    from = cut;
  }
  out.push(translator.write(whole.subarray(from)), translator.end());
  return {
    text: Buffer.concat(out).toString('utf8'),
    complete: translator.complete,
    failed: translator.failed,
  };
}

function events(output: string): JsonObject[] {
  return output
    .split('\n\n')
    .filter((event) => event.startsWith('data: ') && event !== 'data: [DONE]')
    .map((event) => JSON.parse(event.slice('data: '.length)) as JsonObject);
}
const deltas = (output: string) =>
  events(output).flatMap(({ choices }) => (choices as { delta: JsonObject }[]).map(({ delta }) => delta));

const FULL = sse(
  start,
  { type: 'ping' },
  ...block(
    0,
    { type: 'thinking', thinking: '' },
    { type: 'thinking_delta', thinking: 'hm' },
    { type: 'signature_delta', signature: 's' },
  ),
  ...block(1, { type: 'text', text: '' }, text('Héllo'), text(' 😀')),
  ...block(2, { type: 'tool_use', id: 't1', name: 'f', input: {} }, json(''), json('{"x":'), json('1}')),
  ...block(3, { type: 'tool_use', id: 't2', name: 'g', input: {} }, json('')),
  ...block(4, { type: 'server_tool_use', id: 'st', name: 'web_search' }, json('{"q":1}')),
  ...stop('tool_use'),
);

describe('translation of Anthropic streams to chat completions', () => {
  it('sends the role first, then text, thinking and tool calls by index, then a finish reason and [DONE]', () => {
    const { text: output, complete, failed } = run(FULL);
    expect({ complete, failed, ended: output.endsWith('\n\ndata: [DONE]\n\n') }).toEqual({
      complete: true,
      failed: false,
      ended: true,
    });
    expect(deltas(output)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'hm' },
      { thinking_blocks: [{ index: 0, type: 'thinking', signature: 's' }] },
      { content: 'Héllo' },
      { content: ' 😀' },
      { tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
      { tool_calls: [{ index: 1, id: 't2', type: 'function', function: { name: 'g', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {
        content_blocks: [
          {
            index: 4,
            content_block: { type: 'server_tool_use', id: 'st', name: 'web_search', input: { q: 1 } },
          },
        ],
      },
      {},
    ]);
    const all = events(output);
    expect(all.at(-1)).toEqual({
      id: 'msg_1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'claude-x',
      provider: 'anthropic',
      choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' }],
    });
    expect(all.every((event) => !('usage' in event))).toBe(true);
  });

  it('omits chunks and members that the OpenAI API does not have in strict mode', () => {
    const { text: output } = run(FULL, [], {}, true);
    expect(deltas(output)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Héllo' },
      { content: ' 😀' },
      { tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
      { tool_calls: [{ index: 1, id: 't2', type: 'function', function: { name: 'g', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ]);
    expect(events(output).some((event) => 'provider' in event)).toBe(false);
  });

  it('returns the same bytes wherever the provider’s chunks end, even inside a UTF-8 character', () => {
    const bytes = Buffer.from(FULL.replaceAll('\n', '\r\n'), 'utf8');
    const expected = run(FULL);
    expect(
      run(
        bytes,
        Array.from({ length: bytes.length }, (_, index) => index),
      ),
    ).toEqual(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        expect(run(bytes, cuts)).toEqual(expected);
      }),
    );
  });

  it('sends usage in its own chunk, cached tokens included, only if the caller requested it', () => {
    const { text: output } = run(FULL, [], { stream_options: { include_usage: true } });
    const all = events(output);
    expect(all.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 15,
        completion_tokens: 7,
        total_tokens: 22,
        prompt_tokens_details: { cached_tokens: 5 },
      },
    });
    expect(all.slice(0, -1).every((event) => event['usage'] === null)).toBe(true);
  });

  it('forwards a provider’s error as an error event and sends nothing after it, not even [DONE]', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const { text: output, complete, failed } = run(sse(start, error, ...stop('end_turn')));
    expect({ complete, failed }).toEqual({ complete: false, failed: true });
    expect(output).not.toContain('[DONE]');
    expect(events(output).at(-1)).toEqual({
      error: {
        message: 'Overloaded',
        type: 'provider_error',
        param: null,
        code: 'AB04',
        request_id: 'req-1',
        provider_type: 'overloaded_error',
      },
    });
  });

  it('never reports a stream as complete that breaks off, at any position', () => {
    const bytes = Buffer.from(FULL, 'utf8');
    const lastEvent =
      bytes.lastIndexOf('event: message_stop') + 'event: message_stop\ndata: {"type":"message_stop"}'.length;
    for (let length = 0; length < lastEvent; length += 1) {
      const { text: output, complete, failed } = run(bytes.subarray(0, length));
      expect({ complete, failed, done: output.includes('[DONE]') }).toEqual({
        complete: false,
        failed: true,
        done: false,
      });
    }
  });

  it('translates tool arguments of 5 MB in one delta', () => {
    const argument = JSON.stringify({ x: 'a'.repeat(5_000_000) });
    const tool = { type: 'tool_use', id: 't1', name: 'f', input: {} };
    const whole = sse(start, ...block(0, tool, json(argument)), ...stop('tool_use'));
    const cuts = Array.from({ length: Math.floor(whole.length / 65_536) }, (_, index) => index * 65_536);
    const { text: output, complete, failed } = run(whole, cuts);
    expect({ complete, failed }).toEqual({ complete: true, failed: false });
    const calls = deltas(output).flatMap(({ tool_calls }) => (tool_calls ?? []) as JsonObject[]);
    expect(calls.map((call) => (call['function'] as JsonObject)['arguments']).join('')).toBe(argument);
  });

  it('ends a stream with an event over 8 MiB, so that memory stays bounded', () => {
    const big = sse(start) + `data: {"type":"content_block_delta","x":"${'a'.repeat(9 * 1024 * 1024)}`;
    const cuts = Array.from({ length: 160 }, (_, index) => index * 65_536);
    const {
      text: output,
      complete,
      failed,
    } = run(
      big,
      cuts.filter((cut) => cut < big.length),
    );
    expect({ complete, failed, done: output.includes('[DONE]') }).toEqual({
      complete: false,
      failed: true,
      done: false,
    });
    expect(events(output).at(-1)).toMatchObject({
      error: { type: 'provider_answer_invalid', request_id: 'req-1' },
    });
  });

  it('ends a stream that is not JSON with one error event', () => {
    const { text: output, failed } = run(sse(start) + 'data: {oops\n\ndata: {again\n\n');
    expect(failed).toBe(true);
    expect(events(output).filter((event) => 'error' in event)).toHaveLength(1);
  });

  it('skips unknown events and blocks, and those out of order', () => {
    const odd = [
      { type: 'brand_new' },
      { type: 'content_block_delta', index: 9, delta: text('x') },
      { type: 'content_block_stop', index: 9 },
    ];
    expect(deltas(run(sse(start, ...odd, ...stop('end_turn'))).text)).toEqual([
      { role: 'assistant', content: '' },
      {},
    ]);
  });

  it('translates concurrent streams independently', () => {
    const one = chatTranslator.stream(context());
    const other = chatTranslator.stream(context());
    const half = FULL.length >> 1;
    const outputs = [
      one.write(Buffer.from(FULL.slice(0, half))),
      other.write(Buffer.from(FULL.slice(0, half))),
      one.write(Buffer.from(FULL.slice(half))),
      other.write(Buffer.from(FULL.slice(half))),
    ].map(String);
    expect(`${outputs[0] ?? ''}${outputs[2] ?? ''}`).toBe(run(FULL).text);
    expect(`${outputs[1] ?? ''}${outputs[3] ?? ''}`).toBe(run(FULL).text);
  });
});
