import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Coalescer } from '@gw/cache';
import { eventually, StubProvider, type StubStep } from '@gw/testing';
import { TestClient, type TestRequest, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const PATIENT = { timeoutMs: 90_000 };
const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 };
const COST = 9 * 250 + 12 * 1_000;
const CHAT = { model: 'gpt-4o', choices: [{ message: { role: 'assistant', content: 'Hi' } }], usage: USAGE };
const ASK = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const STREAM = { ...ASK, stream: true, stream_options: { include_usage: true } };
const SSE = { 'content-type': 'text/event-stream' };
const event = (value: object | string): StubStep => ({
  chunk: `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`,
});
const FIRST = event({ model: 'gpt-4o', choices: [{ delta: { content: 'Hi' } }] });
const REST = [event({ model: 'gpt-4o', choices: [], usage: USAGE }), event('[DONE]')];

describe('coalescing of identical in-flight requests', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let joined: jest.SpyInstance;
  /** Lets the provider continue. */
  let release: () => void;
  let until: Promise<void>;
  const asker = new TestClient(() => gateway);
  const config = { provider: '@main', cache: { mode: 'simple', coalesce: true } };

  beforeEach(async () => {
    joined = jest.spyOn(Coalescer.prototype, 'join');
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    until = new Promise((resolve) => {
      release = resolve;
    });
    stub.respond({
      headers: { 'content-type': 'application/json' },
      steps: [{ until }, { chunk: JSON.stringify(CHAT) }],
    });
  });
  afterEach(async () => {
    release();
    await Promise.all([gateway.stop(), stub.stop()]);
    jest.restoreAllMocks();
  });

  const ask = (body: object = ASK, requested: TestRequest = {}): Promise<TestResponse> =>
    asker.ask('/chat/completions', body, { config, ...requested });
  const haveJoined = (count: number): Promise<true> =>
    eventually(() => joined.mock.calls.length === count, PATIENT);
  /** Records of ended requests, oldest first. */
  const records = (count: number): Promise<LoggedRequest[]> =>
    eventually(async () => {
      const found = await gateway.records();
      return found.length === count && found;
    }, PATIENT);

  it('makes one call that one request pays for, and gives its response to all', async () => {
    const requested = Array.from({ length: 5 }, () => ask());
    await haveJoined(5);
    release();
    const reply = await Promise.all(requested);
    expect(reply.map(({ status, cache, text }) => [status, cache, JSON.parse(text) as object])).toEqual(
      Array.from({ length: 5 }, () => [200, 'MISS', CHAT]),
    );
    expect(stub.requests).toHaveLength(1);
    const costs = (await records(5)).map(({ cost, usage, decision }) => [
      cost,
      usage?.inputTokens,
      decision.cache.shared,
      decision.cache.savedCost,
    ]);
    expect(costs.filter(([cost]) => cost === COST)).toEqual([[COST, 9, undefined, undefined]]);
    expect(costs.filter(([cost]) => cost === 0)).toEqual(Array.from({ length: 4 }, () => [0, 0, true, COST]));
    expect((await ask()).cache).toBe('HIT');
  });

  it('shares a stream from its beginning, whenever requests join', async () => {
    stub.respond({ headers: SSE, steps: [FIRST, { until }, ...REST] });
    const first = await asker.open('/chat/completions', STREAM, { config });
    const late = await asker.open('/chat/completions', STREAM, { config });
    release();
    const texts = await Promise.all([first.text(), late.text()]);
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0].endsWith('data: [DONE]\n\n')).toBe(true);
    expect(stub.requests).toHaveLength(1);
  });

  it('continues the call when the first client disconnects, and ends it when all have', async () => {
    stub.respond({ headers: SSE, steps: [FIRST, { until }, ...REST] });
    const leaving = new AbortController();
    const first = await asker.open('/chat/completions', STREAM, { config, signal: leaving.signal });
    const other = await asker.open('/chat/completions', STREAM, { config });
    leaving.abort();
    await expect(first.text()).rejects.toThrow();
    const [left] = await records(1);
    expect(left?.outcome).toBe('client_closed');
    expect(stub.lastRequest.cancelled).toBe(false);
    release();
    expect((await other.text()).endsWith('data: [DONE]\n\n')).toBe(true);
    expect(stub.requests).toHaveLength(1);
    expect((await records(2))[1]).toMatchObject({ outcome: 'ok', cost: COST });
    expect((await ask(STREAM)).cache).toBe('HIT');
  });

  it('cancels the call when the last client disconnects', async () => {
    stub.respond({ headers: SSE, steps: [FIRST, { hang: true }] });
    const leaving = new AbortController();
    const open = await Promise.all(
      [1, 2].map(() => asker.open('/chat/completions', STREAM, { config, signal: leaving.signal })),
    );
    expect(stub.requests).toHaveLength(1);
    leaving.abort();
    await Promise.all(open.map((response) => expect(response.text()).rejects.toThrow()));
    await eventually(() => stub.lastRequest.cancelled, PATIENT);
  });

  it('has one request repeat a call that brought no response', async () => {
    let calls = 0;
    const provider = createServer((req, res) => {
      calls += 1;
      if (calls === 1) void until.then(() => req.socket.destroy());
      else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(CHAT));
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const { port } = provider.address() as AddressInfo;
    gateway.addProvider('main', 'openai', `http://127.0.0.1:${String(port)}`);
    const requested = [ask(), ask(), ask()];
    await haveJoined(3);
    release();
    const statuses = (await Promise.all(requested)).map(({ status }) => status);
    provider.closeAllConnections();
    provider.close();
    expect(statuses.sort()).toEqual([200, 200, 502]);
    expect(calls).toBe(2);
  });

  it('shares a refusal, which counts against the target once', async () => {
    stub.respond({
      status: 500,
      headers: { 'content-type': 'application/json' },
      steps: [{ until }, { chunk: '{}' }],
    });
    const breaking = {
      strategy: { mode: 'fallback', cb_config: { consecutive_failures: 2, cooldown_interval: 3_600_000 } },
      targets: [config],
    };
    const requested = Array.from({ length: 4 }, () => ask(ASK, { config: breaking }));
    await haveJoined(4);
    release();
    expect((await Promise.all(requested)).map(({ status }) => status)).toEqual([500, 500, 500, 500]);
    expect(stub.requests).toHaveLength(1);
    const events = (await records(4)).flatMap(({ decision }) => decision.routing ?? []);
    expect(events).toEqual([]);
  });

  it('measures the cost of a target from the paying request only', async () => {
    // With this random value a choice between equal targets takes the first.
    jest.spyOn(Math, 'random').mockReturnValue(0.3);
    const cheap = await StubProvider.start();
    gateway.addProvider('cheap', 'openai', cheap.origin);
    cheap.respondJson({ ...CHAT, usage: { prompt_tokens: 9, completion_tokens: 10, total_tokens: 19 } });
    const balanced = (...targets: object[]): TestRequest => ({
      config: { strategy: { mode: 'loadbalance', algorithm: 'least_cost' }, targets },
    });
    const requested = Array.from({ length: 4 }, () => ask(ASK, balanced(config)));
    await haveJoined(4);
    release();
    await Promise.all(requested);
    await ask(ASK, balanced({ provider: '@cheap' }));
    await ask({ ...ASK, user: 'x' }, balanced(config, { provider: '@cheap' }));
    expect([stub.requests.length, cheap.requests.length]).toEqual([1, 2]);
    await cheap.stop();
  });

  it('shares no call for different requests, or when the config does not enable coalescing', async () => {
    const alone = { provider: '@main', cache: { mode: 'simple' } };
    const requested = [
      ask(),
      ask({ ...ASK, user: 'x' }),
      ask(ASK, { config: alone }),
      ask(ASK, { config: alone }),
    ];
    await stub.waitForRequest(4, PATIENT.timeoutMs);
    release();
    expect((await Promise.all(requested)).map(({ cache }) => cache)).toEqual([
      'MISS',
      'MISS',
      'MISS',
      'MISS',
    ]);
    expect(joined).toHaveBeenCalledTimes(2);
  });

  it('shares a forced refresh only with other forced refreshes', async () => {
    const fresh = { headers: { 'x-gw-cache-force-refresh': 'true' } };
    const requested = [ask(), ask(ASK, fresh), ask(ASK, fresh)];
    await haveJoined(3);
    await stub.waitForRequest(2, PATIENT.timeoutMs);
    release();
    const reply = await Promise.all(requested);
    expect(reply.map(({ cache }) => cache)).toEqual(['MISS', 'REFRESH', 'REFRESH']);
    expect(stub.requests).toHaveLength(2);
  });
});
