import type { RateLimitRule, UsageLimitRule } from '@gw/contracts';
import type { LedgerStore } from '@gw/limits';
import { eventually, StubProvider, withRedis } from '@gw/testing';
import { Redis } from 'ioredis';
import { GatewayHarness } from '../spec-support/harness';
import { RESPONSE, BODY, budget, CENT } from './spec-support/cent-calls';

const GATEWAYS = 3;
const MINUTE = 60_000;
const PATIENCE = { timeoutMs: 60_000 };
jest.setTimeout(180_000);

/** Lower bounds allow for leases of a process's next requests: up to an eighth of the headroom. */
describe('three gateways that share a Redis', () => {
  const redis = withRedis();
  let stub: StubProvider;
  let gateways: GatewayHarness[];
  let keys = 0;

  /** Amount charged to budgets according to the journals of all gateways. */
  const journals: LedgerStore = {
    balances: async (_tenant, requested) => {
      const records = (await Promise.all(gateways.map((gateway) => gateway.records()))).flat();
      const charges = records.flatMap(({ decision }) => decision.charges ?? []);
      return requested.map(({ key, since }) => {
        const parts = new Map<string, number>();
        for (const { counters, cost } of charges) {
          for (const [name, period, holder = ''] of counters) {
            if (name === key && period >= since) parts.set(holder, (parts.get(holder) ?? 0) + (cost ?? 0));
          }
        }
        const holders = [...parts];
        return { period: since, used: holders.reduce((sum, [, used]) => sum + used, 0), holders };
      });
    },
  };

  beforeEach(async () => {
    stub = await StubProvider.start();
    stub.respondJson(RESPONSE);
    gateways = await Promise.all(
      Array.from({ length: GATEWAYS }, () => GatewayHarness.start({ REDIS_URL: redis.url }, journals)),
    );
    for (const gateway of gateways) gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([...gateways.map((gateway) => gateway.stop()), stub.stop()]);
  });

  interface Limits {
    readonly usageLimits?: readonly UsageLimitRule[];
    readonly rateLimits?: readonly RateLimitRule[];
  }
  const setKey = (key: string, id: string, limits: Limits): void => {
    for (const gateway of gateways) gateway.addKey(key, { id, ...limits });
  };
  const keyWith = (limits: Limits): { key: string; id: string } => {
    keys += 1;
    const made = { key: `sharedKey${String(keys).padStart(23, '0')}`, id: `shared-${String(keys)}` };
    setKey(made.key, made.id, limits);
    return made;
  };
  const responseOf = async (
    gateway: GatewayHarness,
    key: string,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': key, 'x-gw-provider': '@main', 'content-type': 'application/json' },
      body: JSON.stringify(BODY),
    });
    return { status: response.status, text: await response.text() };
  };
  const callOn = async (gateway: GatewayHarness, key: string): Promise<number> =>
    (await responseOf(gateway, key)).status;
  const on = (at: number): GatewayHarness => gateways[at % GATEWAYS] as GatewayHarness;
  type Response = Awaited<ReturnType<typeof responseOf>>;
  /** Spreads calls over the gateways and returns their responses. */
  const responsesTo = async (
    calls: number,
    concurrency: number,
    call: (gateway: GatewayHarness) => Promise<Response>,
  ): Promise<Response[]> => {
    const responses: Response[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < calls) {
        const at = next;
        next += 1;
        responses.push(await call(on(at)));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return responses;
  };
  /** Returns the number of 200 responses. */
  const load = async (key: string, calls: number, concurrency: number): Promise<number> => {
    const responses = await responsesTo(calls, concurrency, (gateway) => responseOf(gateway, key));
    return responses.filter(({ status }) => status === 200).length;
  };
  /**
   * Expects all calls to be admitted. On a busy machine a counter may respond too late; the call
   * then gets 503 and is sent again.
   */
  const letIn = async (key: string, calls: number, concurrency: number): Promise<void> => {
    const responses = await responsesTo(calls, concurrency, (gateway) =>
      eventually(async () => {
        const response = await responseOf(gateway, key);
        return response.status !== 503 && response;
      }, PATIENCE),
    );
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  };
  const logged = async (): Promise<number> => {
    const records = (await Promise.all(gateways.map((gateway) => gateway.records()))).flat();
    return records.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  };
  /** Usage in the counters; complete once every process has reported. */
  const usedBy = async (id: string): Promise<number> => {
    const client = new Redis(redis.url);
    try {
      const [name = ''] = await client.keys(`*api_key:${id}:cost:budget*`);
      return Number(await client.hget(name, 'u'));
    } finally {
      client.disconnect();
    }
  };

  it('[LIM-06] exceed a budget by at most one call, and count its usage exactly', async () => {
    const { key, id } = keyWith({ usageLimits: [budget()] });
    const accepted = await load(key, 450, 90);
    expect(accepted).toBeLessThanOrEqual(101);
    expect(accepted).toBeGreaterThanOrEqual(88);
    expect(await logged()).toBe(accepted * CENT);
    await eventually(async () => (await usedBy(id)) === accepted * CENT, PATIENCE);
    expect(stub.requests).toHaveLength(accepted);
  });

  it('create the counter of a new key once', async () => {
    const { key } = keyWith({ usageLimits: [budget({ creditLimit: 0.1 })] });
    const accepted = await load(key, 50, 50);
    expect(accepted).toBeLessThanOrEqual(11);
    expect(accepted).toBeGreaterThanOrEqual(7);
  });

  it('admit no more than a rate limit allows', async () => {
    const value = 90;
    // A run across a minute boundary has the allowance of two minutes.
    for (;;) {
      const { key } = keyWith({ rateLimits: [{ type: 'requests', unit: 'rpm', value }] });
      const before = Math.floor(Date.now() / MINUTE);
      const accepted = await load(key, 2 * value, 30);
      if (Math.floor(Date.now() / MINUTE) !== before) continue;
      expect(accepted).toBeLessThanOrEqual(value);
      expect(accepted).toBeGreaterThanOrEqual(0.9 * value);
      return;
    }
  });

  it('[LIM-04] [REL-07 in part] admit a key as soon as its limit is raised, and refuse it when the limit is lowered', async () => {
    const { key, id } = keyWith({ usageLimits: [budget({ creditLimit: 0.02 })] });
    const responds = (status: number): Promise<unknown> =>
      Promise.all(
        gateways.map((gateway) =>
          eventually(async () => (await callOn(gateway, key)) === status, { ...PATIENCE, everyMs: 100 }),
        ),
      );
    await responds(412);
    setKey(key, id, { usageLimits: [budget({ creditLimit: 10 })] });
    await responds(200);
    setKey(key, id, { usageLimits: [budget({ creditLimit: 0.01 })] });
    await responds(412);
  });

  it('rebuild budgets from the durable record after Redis has lost them', async () => {
    const { key, id } = keyWith({ usageLimits: [budget()] });
    const first = 40;
    await letIn(key, first, 10);
    await eventually(async () => (await usedBy(id)) === first * CENT, PATIENCE);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    const accepted = first + (await load(key, 300, 30));
    expect(accepted).toBeLessThanOrEqual(101);
    expect(accepted).toBeGreaterThanOrEqual(85);
    await eventually(async () => (await usedBy(id)) >= accepted * CENT, PATIENCE);
  });

  it('continue with their local shares while Redis is down, and agree with the log afterwards', async () => {
    const { key, id } = keyWith({ usageLimits: [budget({ creditLimit: 3 })] });
    const strict = keyWith({ usageLimits: [budget({ creditLimit: 3, enforcement: 'strict' })] });
    const before = 30;
    await letIn(key, before, 10);
    await redis.kill();
    const alone = await load(key, 60, 10);
    expect(alone).toBeGreaterThan(0);
    expect(await callOn(on(0), strict.key)).toBe(503);
    await redis.start();
    const client = new Redis(redis.url);
    await eventually(async () => (await client.ping()) === 'PONG', PATIENCE);
    client.disconnect();
    const spent = (before + alone) * CENT;
    await eventually(async () => {
      await callOn(on(0), key);
      return (await usedBy(id)) >= spent;
    }, PATIENCE);
    // Each process notices by itself that Redis is back.
    await eventually(async () => (await callOn(on(0), strict.key)) === 200, PATIENCE);
  });
});
