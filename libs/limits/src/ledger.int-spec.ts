import { eventually, withRedis } from '@gw/testing';
import { Redis } from 'ioredis';
import type { UsageLimitRule } from '@gw/contracts';
import { budgetBucket, concurrencyBucket, rateBucket, type Bucket, type BucketOwner } from './bucket';
import type { Balance, LedgerStore } from './counter-store';
import type { AdmissionOutcome } from './batcher-parts';
import { Ledger, type LedgerOptions } from './ledger';
import { RedisCounterStore } from './redis-counter-store';
import { scriptsAt } from './spec-support/scripts-at';

const NAME_KEY = Buffer.alloc(32, 7);

const CENT = 1_000_000;
const GATEWAYS = 3;
/** Long enough not to matter: when Redis is down, the connection fails earlier. */
const COMMAND_TIMEOUT_MS = 60_000;
const TICK_MS = 250;

const rule = (over: Partial<UsageLimitRule> = {}): UsageLimitRule => ({
  type: 'cost',
  creditLimit: 1,
  alertThreshold: null,
  periodicReset: null,
  periodicResetDays: null,
  nextResetAt: null,
  status: 'active',
  ...over,
});

let owners = 0;
const newOwner = (): BucketOwner => ({ tenant: 'org', scope: 'api_key', id: `k${String((owners += 1))}` });
const estimate = (cost: number, tokens = 0) => ({ cost, tokens });
const charge = (cost: number, tokens = 0) => ({ cost, tokens, requests: 1 });

/** A durable record in memory: settled amounts by counter and holder. */
class Record implements LedgerStore {
  private readonly parts = new Map<string, Map<string, number>>();
  reads = 0;
  add(bucket: Bucket, holder: string, amount: number): void {
    const parts = this.parts.get(bucket.key) ?? new Map<string, number>();
    this.parts.set(bucket.key, parts.set(holder, (parts.get(holder) ?? 0) + amount));
  }
  balanceOf(key: string, since = 0): Balance {
    const holders = [...(this.parts.get(key) ?? [])];
    return { period: since, used: holders.reduce((sum, [, used]) => sum + used, 0), holders };
  }
  balances(_tenant: string, counters: readonly { readonly key: string; readonly since: number }[]) {
    this.reads += 1;
    return Promise.resolve(counters.map(({ key, since }) => this.balanceOf(key, since)));
  }
}

