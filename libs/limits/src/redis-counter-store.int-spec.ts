import { DAY_MS } from '@gw/kernel';
import { withRedis } from '@gw/testing';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import type { Balance, CounterReading, CounterStatement, CounterRoundTrip } from './counter-store';
import { MemoryCounterStore } from './memory-counter-store';
import { RedisCounterStore } from './redis-counter-store';
import { counterStoreContract } from './spec-support/counter-store.contract';
import { balancesModel } from './spec-support/balances.model';
import { scriptsAt } from './spec-support/scripts-at';
import { claim, roundTripOf, first, statement } from './spec-support/statements';

const NAME_KEY = Buffer.alloc(32, 7);

/**
 * Returns a reading without times, which vary with the duration of a round trip, and with sorted
 * holders.
 */
const settled = (reading: CounterReading | null) =>
  reading && {
    ...reading,
    holders: reading.holders.map(({ holder, consumed }) => `${holder} ${String(consumed)}`).sort(),
  };

describe('RedisCounterStore', () => {
  const server = withRedis();
  let redis: Redis;

  beforeAll(() => {
    redis = new Redis(server.url);
  });
  afterAll(() => redis.disconnect());
  const empty = async (): Promise<RedisCounterStore> => {
    await redis.flushall();
    return new RedisCounterStore(redis, NAME_KEY);
  };

  counterStoreContract(async (clock) => {
    await redis.flushall();
    return new RedisCounterStore(scriptsAt(redis, clock), NAME_KEY);
  });

  it('uses the clock of Redis', async () => {
    const store = await empty();
    const timeOfRedis = async (): Promise<number> => {
      const [seconds, micros] = (await redis.time()) as unknown as [string, string];
      return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
    };
    const before = await timeOfRedis();
    const { nowMs } = await store.exchange(roundTripOf([statement()]));
    expect(nowMs).toBeGreaterThanOrEqual(before);
    expect(nowMs).toBeLessThanOrEqual(await timeOfRedis());
  });

  describe('under three processes', () => {
    balancesModel(async () => {
      await redis.flushall();
      let nowMs = 0;
      const store = new RedisCounterStore(
        scriptsAt(redis, () => nowMs),
        NAME_KEY,
      );
      return {
        exchange: (exchange) => store.exchange(exchange),
        read: (...args) => store.read(...args),
        correct: (...args) => store.correct(...args),
        reset: (...args) => store.reset(...args),
        lose: async () => {
          await redis.flushall();
        },
        turnTo: (to) => {
          nowMs = to;
        },
      };
    }, 40);
  });

  it('sends its scripts again when Redis has forgotten them', async () => {
    const store = await empty();
    await redis.script('FLUSH');
    expect((await store.exchange(roundTripOf([statement()], [claim(1)]))).claims).toEqual([-1]);
    await redis.script('FLUSH');
    expect(await store.read('t', 'c')).toMatchObject({ held: 1 });
  });

  it('hashes the grouped values of policies in Redis keys, equally in every process with the same key', async () => {
    const store = await empty();
    const key = (rest: string): string => `policy:0198:${rest}`;
    const named = [
      ...['cost:budget:metadata.user:ada@example.com', 'tokens:rpm:fixed:metadata.user:ada@example.com'],
      ...['requests:rpd:sliding:model:prod.ada', 'concurrency:metadata.user:ada\nlovelace'],
    ].map(key);
    const plain = ['api_key:0198:cost:budget', 'workspace:0198:tokens:rpm:fixed'];
    for (const each of [...named, ...plain]) {
      await store.exchange(roundTripOf([statement({ key: each })], [claim(1)]));
    }
    const names = await redis.keys('*');
    expect(names).toHaveLength(6);
    expect(names.filter((name) => /ada|user|love/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(plain.map((each) => `gw:limit:{t}:${each}`)));
    expect(names.filter((name) => name.includes(':policy:0198:cost:budget:'))).toHaveLength(1);
    for (const each of named) {
      expect(await new RedisCounterStore(redis, NAME_KEY).read('t', each)).toMatchObject({ held: 1 });
      expect(await new RedisCounterStore(redis, Buffer.alloc(32, 8)).read('t', each)).toBeNull();
    }
  });

  it('gives every key a time to live', async () => {
    const store = await empty();
    const second = { kind: 'fixed', lengthMs: 1_000, period: -1, seed: null } as const;
    await store.exchange(roundTripOf([statement(), statement({ ...second, key: 'w' })]));
    const left = await Promise.all([redis.pttl('gw:limit:{t}:c'), redis.pttl('gw:limit:{t}:w')]);
    expect(left[0]).toBeGreaterThan(6 * DAY_MS);
    expect(left[1]).toBeGreaterThan(50_000);
    expect(left[1]).toBeLessThanOrEqual(62_000);
  });

  it('rejects when its key holds a value of another type', async () => {
    const store = await empty();
    await redis.set('gw:limit:{t}:c', 'poison');
    await expect(store.exchange(roundTripOf([statement()], [claim(1)]))).rejects.toThrow();
  });

  it('gives the same replies as the counters in memory, for any round trips', async () => {
    const amount = fc.integer({ min: 0, max: 60 });
    const one = fc.record({
      holder: fc.constantFrom('a', 'b', 'c'),
      strict: fc.boolean(),
      counters: fc.array(
        fc.record({ used: amount, hold: amount, want: amount, value: fc.integer({ min: 0, max: 200 }) }),
        { minLength: 1, maxLength: 3 },
      ),
      claims: fc.array(fc.array(amount, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
      recorded: fc.option(
        fc.record({
          a: amount,
          b: amount,
          rest: amount,
          aEnded: fc.boolean(),
          adjusted: fc.integer({ min: -20, max: 20 }),
        }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 12 }), async (steps) => {
        const store = await empty();
        const memory = new MemoryCounterStore();
        const total = new Map<string, number>();
        const parts = ({ a, b, rest }: { a: number; b: number; rest: number }): Balance => ({
          period: 0,
          used: a + b + rest,
          holders: [
            ['a', a],
            ['b', b],
          ],
        });
        for (const { holder, strict, counters, claims, recorded } of steps) {
          const seed = parts(recorded ?? { a: 0, b: 0, rest: 0 });
          const statements = counters.map(({ used, hold, want, value }, at): CounterStatement => {
            const key = `c${String(at)}`;
            const consumed = (total.get(holder + key) ?? 0) + used;
            total.set(holder + key, consumed);
            return statement({
              key,
              strict,
              consumed,
              hold,
              want,
              value,
              seed,
            });
          });
          const wanted = claims.map((amounts) => claim(...amounts.slice(0, statements.length)));
          const exchange: CounterRoundTrip = roundTripOf(statements, wanted, { holder });
          const [theirs, ours] = [await store.exchange(exchange), memory.exchange(exchange)];
          expect({ ...theirs, nowMs: 0 }).toEqual({ ...ours, nowMs: 0 });
          expect(settled(await store.read('t', 'c0'))).toEqual(settled(memory.read('t', 'c0')));
          if (recorded === null) continue;
          const { aEnded, adjusted } = recorded;
          const truth = { ...parts(recorded), adjusted, ended: aEnded ? ['a'] : [] };
          await store.correct('t', 'c0', truth);
          memory.correct('t', 'c0', truth);
          expect(settled(await store.read('t', 'c0'))).toEqual(settled(memory.read('t', 'c0')));
        }
      }),
      { numRuns: 60 },
    );
    expect(first(await (await empty()).exchange(roundTripOf([statement()]))).status).toBe('ok');
  });
});
