import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { TestClient, type TestRequest, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, OTHER_WORKSPACE_ID, type LoggedRequest } from '../spec-support/harness';

const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 };
/**
 * 9 input tokens at 2.50 USD and 12 output tokens at 10 USD per million tokens, in units of 1e-8
 * USD.
 */
const COST = 9 * 250 + 12 * 1_000;
const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
  usage: USAGE,
};
const EVENTS = [
  { id: 'c', model: 'gpt-4o', choices: [{ index: 0, delta: { content: 'Hel' } }] },
  { id: 'c', model: 'gpt-4o', choices: [{ index: 0, delta: { content: 'lo!' } }] },
  { id: 'c', model: 'gpt-4o', choices: [], usage: USAGE },
  '[DONE]',
];
const ASK = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const CHAT_PATH = '/chat/completions';
const STREAM = { ...ASK, stream: true, stream_options: { include_usage: true } };

describe('response cache', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);
  const simple = { provider: '@main', cache: { mode: 'simple' } };

  beforeEach(async () => {
    gateway = await GatewayHarness.start({ CACHE_ENTRY_MAX_BYTES: '100000', MAX_BUFFERED_BODY: '200000' });
    stub = await StubProvider.start();
    stub.respondJson(CHAT);
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = (body: object | Buffer = ASK, requested: TestRequest = {}): Promise<TestResponse> =>
    asker.ask(CHAT_PATH, body, { config: simple, ...requested });
  const lastRecord = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);

  describe('hits', () => {
    it('serves an identical request without a call and at no cost, and logs the cost saved', async () => {
      const first = await ask();
      expect([first.cache, first.status]).toEqual(['MISS', 200]);
      expect(await lastRecord()).toMatchObject({ cacheStatus: 'MISS', cost: COST });
      const second = await ask();
      expect([second.cache, second.status, second.text]).toEqual(['HIT', 200, first.text]);
      expect(second.headers.get('content-type')).toBe('application/json');
      expect(stub.requests).toHaveLength(1);
      const record = await lastRecord();
      expect(record).toMatchObject({
        cacheStatus: 'HIT',
        outcome: 'ok',
        status: 200,
        provider: 'openai',
        credential: 'main',
        model: 'gpt-4o',
        responseModel: 'gpt-4o',
        usage: { inputTokens: 0, outputTokens: 0 },
        cost: 0,
        priced: 'priced',
        decision: { cache: { status: 'HIT', savedCost: COST }, attempts: [{ end: 'answered', status: 200 }] },
      });
      expect(record?.decision.cache.key).toMatch(/^[\w-]{43}$/);
      expect(record?.responseBody?.toString()).toBe(second.text);
    });

    it('replays a stream event by event, up to its end mark', async () => {
      stub.respondEvents(EVENTS);
      const first = await ask(STREAM);
      const second = await ask(STREAM);
      expect([first.cache, second.cache]).toEqual(['MISS', 'HIT']);
      expect(second.text).toBe(first.text);
      expect(second.text.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(second.headers.get('content-type')).toBe('text/event-stream');
      expect(stub.requests).toHaveLength(1);
      expect(await lastRecord()).toMatchObject({
        cacheStatus: 'HIT',
        streamed: true,
        cost: 0,
        decision: { cache: { savedCost: COST } },
      });
    });

    it('hides usage that only the gateway requested, and still reports the cost saved', async () => {
      stub.respondEvents(EVENTS);
      const body = { ...ASK, stream: true };
      await ask(body);
      const hit = await ask(body);
      expect(hit.cache).toBe('HIT');
      expect(hit.text).not.toContain('usage');
      expect((await lastRecord())?.decision.cache.savedCost).toBe(COST);
    });

    it('serves responses that are larger than what is sent in one turn of the event loop', async () => {
      const content = 'x'.repeat(90_000);
      stub.respondEvents([{ choices: [{ delta: { content } }] }, '[DONE]']);
      const first = await ask(STREAM);
      const second = await ask(STREAM);
      expect([second.cache, second.text]).toEqual(['HIT', first.text]);
    });

    it('translates a stored response for a client of another dialect, whole and as a stream', async () => {
      gateway.addProvider('claude', 'anthropic', stub.origin);
      const config = { ...simple, provider: '@claude' };
      const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-8' };
      stub.respondJson({
        ...message,
        content: [{ type: 'text', text: 'Hello!' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 20, output_tokens: 15 },
      });
      const body = { ...ASK, model: 'claude-opus-4-8', max_tokens: 9 };
      const whole = [await ask(body, { config }), await ask(body, { config })] as const;
      expect(whole.map(({ cache }) => cache)).toEqual(['MISS', 'HIT']);
      expect(JSON.parse(whole[1].text)).toMatchObject({ choices: [{ message: { content: 'Hello!' } }] });
      const event = (type: string, rest: object): { chunk: string } => ({
        chunk: `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`,
      });
      stub.respond({
        headers: { 'content-type': 'text/event-stream' },
        steps: [
          event('message_start', { message: { ...message, content: [], usage: { input_tokens: 20 } } }),
          event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
          event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello!' } }),
          event('content_block_stop', { index: 0 }),
          event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 15 } }),
          event('message_stop', {}),
        ],
      });
      const stream = { ...body, stream: true };
      const streams = [await ask(stream, { config }), await ask(stream, { config })] as const;
      expect(streams.map(({ cache }) => cache)).toEqual(['MISS', 'HIT']);
      expect(streams[1].text).toContain('Hello!');
      expect(streams[1].text.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(stub.requests).toHaveLength(2);
    });

    it.each([
      ['/embeddings', { model: 'm', input: 'x' }],
      ['/completions', { model: 'm', prompt: 'x' }],
      ['/moderations', { input: 'x' }],
      ['/images/generations', { prompt: 'x' }],
      ['/responses', { model: 'm', input: 'x' }],
      ['/some/endpoint?version=2', { anything: 1 }],
    ])('serves a stored response on %s', async (path, body) => {
      const tried = [
        await asker.ask(path, body, { config: simple }),
        await asker.ask(path, body, { config: simple }),
      ];
      expect(tried.map(({ cache }) => cache)).toEqual(['MISS', 'HIT']);
      expect(stub.requests).toHaveLength(1);
    });

    it('serves passthrough responses byte for byte, whatever the bytes', async () => {
      const bytes = Buffer.from([0, 255, 13, 10, 128, 0]);
      stub.respond({ status: 201, headers: { 'content-type': 'application/x-own' }, body: bytes });
      const path = '/some/endpoint';
      await asker.ask(path, bytes, { config: simple });
      const hit = await asker.ask(path, bytes, { config: simple });
      expect([hit.cache, hit.status, hit.headers.get('content-type')]).toEqual([
        'HIT',
        201,
        'application/x-own',
      ]);
      expect(hit.bytes.equals(bytes)).toBe(true);
      expect(stub.requests).toHaveLength(1);
    });

    it('serves requests that differ only in fields without influence on the response', async () => {
      await ask(ASK, {
        headers: { 'x-request-id': '1', 'user-agent': 'a', traceparent: 'x', 'x-gw-trace-id': '1' },
      });
      const other = { 'x-request-id': '2', 'user-agent': 'b', 'x-stainless-retry-count': '1' };
      expect((await ask(ASK, { headers: other })).cache).toBe('HIT');
    });

    it('serves the target that the plan reaches after other targets have failed', async () => {
      const failing = await StubProvider.start();
      failing.respondJson({ error: { message: 'down' } }, 500);
      gateway.addProvider('failing', 'openai', failing.origin);
      const config = {
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@failing', cache: { mode: 'simple' } }, simple],
      };
      const first = await ask(ASK, { config });
      const second = await ask(ASK, { config });
      await failing.stop();
      expect([first.cache, second.cache]).toEqual(['MISS', 'HIT']);
      expect(second.headers.get('x-gw-last-used-option-index')).toBe('config.targets[1]');
      expect([failing.requests.length, stub.requests.length]).toEqual([2, 1]);
    });

    it('reports the cache status in the decision record on request', async () => {
      await ask();
      const { headers } = await ask(ASK, { headers: { 'x-gw-explain': '1' } });
      expect(JSON.parse(headers.get('x-gw-decision') ?? '')).toMatchObject({ cache: { status: 'HIT' } });
    });
  });

  describe('requests without a look-up', () => {
    it('does not use a cache when the config has none, whatever the headers request', async () => {
      const headers = {
        'x-gw-cache-namespace': 'n',
        'x-gw-cache-force-refresh': 'true',
        'cache-control': 'max-age=100',
      };
      const config = { provider: '@main' };
      const tried = [await ask(ASK, { config, headers }), await ask(ASK, { config, headers })];
      expect(tried.map(({ cache }) => cache)).toEqual(['DISABLED', 'DISABLED']);
      expect(stub.requests).toHaveLength(2);
      const record = await lastRecord();
      expect(record).toMatchObject({ cacheStatus: 'DISABLED', cost: COST });
      expect(record?.decision.cache).toEqual({ status: 'DISABLED', key: null });
    });

    it.each([
      ['POST', '/audio/speech', { model: 'm', input: 'x', voice: 'v' }],
      ['POST', '/batches', { input_file_id: 'f', endpoint: '/v1/chat/completions' }],
      ['POST', '/fine_tuning/jobs', { model: 'm', training_file: 'f' }],
      ['POST', '/responses/resp_1/cancel', {}],
      ['POST', '/messages/batches', {}],
      ['POST', '/files', Buffer.from('x')],
      ['POST', '/images/edits', Buffer.from('x')],
      ['PUT', '/some/endpoint', { a: 1 }],
      ['GET', '/some/endpoint', null],
    ])('does not use the cache for %s %s', async (method, path, body) => {
      const headers = Buffer.isBuffer(body) ? { 'content-type': 'multipart/form-data; boundary=x' } : {};
      const requested = { config: simple, method, headers };
      const tried = [await asker.ask(path, body, requested), await asker.ask(path, body, requested)];
      expect(tried.map(({ cache }) => cache)).toEqual(['DISABLED', 'DISABLED']);
      expect(stub.requests).toHaveLength(2);
    });

    it('does not use the cache for a body that was too large for memory', async () => {
      const large = Buffer.alloc(300_000, 'x');
      const tried = [
        await asker.ask('/some/endpoint', large, { config: simple }),
        await asker.ask('/some/endpoint', large, { config: simple }),
      ];
      expect(tried.map(({ cache }) => cache)).toEqual(['DISABLED', 'DISABLED']);
      expect(stub.requests).toHaveLength(2);
    });
  });

  describe('responses that are not stored', () => {
    const done = { chunk: 'data: [DONE]\n\n' };
    const piece = { chunk: 'data: {"choices":[]}\n\n' };
    const failed = { chunk: 'data: {"error":{"message":"x"}}\n\n' };
    const events = { headers: { 'content-type': 'text/event-stream' } };
    const json = { headers: { 'content-type': 'application/json' } };
    const cases: readonly (readonly [string, string, StubResponse])[] = [
      ['an error of the provider', CHAT_PATH, { status: 500, body: { error: { message: 'x' } } }],
      ['a refusal', CHAT_PATH, { status: 400, body: { error: { message: 'x' } } }],
      ['a 202 response', CHAT_PATH, { status: 202, body: CHAT }],
      ['a 200 response that holds an error', CHAT_PATH, { body: { error: { message: 'x' } } }],
      ['invalid JSON', CHAT_PATH, { ...json, body: '{"choices":[' }],
      ['a stream without its end mark', CHAT_PATH, { ...events, steps: [piece] }],
      ['a stream that was cut off', CHAT_PATH, { ...events, steps: [piece, { cut: 'reset' }] }],
      ['a stream with an error', CHAT_PATH, { ...events, steps: [failed, done] }],
      ['a body above the size bound', CHAT_PATH, { body: { ...CHAT, pad: 'x'.repeat(100_000) } }],
      [
        'a response object still in progress',
        '/responses',
        { body: { object: 'response', status: 'in_progress' } },
      ],
    ];

    it.each(cases)('does not store %s', async (_name, path, response) => {
      stub.respond(response);
      const body = { ...ASK, input: 'x', stream: response.steps !== undefined };
      const first = await asker.ask(path, body, { config: simple });
      const second = await asker.ask(path, body, { config: simple });
      expect([first.cache, second.cache]).toEqual(['MISS', 'MISS']);
      expect(stub.requests).toHaveLength(2);
    });

    it('does not store a response that could not be translated', async () => {
      gateway.addProvider('claude', 'anthropic', stub.origin);
      stub.respondJson({ type: 'message', content: 'not a list', usage: {} });
      const body = { ...ASK, max_tokens: 9 };
      const config = { ...simple, provider: '@claude' };
      expect([(await ask(body, { config })).cache, (await ask(body, { config })).cache]).toEqual([
        'MISS',
        'MISS',
      ]);
    });
  });

  describe('cache isolation', () => {
    beforeEach(async () => {
      gateway.addProvider('second', 'openai', stub.origin);
      gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
      gateway.addKey('otherKey0000000000000000000000AB', { workspaceId: OTHER_WORKSPACE_ID });
      gateway.addProvider('main', 'openai', stub.origin, { workspaceId: OTHER_WORKSPACE_ID });
      gateway.addConfig('saved', { ...simple, override_params: { user: 'x' } });
      expect((await ask()).cache).toBe('MISS');
      expect((await ask()).cache).toBe('HIT');
    });

    const others: readonly (readonly [string, object, TestRequest])[] = [
      ['workspace', ASK, { key: 'otherKey0000000000000000000000AB' }],
      ['saved provider', ASK, { config: { ...simple, provider: '@second' } }],
      ['config', ASK, { config: { ...simple, request_timeout: 30_000 } }],
      ['saved config', ASK, { config: 'saved' }],
      ['model', { ...ASK, model: 'gpt-4o-mini' }, {}],
      ['body', { ...ASK, temperature: 0 }, {}],
      ['stream setting', { ...ASK, stream: false }, {}],
      ['namespace', ASK, { headers: { 'x-gw-cache-namespace': 'mine' } }],
      ['user in the metadata', ASK, { headers: { 'x-gw-metadata': '{"_user":"u2"}' } }],
      ['header that a provider may read', ASK, { headers: { 'openai-beta': 'x=1' } }],
      [
        'address',
        ASK,
        { headers: { 'x-gw-provider': 'openai', 'x-gw-custom-host': 'http://127.0.0.1:1/v1' } },
      ],
    ];

    it.each(others)('never serves a stored response for another %s', async (_name, body, requested) => {
      expect((await ask(body, requested)).cache).not.toBe('HIT');
    });

    it('separates versions of the config and of the credential', async () => {
      const saved = { config: 'saved' };
      await ask(ASK, saved);
      expect((await ask(ASK, saved)).cache).toBe('HIT');
      gateway.addConfig('saved', { ...simple, override_params: { user: 'x' } });
      expect((await ask(ASK, saved)).cache).toBe('MISS');
      gateway.addProvider('main', 'openai', stub.origin);
      expect((await ask(ASK, saved)).cache).toBe('MISS');
    });

    it('separates provider keys that the caller sends, and forwarded keys', async () => {
      const host = `${stub.origin}/v1`;
      const config = { provider: 'openai', custom_host: host, cache: { mode: 'simple' } };
      const own = (key: string): TestRequest => ({ config, headers: { authorization: `Bearer ${key}` } });
      expect((await ask(ASK, own('sk-1'))).cache).toBe('MISS');
      expect((await ask(ASK, own('sk-1'))).cache).toBe('HIT');
      expect((await ask(ASK, own('sk-2'))).cache).toBe('MISS');
      const forwarding = { ...simple, forward_headers: ['authorization'] };
      const forwarded = (token: string): TestRequest => ({
        config: forwarding,
        headers: { authorization: `Bearer ${token}` },
      });
      expect((await ask(ASK, forwarded('a'))).cache).toBe('MISS');
      expect((await ask(ASK, forwarded('a'))).cache).toBe('HIT');
      expect((await ask(ASK, forwarded('b'))).cache).toBe('MISS');
    });

    it('shares a namespace between users, and accepts only valid namespace names', async () => {
      const as = (user: string): TestRequest => ({
        headers: { 'x-gw-cache-namespace': 'team', 'x-gw-metadata': JSON.stringify({ _user: user }) },
      });
      await ask(ASK, as('a'));
      expect((await ask(ASK, as('b'))).cache).toBe('HIT');
      const { status, text } = await ask(ASK, { headers: { 'x-gw-cache-namespace': 'x'.repeat(256) } });
      expect([status, text]).toEqual([400, expect.stringContaining('header_invalid')]);
    });
  });

  describe('refresh', () => {
    const numbered = (): void => {
      let count = 0;
      stub.respond(() => ({ body: { ...CHAT, count: (count += 1) } }));
    };
    const countOf = ({ text }: TestResponse): number => (JSON.parse(text) as { count: number }).count;

    beforeEach(numbered);

    it('replaces the stored response when the request forces a refresh', async () => {
      await ask();
      const fresh = await ask(ASK, { headers: { 'x-gw-cache-force-refresh': 'true' } });
      expect([fresh.cache, countOf(fresh)]).toEqual(['REFRESH', 2]);
      const hit = await ask();
      expect([hit.cache, countOf(hit)]).toEqual(['HIT', 2]);
    });

    it('replaces the stored response when the config forces a refresh', async () => {
      const config = { provider: '@main', cache: { mode: 'simple', force_refresh: true } };
      await ask(ASK, { config });
      const fresh = await ask(ASK, { config });
      expect([fresh.cache, countOf(fresh)]).toEqual(['REFRESH', 2]);
    });

    it('replaces responses that are older than the config allows', async () => {
      const config = { provider: '@main', cache: { mode: 'simple', max_age: 1 } };
      await ask(ASK, { config });
      const fresh = await eventually(
        async () => {
          const response = await ask(ASK, { config });
          return response.cache === 'MISS' && response;
        },
        { timeoutMs: 90_000, everyMs: 100 },
      );
      expect(countOf(fresh)).toBe(2);
    });
  });

  it('keeps hits out of the load, cost and health measurements of the target', async () => {
    const config = {
      strategy: { mode: 'fallback', cb_config: { consecutive_failures: 2, cooldown_interval: 3_600_000 } },
      targets: [simple],
    };
    await ask(ASK, { config });
    stub.respond({ status: 500, body: {} });
    const other = { ...ASK, user: 'x' };
    await ask(other, { config });
    expect((await ask(ASK, { config })).cache).toBe('HIT');
    await ask(other, { config });
    const opened = (await lastRecord())?.decision.routing?.map(({ event }) => event);
    expect(opened).toEqual(['breaker_opened']);
  });

  it('stores nothing when the client disconnects, and cancels the call', async () => {
    stub.respond({ headers: { 'content-type': 'text/event-stream' }, steps: [{ hang: true }] });
    const leaving = new AbortController();
    const open = await asker.open(CHAT_PATH, STREAM, { config: simple, signal: leaving.signal });
    leaving.abort();
    await expect(open.text()).rejects.toThrow();
    await eventually(() => stub.lastRequest.cancelled, { timeoutMs: 90_000 });
    stub.respondEvents(EVENTS);
    expect((await ask(STREAM)).cache).toBe('MISS');
  });
});
