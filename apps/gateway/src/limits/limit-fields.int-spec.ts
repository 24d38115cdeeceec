import type { RateLimitRule, UsageLimitRule } from '@gw/contracts';
import { DAY_MS } from '@gw/kernel';
import type { LedgerStore } from '@gw/limits';
import type { HealthWords } from '@gw/web';
import { eventually, StubProvider, withRedis } from '@gw/testing';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';
import { RESPONSE, BODY, budget } from './spec-support/cent-calls';

const PATIENCE = { timeoutMs: 60_000, everyMs: 50 };
jest.setTimeout(300_000);

/**
 * A Redis response that is too late counts as an outage, and these requests must not pass then
 * either.
 */
const CONCURRENCY: RateLimitRule = { type: 'concurrency', unit: null, value: 2, onOutage: 'refuse' };

/**
 * Fields of a limit and their effect at the gateway. The counters are in Redis, so that a test can
 * stop it.
 */
describe('limit fields', () => {
  const redis = withRedis();
  let gateway: GatewayHarness;
  let other: GatewayHarness;
  let stub: StubProvider;
  let keys = 0;

  beforeEach(async () => {
    stub = await StubProvider.start();
    stub.respondJson(RESPONSE);
    [gateway, other] = await Promise.all([
      GatewayHarness.start({ REDIS_URL: redis.url }),
      GatewayHarness.start({ REDIS_URL: redis.url }),
    ]);
    for (const each of [gateway, other]) {
      each.addProvider('main', 'openai', stub.origin);
      // A process that has not reached its counters yet admits from local shares, and small limits
      // have none.
      const key = keyWith({
        rateLimits: [{ type: 'requests', unit: 'rpd', value: 1e6, onOutage: 'refuse' }],
      });
      await becomes(200, key, { by: each });
    }
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), other.stop(), stub.stop()]);
  });

  const keyWith = (limits: {
    usageLimits?: readonly UsageLimitRule[];
    rateLimits?: readonly RateLimitRule[];
  }): string => {
    keys += 1;
    const key = `actingKey${String(keys).padStart(23, '0')}`;
    for (const each of [gateway, other]) each.addKey(key, { id: `acting-${String(keys)}`, ...limits });
    return key;
  };
  const send = (
    key: string,
    more: {
      readonly body?: object;
      readonly headers?: Record<string, string>;
      readonly by?: GatewayHarness;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<Response> =>
    fetch(`${(more.by ?? gateway).baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': key,
        'x-gw-provider': '@main',
        'content-type': 'application/json',
        ...more.headers,
      },
      body: JSON.stringify(more.body ?? BODY),
      ...(more.signal ? { signal: more.signal } : {}),
    });
  const statusOf = async (key: string, more: Parameters<typeof send>[1] = {}): Promise<number> => {
    const response = await send(key, more);
    await response.arrayBuffer();
    return response.status;
  };
  const becomes = (status: number, key: string, more: Parameters<typeof send>[1] = {}): Promise<unknown> =>
    eventually(async () => (await statusOf(key, more)) === status, PATIENCE);
  /** Holds an admitted request in flight until it is aborted. */
  const holdOpen = (key: string, more: NonNullable<Parameters<typeof send>[1]>): Promise<unknown> =>
    eventually(async () => {
      const before = stub.requests.length;
      let refused = false;
      send(key, more).then(
        ({ status }) => {
          refused = status !== 200;
        },
        () => undefined,
      );
      await eventually(() => refused || stub.requests.length > before, PATIENCE);
      return !refused;
    }, PATIENCE);
  const ownLimits = async (key: string): Promise<Record<string, unknown>[]> => {
    const response = await fetch(`${gateway.baseUrl}/me/limits`, { headers: { 'x-gw-api-key': key } });
    return ((await response.json()) as { data: Record<string, unknown>[] }).data;
  };

  it('[LIM-06] concurrency: refuses further requests over all gateways while the limit is in flight, and admits them afterwards', async () => {
    const key = keyWith({ rateLimits: [CONCURRENCY] });
    stub.respond({ steps: [{ hang: true }], headers: { 'content-type': 'application/json' } });
    const leaving = new AbortController();
    const responded = stub.requests.length;
    for (const by of [gateway, other]) await holdOpen(key, { by, signal: leaving.signal });
    const refused = await eventually(async () => {
      const response = await send(key);
      expect(response.status).toBe(429);
      return response;
    }, PATIENCE);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.headers.get('ratelimit')).toMatch(/^limit=2, remaining=0, reset=\d+$/);
    expect(await refused.json()).toMatchObject({
      error: {
        type: 'rate_limited',
        limit: { scope: 'api_key', type: 'concurrency', limit: 2, reserved: 2, resets_at: null },
      },
    });
    expect(stub.requests).toHaveLength(responded + 2);
    expect(await ownLimits(key)).toMatchObject([
      {
        ...{ type: 'concurrency', limit: 2, used: 2, remaining: 0 },
        ...{ window: null, enforcement: null, on_outage: 'refuse' },
      },
    ]);
    leaving.abort();
    stub.respondJson(RESPONSE);
    await becomes(200, key);
  });

  it('concurrency of a policy: counts each value separately', async () => {
    const policy = {
      ...{ id: 'at-once', name: null, target: 'llm' as const, groupBy: ['metadata.team'] },
      conditions: [{ key: 'metadata.team', value: '*' }],
      limit: { ...CONCURRENCY, value: 1 },
    } as const;
    gateway.addTenant(WORKSPACE_ID, 'main', { policies: { usageLimits: [], rateLimits: [policy] } });
    const of = (team: string): { readonly headers: Record<string, string> } => ({
      headers: { 'x-gw-metadata': JSON.stringify({ team }) },
    });
    stub.respond({ steps: [{ hang: true }], headers: { 'content-type': 'application/json' } });
    const leaving = new AbortController();
    await holdOpen(gateway.apiKey, { ...of('a'), signal: leaving.signal });
    stub.respondJson(RESPONSE);
    await becomes(429, gateway.apiKey, of('a'));
    await becomes(200, gateway.apiKey, of('b'));
    leaving.abort();
    await becomes(200, gateway.apiKey, of('a'));
  });

  it('enforcement: strict requires room for the maximum usage of a request, standard for any room', async () => {
    const large = { body: { ...BODY, max_tokens: 1_000_000 } };
    const ofTokens = { type: 'tokens', unit: 'rpd', value: 2_000 } as const;
    await becomes(200, keyWith({ rateLimits: [ofTokens] }), large);
    await becomes(429, keyWith({ rateLimits: [{ ...ofTokens, enforcement: 'strict' }] }), large);
    await becomes(200, keyWith({ usageLimits: [budget()] }), large);
    const strict = keyWith({ usageLimits: [budget({ enforcement: 'strict' })] });
    await becomes(412, strict, large);
    await becomes(200, strict);
    expect(await ownLimits(strict)).toMatchObject([{ enforcement: 'strict', on_outage: 'refuse' }]);
  });

  it('window: a sliding window frees its allowance gradually, a fixed one at once', async () => {
    const ofSecond = { type: 'requests', unit: 'rps', value: 8 } as const;
    const fixed = keyWith({ rateLimits: [ofSecond] });
    const sliding = keyWith({ rateLimits: [{ ...ofSecond, window: 'sliding' }] });
    const used = async (key: string): Promise<number> => Number((await ownLimits(key))[0]?.['used']);
    /**
     * Reads usage while a full window passes, without other requests. Null: the requests did not
     * fall into one window.
     */
    const decline = async (key: string): Promise<number[] | null> => {
      await eventually(async () => (await used(key)) === 0, PATIENCE);
      await Promise.all(Array.from({ length: ofSecond.value }, () => statusOf(key)));
      const readings = [await used(key)];
      if (readings[0] !== ofSecond.value) return null;
      await eventually(async () => {
        readings.push(await used(key));
        return readings.at(-1) === 0;
      }, PATIENCE);
      return readings;
    };
    const isBetween = (reading: number): boolean => reading > 0 && reading < ofSecond.value;
    await eventually(async () => (await decline(sliding))?.some(isBetween) === true, PATIENCE);
    await eventually(async () => {
      const readings = await decline(fixed);
      expect(readings?.some(isBetween) ?? false).toBe(false);
      return readings !== null;
    }, PATIENCE);
    expect(await ownLimits(sliding)).toMatchObject([{ type: 'requests_per_s', window: 'sliding' }]);
    expect(await ownLimits(fixed)).toMatchObject([{ type: 'requests_per_s', window: 'fixed' }]);
  });

  it('reports burn rate and exhaustion time of budgets to their caller, and null if unknown', async () => {
    const record: LedgerStore = {
      balances: (_tenant, requested) =>
        requested.map(({ since }) => ({ period: since, used: 0, holders: [] })),
      burnRates: (_tenant, requested) =>
        Promise.resolve(requested.map(({ key }) => (key.includes(':cost:') ? 2e7 : null))),
    };
    const telling = await GatewayHarness.start({}, record);
    try {
      telling.addProvider('main', 'openai', stub.origin);
      const key = 'tellingKey0000000000000000000001';
      const tokens = budget({ type: 'tokens', creditLimit: 9_000 });
      telling.addKey(key, { id: 'telling', usageLimits: [budget({ creditLimit: 1.01 }), tokens] });
      expect(await statusOf(key, { by: telling })).toBe(200);
      const from = Date.now();
      const response = await fetch(`${telling.baseUrl}/me/limits`, { headers: { 'x-gw-api-key': key } });
      const { data } = (await response.json()) as { data: Record<string, unknown>[] };
      expect(data).toMatchObject([
        { type: 'cost', used: 0.01, burn_rate_per_day: 0.2 },
        { type: 'tokens', burn_rate_per_day: null, forecast_exhausted_at: null },
      ]);
      // 1 USD is left, at 0.2 USD a day.
      const at = Date.parse(String(data[0]?.['forecast_exhausted_at']));
      expect(at).toBeGreaterThanOrEqual(from + 5 * DAY_MS);
      expect(at).toBeLessThanOrEqual(Date.now() + 5 * DAY_MS + 1);
      expect(await ownLimits(keyWith({ usageLimits: [budget()] }))).toMatchObject([
        { burn_rate_per_day: null, forecast_exhausted_at: null },
      ]);
    } finally {
      await telling.stop();
    }
  });

  it('on_outage: is followed by each limit without counters, and health reports the outage', async () => {
    const rate = { type: 'requests', unit: 'rpd', value: 1_000 } as const;
    const holding = keyWith({ rateLimits: [rate] });
    const refusing = keyWith({ rateLimits: [{ ...rate, onOutage: 'refuse' }] });
    const budgets = keyWith({ usageLimits: [budget({ onOutage: 'refuse' })] });
    // A strict budget must hold the whole estimate, and in an outage a process has a hundredth of
    // it: 10 cents.
    const strict = budget({ creditLimit: 10, enforcement: 'strict', onOutage: 'hold' });
    const strictly = keyWith({ usageLimits: [strict] });
    for (const key of [holding, refusing, budgets, strictly]) await becomes(200, key);
    await redis.kill();
    await becomes(503, refusing);
    await becomes(503, budgets);
    expect(await statusOf(holding)).toBe(200);
    expect(await statusOf(strictly)).toBe(200);
    const health = async (): Promise<Record<string, unknown>> =>
      (await (
        await fetch(`${gateway.baseUrl}/health/parts`, { headers: gateway.serviceAuth })
      ).json()) as Record<string, unknown>;
    const isDegraded = async (): Promise<boolean> =>
      ((await (await fetch(`${gateway.baseUrl}/health`)).json()) as HealthWords).degraded.includes('limits');
    await eventually(isDegraded, PATIENCE);
    expect((await health())['parts']).toContainEqual(
      expect.objectContaining({
        ...{ name: 'limits', status: 'degraded' },
        figures: expect.objectContaining({ counters_reachable: false }) as unknown,
      }),
    );
    await redis.start();
    await becomes(200, refusing);
    await eventually(async () => !(await isDegraded()), PATIENCE);
  });
});