describe('three Ledgers over one Redis', () => {
  const server = withRedis();
  const connections: Redis[] = [];
  const ledgers: Ledger[] = [];
  let record: Record;
  /**
   * The clock of the ledgers and of Redis, in Unix milliseconds. A timer of this process moves it,
   * so that no time passes while a busy machine does not run the process; `ownClock` stops the
   * timer.
   */
  let now = 0;
  let clock: NodeJS.Timeout;

  const connect = (): Redis => {
    const redis = new Redis(server.url, {
      commandTimeout: COMMAND_TIMEOUT_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 50,
    });
    redis.on('error', () => undefined);
    connections.push(redis);
    return redis;
  };
  const gateways = async (options: Partial<LedgerOptions> = {}, count = GATEWAYS): Promise<Ledger[]> => {
    const fleet: Ledger[] = [];
    for (let at = 0; at < count; at += 1) {
      const redis = connect();
      await eventually(() => redis.status === 'ready');
      const counters = new RedisCounterStore(
        scriptsAt(redis, () => now),
        NAME_KEY,
      );
      const times = { monotonic: () => now, clock: () => now };
      const ledger = new Ledger({ counters, record, ...times, ...options });
      ledger.start();
      fleet.push(ledger);
    }
    ledgers.push(...fleet);
    return fleet;
  };

  beforeEach(() => {
    record = new Record();
    now = 1_800_000_000_000;
    clock = setInterval(() => (now += 10), 10);
  });
  afterEach(async () => {
    clearInterval(clock);
    await Promise.allSettled(ledgers.splice(0).map((ledger) => ledger.stop()));
    for (const redis of connections.splice(0)) redis.disconnect();
  });

  /** One call: reserves, is in flight for a while, and settles. */
  const call = async (
    ledger: Ledger,
    buckets: readonly Bucket[],
    { reserve = CENT, cost = CENT, tokens = 0, whileInFlight = async () => Promise.resolve() } = {},
  ): Promise<boolean> => {
    const outcome = await ledger.admit(buckets, estimate(reserve, tokens));
    if (!outcome.admitted) return false;
    await whileInFlight();
    ledger.settle(outcome, charge(cost, tokens));
    for (const [at, bucket] of buckets.entries()) {
      if (bucket.measure === 'cost') record.add(bucket, outcome.holderOf(at), cost);
    }
    return true;
  };

  /**
   * Spreads `total` calls over the ledgers, `atOnce` concurrently. Returns how many were admitted.
   */
  const load = async (
    fleet: readonly Ledger[],
    total: number,
    atOnce: number,
    one: (ledger: Ledger) => Promise<boolean>,
  ): Promise<number> => {
    let started = 0;
    let admitted = 0;
    const worker = async (): Promise<void> => {
      while (started < total) {
        started += 1;
        if (await one(fleet[started % fleet.length] as Ledger)) admitted += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return admitted;
  };
  const ownClock = (): void => {
    clearInterval(clock);
  };
  /** Lets time pass in steps after which a ledger has ticked and got its replies. */
  const pass = async (ms: number, ticking: readonly Ledger[], bucket: Bucket): Promise<void> => {
    for (const end = now + ms; now < end;) {
      now += TICK_MS;
      for (const ledger of ticking) {
        ledger.tick();
        await ledger.states([bucket]);
      }
    }
  };
  /** Waits until the corrected counter has used exactly this amount. */
  const reconciled = async (bucket: Bucket, used: number): Promise<void> => {
    const store = new RedisCounterStore(connections[0] as Redis, NAME_KEY);
    await eventually(async () => {
      await store.correct('org', bucket.key, record.balanceOf(bucket.key));
      return (await store.read('org', bucket.key))?.used === used;
    });
  };
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const usedOf = async (ledger: Ledger, bucket: Bucket): Promise<number> =>
    (await ledger.states([bucket]))[0]?.used ?? -1;

  it('admits exactly 100 of 150 sequential calls on a limit of 100 [bud-01]', async () => {
    const fleet = await gateways({}, 1);
    const buckets = [budgetBucket(newOwner(), rule())];
    expect(await load(fleet, 150, 1, (ledger) => call(ledger, buckets))).toBe(100);
  });

  it.each([
    ['bud-02, one process', 1, 500, 100],
    ['bud-03, three processes', 3, 1_500, 300],
  ])(
    '%s: parallel calls use the whole limit and exceed it by at most one call [LIM-06]',
    async (_, count, total, atOnce) => {
      const fleet = await gateways({}, count);
      for (const enforcement of ['standard', 'strict'] as const) {
        const buckets = [budgetBucket(newOwner(), rule({ enforcement }))];
        const admitted = await load(fleet, total, atOnce, (ledger) =>
          call(ledger, buckets, { whileInFlight: nextTurn }),
        );
        expect(admitted).toBeLessThanOrEqual(enforcement === 'strict' ? 100 : 101);
        expect(admitted).toBeGreaterThanOrEqual(99);
      }
    },
  );

  it('creates the counter of a new key once for its first 50 calls [bud-04]', async () => {
    const fleet = await gateways();
    const bucket = budgetBucket(newOwner(), rule({ creditLimit: 0.25 }));
    const admitted = await load(fleet, 50, 50, (ledger) => call(ledger, [bucket]));
    expect(admitted).toBeLessThanOrEqual(26);
    expect(admitted).toBeGreaterThanOrEqual(24);
    // At most one query per process.
    expect(record.reads).toBeLessThanOrEqual(GATEWAYS);
  });

  it('reuses freed headroom when 4 processes have 250 concurrent requests each on a limit that covers 300', async () => {
    const fleet = await gateways({}, 4);
    for (const enforcement of ['standard', 'strict'] as const) {
      const buckets = [budgetBucket(newOwner(), rule({ creditLimit: 3, enforcement }))];
      // Each reserves twice what it uses.
      const half = { reserve: 2 * CENT, cost: CENT, whileInFlight: nextTurn };
      let admitted = await load(fleet, 4_000, 1_000, (ledger) => call(ledger, buckets, half));
      expect(admitted).toBeGreaterThanOrEqual(150);
      // A strict limit cannot use its last cent, because each call reserves two.
      const all = enforcement === 'strict' ? 299 : 300;
      await eventually(async () => {
        admitted += await load(fleet, 8, 1, (ledger) => call(ledger, buckets, half));
        return admitted >= all;
      });
      expect(admitted).toBe(all);
    }
  });

  it('refuses a stream that may cost more than is left under a strict limit, and charges it under a standard one [bud-06]', async () => {
    const [ledger] = (await gateways({}, 1)) as [Ledger];
    const strict = [budgetBucket(newOwner(), rule({ creditLimit: 0.1, enforcement: 'strict' }))];
    expect(await call(ledger, strict, { reserve: 50 * CENT })).toBe(false);
    const standard = [budgetBucket(newOwner(), rule({ creditLimit: 0.1 }))];
    expect(await call(ledger, standard, { reserve: 50 * CENT, cost: 30 * CENT })).toBe(true);
    expect(await call(ledger, standard)).toBe(false);
  });

  it('charges cancelled calls what they used, and frees the rest of their reservations within 5 s [bud-07, bud-08]', async () => {
    const fleet = await gateways();
    const bucket = budgetBucket(newOwner(), rule({ creditLimit: 100, enforcement: 'strict' }));
    const outcomes = await Promise.all(
      Array.from({ length: 170 }, async (_, at) =>
        (fleet[at % GATEWAYS] as Ledger).admit([bucket], estimate(50 * CENT)),
      ),
    );
    expect(outcomes.every(({ admitted }) => admitted)).toBe(true);
    expect(await call(fleet[0] as Ledger, [bucket], { reserve: 1_501 * CENT })).toBe(false);
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.admitted) (fleet[at % GATEWAYS] as Ledger).settle(outcome, charge(5 * CENT));
    }
    await eventually(async () => (await usedOf(fleet[1] as Ledger, bucket)) === 850 * CENT);
    await eventually(() => call(fleet[1] as Ledger, [bucket], { reserve: 9_150 * CENT, cost: 0 }));
  });

  it('frees what a killed process had reserved when its lease ends, and keeps what it had reported [bud-09]', async () => {
    ownClock();
    const settings = { leaseMs: 1_000 };
    const [dying, other] = (await gateways({ settings }, 2)) as [Ledger, Ledger];
    const bucket = budgetBucket(newOwner(), rule({ enforcement: 'strict' }));
    await call(dying, [bucket], { cost: 10 * CENT });
    const open = await Promise.all(
      Array.from({ length: 80 }, async () => dying.admit([bucket], estimate(CENT))),
    );
    expect(open.filter(({ admitted }) => admitted)).toHaveLength(80);
    await pass(4 * settings.leaseMs, [dying, other], bucket);
    expect(await usedOf(other, bucket)).toBe(10 * CENT);
    expect(await call(other, [bucket], { reserve: 50 * CENT })).toBe(false);
    connections[0]?.disconnect();
    await pass(2 * settings.leaseMs, [other], bucket);
    expect(await call(other, [bucket], { reserve: 90 * CENT, cost: CENT })).toBe(true);
    expect(await usedOf(other, bucket)).toBe(11 * CENT);
  });

  it('applies a raised limit and a lowered limit to the next call on every process [bud-15, bud-16]', async () => {
    const fleet = await gateways();
    const owner = newOwner();
    const spend = (ledger: Ledger, creditLimit: number) =>
      call(ledger, [budgetBucket(owner, rule({ creditLimit }))]);
    await load(fleet, 110, 10, (ledger) => spend(ledger, 1));
    for (const ledger of fleet) expect(await spend(ledger, 1)).toBe(false);
    for (const ledger of fleet) expect(await spend(ledger, 2)).toBe(true);
    for (const ledger of fleet) expect(await spend(ledger, 1)).toBe(false);
  });

  it('resets once while 50 calls are in flight, and loses or double-counts no call [bud-17]', async () => {
    const fleet = await gateways();
    ownClock();
    const resetAt = now + 1_000;
    const windows = {
      kind: 'period' as const,
      schedule: { every: null, anchorMs: resetAt, lastResetMs: null },
    };
    const bucket: Bucket = {
      ...budgetBucket(newOwner(), rule({ type: 'requests', creditLimit: 1e6 })),
      window: windows,
    };
    const counts = { before: 0, after: 0 };
    let offered = 0;
    /** One call, after whose admission a moment passes. */
    const one = async (): Promise<void> => {
      const ledger = fleet[(offered += 1) % GATEWAYS] as Ledger;
      const outcome = await ledger.admit([bucket], estimate(0));
      if (!outcome.admitted) throw new Error('refused');
      const [state] = outcome.states();
      counts[state?.resetAt === null ? 'after' : 'before'] += 1;
      now += 5;
      await nextTurn();
      ledger.settle(outcome, charge(0));
    };
    const caller = async (): Promise<void> => {
      while (counts.after < 50) await one();
    };
    await Promise.all(Array.from({ length: 50 }, caller));
    expect(counts.before).toBeGreaterThan(50);
    await eventually(async () => (await usedOf(fleet[0] as Ledger, bucket)) === counts.after);
  });

  it('rebuilds budgets from the durable record after FLUSHALL under load, and spends nothing twice [bud-22]', async () => {
    const fleet = await gateways();
    const bucket = budgetBucket(newOwner(), rule());
    expect(await load(fleet, 60, 10, (ledger) => call(ledger, [bucket]))).toBe(60);
    await eventually(async () => (await usedOf(fleet[0] as Ledger, bucket)) === 60 * CENT);
    await (connections[0] as Redis).flushall();
    const admitted = await load(fleet, 300, 30, (ledger) =>
      call(ledger, [bucket], { whileInFlight: nextTurn }),
    );
    expect(60 + admitted).toBeLessThanOrEqual(101);
    expect(60 + admitted).toBeGreaterThanOrEqual(85);
    await reconciled(bucket, (60 + admitted) * CENT);
    let spent = 60 + admitted;
    await eventually(async () => {
      spent += await load(fleet, 3, 1, (ledger) => call(ledger, [bucket]));
      return spent >= 100;
    });
    expect(await load(fleet, 6, 3, (ledger) => call(ledger, [bucket]))).toBe(0);
  });

  it('corrects a counter that lost its last writes to the durable record [bud-23]', async () => {
    const fleet = await gateways();
    const bucket = budgetBucket(newOwner(), rule());
    await load(fleet, 60, 10, (ledger) => call(ledger, [bucket]));
    await eventually(async () => (await usedOf(fleet[0] as Ledger, bucket)) === 60 * CENT);
    const redis = connections[0] as Redis;
    const key = `gw:limit:{org}:${bucket.key}`;
    const store = new RedisCounterStore(redis, NAME_KEY);
    // The usage by holder goes back to the same moment as the total.
    for (const [field, state] of Object.entries(await redis.hgetall(key))) {
      if (field.startsWith('h:')) await redis.hset(key, field, state.replace(/^\d+/, '0'));
    }
    await redis.hset(key, 'u', 0);
    await store.correct('org', bucket.key, record.balanceOf(bucket.key));
    expect(await usedOf(fleet[1] as Ledger, bucket)).toBe(60 * CENT);
  });

  it('adds up ten million additions of a millionth of a dollar over three ledgers to exactly ten dollars [bud-25]', async () => {
    const fleet = await gateways();
    const bucket = budgetBucket(newOwner(), rule({ creditLimit: 1_000 }));
    const buckets = [bucket];
    const millionth = charge(CENT / 10_000);
    const partsOfEach = 10;
    for (let at = 0; at < 1_000_000; at += 1) {
      const ledger = fleet[at % GATEWAYS] as Ledger;
      const pending: AdmissionOutcome | Promise<AdmissionOutcome> = ledger.admit(buckets, millionth);
      const outcome = pending instanceof Promise ? await pending : pending;
      if (!outcome.admitted) throw new Error('refused');
      for (let part = 1; part < partsOfEach; part += 1) ledger.charge(outcome, millionth);
      ledger.settle(outcome, millionth);
    }
    await eventually(async () => (await usedOf(fleet[0] as Ledger, bucket)) === 1_000 * CENT);
  });

  it.each([0.9, 1, 2])(
    'accepts at least 95 %% of the allowed rate and never exceeds it in a window, at %p times the rate [bud-26]',
    async (factor) => {
      const fleet = await gateways();
      const allowed = 200;
      const bucket: Bucket = {
        ...rateBucket(newOwner(), { type: 'requests', unit: 'rps', value: allowed }),
        window: { kind: 'fixed', lengthMs: 1_000, originMs: 0 },
      };
      ownClock();
      const accepted = new Map<string, number>();
      const made = new Map<string, number>();
      const count = (counts: Map<string, number>, window: string): unknown =>
        counts.set(window, (counts.get(window) ?? 0) + 1);
      const windowNow = (): string => new Date((Math.floor(now / 1_000) + 1) * 1_000).toISOString();
      const [stepMs, durationMs] = [5, 4_200];
      let offered = 0;
      for (let passedMs = stepMs; passedMs <= durationMs; passedMs += stepMs) {
        now += stepMs;
        if (passedMs % TICK_MS === 0) for (const ledger of fleet) ledger.tick();
        const calls: Promise<void>[] = [];
        for (; offered < Math.floor((passedMs * allowed * factor) / 1_000); offered += 1) {
          const ledger = fleet[offered % GATEWAYS] as Ledger;
          count(made, windowNow());
          calls.push(
            Promise.resolve(ledger.admit([bucket], estimate(0))).then((outcome) => {
              if (!outcome.admitted) return;
              count(accepted, outcome.states()[0]?.resetAt ?? '');
              ledger.settle(outcome, charge(0));
            }),
          );
        }
        await Promise.all(calls);
      }
      for (const number of accepted.values()) expect(number).toBeLessThanOrEqual(allowed + 1);
      expect(made.size).toBe(5);
      for (const [window, number] of made) {
        expect(accepted.get(window) ?? 0).toBeGreaterThanOrEqual(0.95 * Math.min(allowed, number) - 4);
      }
    },
  );

  it('enforces three limits on one key, and a refusal leaves no amount reserved [bud-28]', async () => {
    const fleet = await gateways();
    const owner = newOwner();
    const cost = budgetBucket(owner, rule());
    const requests = budgetBucket(owner, rule({ type: 'requests', creditLimit: 30 }));
    const places = concurrencyBucket(owner, 20);
    const admitted = await load(fleet, 300, 60, (ledger) =>
      call(ledger, [cost, requests, places], { whileInFlight: nextTurn }),
    );
    expect(admitted).toBeLessThanOrEqual(30);
    await eventually(async () => (await usedOf(fleet[0] as Ledger, requests)) === admitted);
    await eventually(async () => (await usedOf(fleet[0] as Ledger, cost)) === admitted * CENT);
    const store = new RedisCounterStore(connections[0] as Redis, NAME_KEY);
    await eventually(async () => (await store.read('org', places.key))?.held === 0);
  });

  it('admits from local shares while Redis is down, and reports every unit after Redis has restarted', async () => {
    const fleet = await gateways();
    const bucket = budgetBucket(newOwner(), rule());
    const first = await load(fleet, 40, 10, (ledger) => call(ledger, [bucket]));
    await eventually(async () => (await usedOf(fleet[0] as Ledger, bucket)) === first * CENT);
    await server.kill();
    const during = await load(fleet, 300, 30, (ledger) => call(ledger, [bucket]));
    expect(during).toBeGreaterThan(0);
    expect(first + during).toBeLessThanOrEqual(103);
    await eventually(() => fleet.some((ledger) => ledger.health().degraded));
    // Redis restarts without data.
    await server.start();
    await eventually(() => fleet.every((ledger) => !ledger.health().degraded));
    const after = await load(fleet, 300, 30, (ledger) => call(ledger, [bucket]));
    const spent = first + during + after;
    expect(spent).toBeLessThanOrEqual(104);
    await eventually(async () => (await usedOf(fleet[0] as Ledger, bucket)) >= spent * CENT);
    await reconciled(bucket, spent * CENT);
  });
});
