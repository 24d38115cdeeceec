import { performance } from 'node:perf_hooks';
import { eventually, StubProvider, type StubResponse, type StubStep } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const PATIENT = { timeoutMs: 90_000 };
/** Longer than any test, so an opened breaker stays open. */
const COOLDOWN_MS = 3_600_000;
/**
 * Tokens: so many make a stream faster than the rule, so few slower, however busy the machine is.
 */
const [MANY, FEW] = [50_000_000, 20];
const SLOW = 10_000;

const event = (value: object | string): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const said = event({ model: 'gpt-4o', choices: [{ index: 0, delta: { content: 'Hi' } }] });
const rest = (tokens: number): string =>
  event({
    model: 'gpt-4o',
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 },
  }) + event('[DONE]');
const after = (ms: number): StubStep => ({ waitMs: ms });
const stream = (...steps: StubStep[]): StubResponse => ({
  headers: { 'content-type': 'text/event-stream' },
  steps,
});
const fast = stream({ chunk: said }, after(20), { chunk: rest(MANY) });
const slow = stream({ chunk: said }, after(20), { chunk: rest(FEW) });

describe('measurements of whole streams', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;
  const asker = new TestClient(() => gateway);
  const [one, two] = [{ provider: '@first' }, { provider: '@second' }];

  beforeEach(async () => {
    // With this value a choice by weight takes the last target, and no request explores.
    jest.spyOn(Math, 'random').mockReturnValue(0.9999);
    gateway = await GatewayHarness.start();
    [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([gateway.stop(), first.stop(), second.stop()]);
  });

  const BODY = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
  const ask = (config: object, path = '/chat/completions'): Promise<TestResponse> =>
    asker.ask(path, BODY, { config });
  const last = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);
  const events = async (): Promise<string[]> =>
    ((await last())?.decision.routing ?? []).map(({ event: name }) => name);

  describe.each([
    ['a built-in route', '/chat/completions', {}],
    ['passthrough', '/proxy/any', {}],
    ['a stream that may be continued', '/chat/completions', { on_stream_failure: 'continue' }],
    ['a stream that may be restarted', '/chat/completions', { on_stream_failure: 'restart' }],
  ])('%s', (_name, path, more) => {
    const balanced = (algorithm: string, ...targets: object[]): object => ({
      strategy: { mode: 'loadbalance', algorithm },
      targets,
      ...more,
    });

    it('chooses the target whose streams bring most tokens a second', async () => {
      first.respond(fast);
      second.respond(slow);
      for (const target of [one, two]) await ask(balanced('highest_speed', target), path);
      await ask(balanced('highest_speed', one, two), path);
      expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
    });

    it('chooses the target whose streams bring their first event soonest, whenever their heads arrive', async () => {
      first.respond(stream({ chunk: said + rest(FEW) }));
      const startedAt = performance.now();
      await ask(balanced('least_latency', one), path);
      const tookMs = performance.now() - startedAt;
      // The head and a comment arrive at once.
      second.respond(stream({ chunk: ': thinking\n\n' }, after(tookMs + 50), { chunk: said + rest(FEW) }));
      await ask(balanced('least_latency', two), path);
      await ask(balanced('least_latency', one, two), path);
      expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
    });

    it.each([
      ['too slow', slow, 200],
      ['cut', stream({ chunk: said }, { cut: 'reset' }), 200],
    ])('opens the breaker of a target whose stream is %s', async (_case, response, status) => {
      const config = {
        strategy: {
          mode: 'fallback',
          cb_config: { consecutive_failures: 1, cooldown_interval: COOLDOWN_MS, slow_stream_speed: SLOW },
        },
        targets: [one, two],
        ...more,
      };
      first.respond(fast, response);
      second.respond(fast);
      expect((await ask(config, path)).status).toBe(status);
      expect(await events()).toEqual([]);
      await ask(config, path).catch(() => undefined);
      await eventually(async () => (await gateway.records()).length === 2, PATIENT);
      expect(await events()).toContain('breaker_opened');
      await ask(config, path);
      expect(await events()).toEqual(['breaker_open']);
      expect(first.requests).toHaveLength(2);
    });
  });

  it('does not measure a stream whose client disconnects, and frees the place of a probe', async () => {
    const config = {
      strategy: { mode: 'fallback', cb_config: { consecutive_failures: 1, cooldown_interval: 100 } },
      targets: [one, two],
    };
    first.respond({ status: 500, body: {} }, stream({ chunk: said }, { hang: true }), fast);
    second.respond(fast);
    await ask(config);
    const leaving = new AbortController();
    const open = await eventually(async () => {
      const response = await asker.open('/chat/completions', BODY, { config, signal: leaving.signal });
      if (first.requests.length === 2) return response;
      await response.text();
      return false;
    }, PATIENT);
    leaving.abort();
    await expect(open.text()).rejects.toThrow();
    await eventually(async () => (await last())?.outcome === 'client_closed', PATIENT);
    expect(await events()).toEqual(['breaker_probe']);
    await ask(config);
    expect(await events()).toEqual(['breaker_probe', 'breaker_closed']);
    expect(first.requests).toHaveLength(3);
  });
});
