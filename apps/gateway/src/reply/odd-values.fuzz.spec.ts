import { eventually, StubProvider } from '@gw/testing';
import fc from 'fast-check';
import { GatewayHarness } from '../spec-support/harness';

const USAGE = { prompt_tokens: 5, completion_tokens: 6, prompt_tokens_details: { cached_tokens: 1 } };
const CALL = { index: 0, id: 't', type: 'function', function: { name: 'f', arguments: '{}' } };
const MESSAGE = { role: 'assistant', content: 'Hi', tool_calls: [CALL] };
const CHOICE = { index: 0, message: MESSAGE, delta: MESSAGE, logprobs: null, finish_reason: 'stop' };
const COMPLETION = { id: 'a', created: 1, model: 'gpt-4o', choices: [CHOICE], usage: USAGE };
const BLOCKS = [
  { type: 'text', text: 'Hi' },
  { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
];
const RECEIVED = { id: 'm', type: 'message', role: 'assistant', model: 'c', content: BLOCKS };
const COUNTS = { input_tokens: 3, output_tokens: 4, cache_creation: { ephemeral_5m_input_tokens: 1 } };
const ITEM = { type: 'message', id: 'x', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] };
const RESPONSE = { id: 'r', status: 'completed', background: true, output: [ITEM], usage: COUNTS };
const PARTS = [{ text: 'Hi' }, { functionCall: { name: 'f', args: { a: 1 } } }];
const GENERATED = {
  candidates: [{ content: { role: 'model', parts: PARTS }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
};
const BATCH = {
  id: 'b',
  status: 'completed',
  output_file_id: 'f',
  usage: COUNTS,
  request_counts: { total: 1 },
};
/** A response that is not a stream, and the events of one that is. */
const ANSWERS: Readonly<Record<string, readonly [object, ...object[]]>> = {
  openai: [COMPLETION, COMPLETION, { choices: [], usage: USAGE }],
  anthropic: [
    { ...RECEIVED, stop_reason: 'end_turn', usage: COUNTS },
    { type: 'message_start', message: { ...RECEIVED, content: [], usage: COUNTS } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: COUNTS },
    { type: 'message_stop' },
  ],
  gemini: [GENERATED, GENERATED, GENERATED],
  responses: [
    RESPONSE,
    { type: 'response.created', response: RESPONSE },
    { type: 'response.output_text.delta', item_id: 'x', output_index: 0, content_index: 0, delta: 'Hi' },
    { type: 'response.completed', response: RESPONSE },
  ],
  batch: [BATCH, BATCH],
};
const ERROR = { type: 'error', error: { message: 'no', type: 't', code: 'c', details: [{ reason: 'r' }] } };

const CHAT = { model: 'gpt-4o', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
const CONTENTS = { contents: [{ parts: [{ text: 'hi' }] }] };
/** Path, body, and the response instead of that of the provider's dialect. */
const ROUTES: readonly (readonly [string, object | null, string?])[] = [
  ['/v1/chat/completions', CHAT],
  ['/v1/messages', CHAT],
  ['/v1/responses', { model: 'gpt-4o', input: 'hi' }, 'responses'],
  ['/v1/responses/r', null, 'responses'],
  ['/v1/batches/b', null, 'batch'],
  ['/v1/files/f/content', null],
  ['/v1/some/passthrough', CHAT],
  ['/v1beta/models/gemini-2.5-pro:generateContent', CONTENTS],
  ['/v1beta/models/gemini-2.5-pro:streamGenerateContent', CONTENTS],
];
const GUARDED = [{ 'default.contains': { words: ['zebra'], operator: 'none' }, deny: true }];
const CONFIGS: readonly object[] = [
  {},
  { output_guardrails: GUARDED },
  { on_stream_failure: 'continue' },
  { on_stream_failure: 'restart', validate_response: true },
];

/** An object that cannot be converted to a text or a number. */
const BARE = { toString: 1, valueOf: 1 };

const DEPTH = 9_000;
const DEEP = '"the deep value"';
/** JSON texts that no provider should send at the place of any value. */
const ODD = [
  ...['null', '1e308', '-5', '""', '[]', '{}', 'true', '[null]', '[[1]]', '"\\ud800"', DEEP],
  '{"toString":1,"valueOf":1}',
  '{"__proto__":{"a":1},"constructor":{"b":1}}',
];

/** Replaces the values at the given places, counted in the order of a walk. */
function withOdd(value: object, odd: readonly (readonly [number, string])[]): string {
  const text = JSON.stringify(value);
  const count = text.split(':').length;
  let result = JSON.parse(text) as object;
  for (const [place, json] of odd) {
    let at = 0;
    result = JSON.parse(
      JSON.stringify(result, (name, inner: unknown) =>
        name !== '' && (at += 1) === 1 + (place % count) ? (JSON.parse(json) as unknown) : inner,
      ),
    ) as object;
  }
  return JSON.stringify(result).replaceAll(DEEP, '['.repeat(DEPTH) + ']'.repeat(DEPTH));
}

const AT_ONCE = 20;

describe('responses of providers with odd values', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let sent = 0;
  let taken = 0;

  beforeAll(async () => {
    [gateway, stub] = await Promise.all([GatewayHarness.start(), StubProvider.start()]);

    for (const id of ['openai', 'anthropic', 'gemini']) gateway.addProvider(id, id, stub.origin);
  });
  afterAll(() => Promise.all([gateway.stop(), stub.stop()]));

  const odd = fc.tuple(fc.nat(200), fc.constantFrom(...ODD));
  const one = fc.record({
    route: fc.constantFrom(...ROUTES),
    provider: fc.constantFrom<string>('openai', 'anthropic', 'gemini'),
    config: fc.constantFrom(...CONFIGS),
    streams: fc.boolean(),
    status: fc.constantFrom(200, 200, 200, 400, 429, 500),
    odd: fc.array(fc.array(odd, { maxLength: 2 }), { minLength: 7, maxLength: 7 }),
  });
  type Case = typeof one extends fc.Arbitrary<infer T> ? T : never;
  type Request = Pick<Case, 'route' | 'provider' | 'config' | 'streams'>;

  async function ask(
    { route: [path, body], provider, config, streams }: Request,
    at: number,
  ): Promise<number> {
    sent += 1;
    const response = await fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify({ provider: `@${provider}`, ...config, forward_headers: ['x-case'] }),
        'x-case': String(at),
      },
      body: body === null ? null : JSON.stringify(streams ? { ...body, stream: true } : body),
    });
    await response.text().catch(() => '');
    return response.status;
  }

  const faults = (): number => gateway.faults.counts.get('request') ?? 0;

  function respondTo({ route: [path, , dialect], provider, streams, status, odd: values }: Case) {
    const [plain, ...events] = ANSWERS[dialect ?? provider] as (typeof ANSWERS)[string];
    const isStream = status === 200 && (streams || path.includes('stream'));
    const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' };
    const body = isStream
      ? events.map((event, at) => `data: ${withOdd(event, values[at] ?? [])}\n\n`).join('')
      : withOdd(status === 200 ? plain : ERROR, values.flat().slice(0, 3));
    return { status, headers, body };
  }

  it.each([
    [
      'a choice',
      'openai',
      '/v1/chat/completions',
      { choices: [{ index: BARE, delta: {}, finish_reason: 'stop' }] },
    ],
    ['an event', 'openai', '/v1/responses', { type: BARE, delta: 'Hi' }],
    ['a message', 'anthropic', '/v1/messages', { type: BARE, delta: { type: 'text_delta', text: 'Hi' } }],
  ])('cause no exception when the name of %s is no text', async (_name, provider, path, event) => {
    const before = faults();
    const headers = { 'content-type': 'text/event-stream' };
    stub.respond({ headers, body: `data: ${JSON.stringify(event)}\n\n` });
    const config = { output_guardrails: GUARDED };
    await ask({ route: [path, { ...CHAT, input: 'hi' }], provider, config, streams: true }, 0);
    await eventually(async () => (taken += await gateway.takeRecords()) >= sent);
    expect(faults()).toBe(before);
  });

  it('end for their client, are recorded once each, and cause no exception', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (many) => {
        const before = faults();
        stub.respond(({ headers }) => respondTo(many[Number(headers['x-case'])] as Case));
        await Promise.all(many.map(ask));
        await eventually(async () => (taken += await gateway.takeRecords()) >= sent);
        expect([taken, faults()]).toEqual([sent, before]);
      }),
      { endOnFailure: true, numRuns: Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 100) / AT_ONCE) },
    );
  });
});
