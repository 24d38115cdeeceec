import { withRedis } from '@gw/testing';
import { Redis } from 'ioredis';
import { budgetBucket, concurrencyBucket } from './bucket';
import type { Balance } from './counter-store';
import { HolderRegistry, type HolderRegistryOptions } from './holder-registry';
import { Ledger } from './ledger';
import { Reconciler } from './reconciler';
import { RedisCounterStore } from './redis-counter-store';
import { RedisHolderStore } from './redis-holder-store';
import { scriptsAt } from './spec-support/scripts-at';

const NAME_KEY = Buffer.alloc(32, 7);

const CENT = 1_000_000;
const places = concurrencyBucket({ tenant: 'org', scope: 'api_key', id: 'k' }, 30);
const money = budgetBucket(
  { tenant: 'org', scope: 'api_key', id: 'k' },
  {
    type: 'cost',
    creditLimit: 1,
    alertThreshold: null,
    periodicReset: null,
    periodicResetDays: null,
    nextResetAt: null,
    status: 'active',
    enforcement: 'strict',
  },
);

/** Gateways over one Redis, with the test's clock. */
describe('HolderRegistry', () => {
  const server = withRedis();
  let redis: Redis;
  let now: number;
  const recorded = new Map<string, number>();

  const record = {
    balances: (_: string, queried: readonly { readonly since: number }[]): Promise<Balance[]> => {
      const holders = [...recorded];
      const used = holders.reduce((sum, [, part]) => sum + part, 0);
      return Promise.resolve(queried.map(({ since }) => ({ period: since, used, holders })));
    },
  };

  beforeAll(() => {
    redis = new Redis(server.url);
  });
  afterAll(() => redis.disconnect());
  beforeEach(async () => {
    await redis.flushall();
    recorded.clear();
    now = 1_800_000_000_000;
  });

  const gateway = (options: Partial<HolderRegistryOptions> = {}) => {
    const scripts = scriptsAt(redis, () => now);
    const counters = new RedisCounterStore(scripts, NAME_KEY);
    const ledger = new Ledger({ counters, record, monotonic: () => now, clock: () => now });
    const registry = new HolderRegistry(ledger, {
      store: new RedisHolderStore(scripts),
      process: ledger.process,
      monotonic: () => now,
      ...options,
    });
    return {
      ledger,
      registry,
      counters,
      reconciler: new Reconciler(ledger, { counters, record, fates: registry, monotonic: () => now }),
      take: async (bucket: typeof money, cost = 0): Promise<boolean> => {
        const outcome = await ledger.admit([bucket], { cost, tokens: 0 });
        return outcome.admitted;
      },
      spend: async (cost: number, isRecorded = true): Promise<boolean> => {
        const outcome = await ledger.admit([money], { cost, tokens: 0 });
        if (!outcome.admitted) return false;
        ledger.settle(outcome, { cost, tokens: 0, requests: 1 });
        const holder = outcome.holderOf(0);
        if (isRecorded) recorded.set(holder, (recorded.get(holder) ?? 0) + cost);
        return true;
      },
    };
  };
  type Gateway = ReturnType<typeof gateway>;
  /** Waits until everything in flight has returned. */
  const settled = async ({ ledger }: Gateway): Promise<void> => {
    ledger.tick();
    await ledger.states([money]);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const beat = async (...gateways: Gateway[]): Promise<void> => {
    for (const { registry } of gateways) await registry.beat();
  };
  const pass = async (seconds: number, ...gateways: Gateway[]): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1_000;
      await beat(...gateways);
    }
  };
  const taken = async (by: Gateway, bucket: typeof money, cost = 0): Promise<number> => {
    let count = 0;
    while (await by.take(bucket, cost)) count += 1;
    return count;
  };

  it('frees within ten seconds what a killed gateway held of a concurrency limit and of a strict budget', async () => {
    const [dying, other] = [gateway(), gateway()];
    await beat(dying, other);
    expect(await taken(dying, places)).toBe(30);
    expect(await taken(dying, money, CENT)).toBe(100);
    await pass(10, other);
    expect([await other.take(places), await other.take(money, CENT)]).toEqual([false, false]);
    await pass(1, other);
    expect(await taken(other, places)).toBe(30);
    expect(await taken(other, money, CENT)).toBe(100);
  });

  it('frees what a killed gateway held at once when a successor starts on its data', async () => {
    const [dying, other] = [gateway(), gateway()];
    await beat(dying, other);
    expect(await taken(dying, places)).toBe(30);
    now += 1_300;
    const successor = gateway({ predecessors: [dying.ledger.process] });
    await beat(successor, other);
    expect(await taken(other, places)).toBe(30);
  });

  it('takes nothing from a live gateway, not even after an outage of Redis', async () => {
    const [one, other] = [gateway(), gateway()];
    await beat(one, other);
    expect(await taken(one, places)).toBe(30);
    await pass(30, one, other);
    now += 12_000;
    // The first process that returns finds all others silent and assumes that they were cut off, as
    // it was itself.
    await pass(5, other);
    expect(await other.take(places)).toBe(false);
    await pass(20, one, other);
    expect(await other.take(places)).toBe(false);
  });

  it("writes off a killed gateway's unrecorded usage only after its successor has shipped its journal", async () => {
    const dying = gateway();
    await beat(dying);
    for (let call = 0; call < 100; call += 1) await dying.spend(CENT, call < 60);
    await settled(dying);
    let isAdopted = false;
    const onEnded = jest.fn();
    const predecessors = [dying.ledger.process];
    const successor = gateway({ predecessors, isAdopted: () => isAdopted, onEnded });
    await beat(successor);
    await settled(successor);
    await successor.reconciler.round();
    expect(await successor.spend(CENT)).toBe(false);
    isAdopted = true;
    await beat(successor);
    expect(onEnded).toHaveBeenCalledTimes(1);
    await pass(1, successor);
    await successor.reconciler.round();
    expect((await successor.counters.read('org', money.key))?.used).toBe(60 * CENT);
  });

  it('makes the ledger restate everything it holds when Redis has lost the registry and the counters', async () => {
    const one = gateway();
    await beat(one);
    expect(await taken(one, places)).toBe(30);
    await redis.flushall();
    await pass(1, one);
    now += 250;
    await settled(one);
    expect((await one.counters.read('org', places.key))?.held).toBe(30);
  });

  it('makes the ledger check every request with the counters after eight seconds without a heartbeat', async () => {
    const one = gateway();
    await beat(one);
    await one.spend(CENT);
    expect(one.ledger.admit([money], { cost: CENT, tokens: 0 })).not.toBeInstanceOf(Promise);
    now += 8_000;
    expect(one.ledger.admit([money], { cost: CENT, tokens: 0 })).toBeInstanceOf(Promise);
    await settled(one);
  });
});
