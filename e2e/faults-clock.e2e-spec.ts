import { MINUTE_MS, DAY_MS } from '@gw/kernel';
import { eventually, startRedis } from '@gw/testing';
import { budgetsJob, JobQueue } from '@gw/jobs';
import { Redis } from 'ioredis';
import { FleetProcess } from './spec-support/fleet';
import { BODY, bodyFor, CENT, PATIENCE, withSpending } from './spec-support/spending';
import { ShiftedClock } from './spec-support/shifted-clock';
import { withProduct, type NewKey } from './spec-support/workbench';

jest.setTimeout(600_000);

const WEEK_MS = 7 * DAY_MS;
const FIRST_MONDAY_MS = 4 * DAY_MS;
/** Number of jobs that two workers run at the same time. */
const RUNS = 8;

/** Tests of time. Only the clock of Redis counts, and these tests shift it. */
describe('three gateway processes with a shifted Redis clock', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let clock: ShiftedClock;
  const bench = withProduct(async () => {
    redis = await startRedis();
    clock = await ShiftedClock.before(redis.url);
    return { redisUrl: redis.url };
  });
  afterAll(async () => {
    await clock.stop();
    await redis.stop();
  });
  const { spending, stub } = withSpending(bench, () => redis.url, {
    environment: () => Promise.resolve({ REDIS_URL: clock.url }),
  });

  const nextMonday = (nowMs: number): number => nowMs + WEEK_MS - ((nowMs - FIRST_MONDAY_MS) % WEEK_MS);
  const clockOf = async (client: Redis): Promise<number> => {
    const [seconds, micros] = await client.time();
    return (Number(seconds) + clock.seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  };
  const periodOf = async ({ id }: NewKey): Promise<number> => {
    const [name = ''] = await spending().redis.keys(`gw:limit:*api_key:${id}:cost:budget`);
    return Number(await spending().redis.hget(name, 'p'));
  };

  /** Sets the clock of scripts, to the second. */
  const turnTo = (atMs: number): void => {
    clock.seconds = Math.floor((atMs - Date.now()) / 1_000);
  };
  /** Current time by the clock of scripts, also while Redis is down. */
  const turnedMs = (): number => Date.now() + clock.seconds * 1_000;

  /**
   * Makes an attempt that begins so many seconds before an edge of time, and gives it more seconds
   * while it returns null because the edge came too early for it.
   */
  async function before<T>(attempt: (seconds: number) => Promise<T | null>): Promise<T> {
    for (const seconds of [12, 36, 108]) {
      const result = await attempt(seconds);
      if (result !== null) return result;
    }
    throw new Error('The edge of time came too early for every attempt.');
  }

  it('[LIM-03] bud-17, bud-21: a weekly budget resets once on Monday at midnight, loses no call, and does not reset again when the clock goes back', async () => {
    const monday = nextMonday(Date.now());
    const { key, calls, sold } = await before(async (seconds) => {
      const made = await bench().newKey({ usage_limits: { credit_limit: 100, periodic_reset: 'weekly' } });
      const requested = stub().requests.length;
      const periods = new Set<number>();
      let called = 0;
      turnTo(monday - seconds * 1_000);
      await eventually(async () => {
        const batch = Array.from({ length: 5 }, (_, at) => spending().call(spending().on(at), made));
        for (const { status } of await Promise.all(batch)) expect(status).toBe(200);
        called += 5;
        periods.add(await periodOf(made));
        return !periods.has(monday - WEEK_MS) || (await clockOf(spending().redis)) > monday + 4_000;
      }, PATIENCE);
      if (!periods.has(monday - WEEK_MS)) return null;
      expect([...periods]).toEqual([monday - WEEK_MS, monday]);
      return { key: made, calls: called, sold: stub().requests.length - requested };
    });
    expect(sold).toBe(calls);
    await eventually(async () => (await spending().recorded(key)) === calls * CENT, PATIENCE);
    const inNewWeek = await spending().recorded(key, { since: monday });
    expect(inNewWeek).toBeGreaterThan(0);
    expect(inNewWeek).toBeLessThan(calls * CENT);
    await eventually(async () => (await spending().counted(key)) === inNewWeek, PATIENCE);

    clock.seconds -= 3_600;
    expect(await spending().load(key, 30, 5)).toBe(30);
    expect(await periodOf(key)).toBe(monday);
    await eventually(async () => (await spending().counted(key)) === inNewWeek + 30 * CENT, PATIENCE);
    clock.seconds = 0;
  });

  it('bud-19: a reset that is due while Redis is down happens once after the outage, and all calls are recorded', async () => {
    const monday = nextMonday(Date.now());
    const key = await before(async (seconds) => {
      const made = await bench().newKey({ usage_limits: { credit_limit: 100, periodic_reset: 'weekly' } });
      turnTo(monday - seconds * 1_000);
      expect(await spending().load(made, 30, 3)).toBe(30);
      await eventually(async () => (await spending().recorded(made)) === 30 * CENT, PATIENCE);
      const period = await periodOf(made);
      await redis.kill();
      if (turnedMs() < monday) {
        expect(period).toBe(monday - WEEK_MS);
        return made;
      }
      await redis.start();
      return null;
    });
    // Gateways know the time of Redis to about half a second.
    await eventually(() => turnedMs() > monday + 3_000, PATIENCE);
    const during = await spending().load(key, 30, 3);
    await redis.start();
    let after = 0;
    await eventually(async () => {
      after += await spending().load(key, 3, 3);
      return (await periodOf(key)) === monday && after >= 30;
    }, PATIENCE);
    const calls = 30 + during + after;
    await eventually(async () => (await spending().recorded(key)) === calls * CENT, PATIENCE);
    const inNewWeek = await spending().recorded(key, { since: monday });
    expect(inNewWeek).toBe((during + after) * CENT);
    await eventually(async () => (await spending().counted(key)) === inNewWeek, PATIENCE);
    clock.seconds = 0;
  });

  it('bud-27: tokens in a window are reserved by estimate and counted by usage, so streams exceed the limit by at most one call', async () => {
    const limit = 10_000;
    const stream = { model: BODY_MODEL, messages: [{ role: 'user', content: 'Hi' }], stream: true };
    const minute = async (): Promise<number> => Math.floor((await clockOf(spending().redis)) / MINUTE_MS);
    const accepted = await spending().whileCountersRespond(async () => {
      // A run across a minute boundary has the allowance of two minutes.
      for (;;) {
        const key = await spending().newKey(100, {
          rate_limits: [{ type: 'tokens', unit: 'rpm', value: limit }],
        });
        const begun = await minute();
        const admitted = await spending().load(key, 60, 20, { body: stream });
        if ((await minute()) === begun) return admitted;
      }
    });
    expect(accepted).toBeGreaterThan(0);
    expect(accepted * 1_000).toBeLessThanOrEqual(limit + 1_000);
  });

  it('bud-18: one of two workers that find a reset at the same time records it with one audit row, and all gateways continue', async () => {
    const other = await FleetProcess.start('worker', bench(), 'second-worker');
    const queue = new JobQueue({ kind: 'redis', url: redis.url }, (error) => {
      throw error;
    });
    const key = await spending().newKey(1);
    const shown = (): Promise<ShownKey> =>
      bench().manage('GET', `/api-keys/${key.id}`, { key: bench().adminKey });
    await eventually(async () => {
      const accepted = await spending().load(key, 3, 1, { body: bodyFor(10) });
      return accepted === 0 && (await shown()).status === 'exhausted';
    }, PATIENCE);
    const midnight = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS).toISOString();
    const limits = { credit_limit: 1, periodic_reset_days: 30, next_usage_reset_at: midnight };
    await bench().manage('PUT', `/api-keys/${key.id}`, {
      key: bench().adminKey,
      body: { usage_limits: limits },
    });
    for (let round = 0; round < 3; round += 1) {
      const runs = Array.from({ length: RUNS }, (_, at) =>
        queue.enqueue(budgetsJob, {}, `${String(round)}-${String(at)}`),
      );
      await Promise.all(runs);
      await eventually(async () => (await queue.waiting()) === 0, PATIENCE);
    }
    const after = await eventually(async () => {
      const now = await shown();
      return now.last_reset_at !== null && now;
    }, PATIENCE);
    expect(after).toMatchObject({
      status: 'active',
      last_reset_at: midnight,
      usage_limits: { next_usage_reset_at: new Date(Date.parse(midnight) + 30 * DAY_MS).toISOString() },
    });
    const { records } = await bench().manage<{ records: { resource_id: string }[] }>(
      'GET',
      '/audit-logs?action=reset_usage&page_size=100',
      { key: bench().adminKey },
    );
    expect(records.filter(({ resource_id: id }) => id === key.id)).toHaveLength(1);
    for (const gateway of spending().gateways) {
      const goesOn = async () => (await spending().call(gateway, key)).status === 200;
      await eventually(goesOn, PATIENCE);
    }
    await eventually(async () => (await spending().counted(key)) === 3 * CENT, PATIENCE);
    await queue.close();
    await other.stop();
  });

  it('bud-20: a monthly budget of the 31st resets once on the last day of February, and on the 31st of March', async () => {
    const year = new Date().getUTCFullYear() + 1;
    const [january, february, march] = [Date.UTC(year, 0, 31), Date.UTC(year, 2, 0), Date.UTC(year, 2, 31)];
    const { key, calls } = await before((seconds) =>
      spending().whileCountersRespond(async () => {
        turnTo(january + DAY_MS / 2);
        // Clocks do not jump by months in production: gateways notice the jump before the key is
        // used.
        expect(await spending().load(await spending().newKey(1), 6, 3)).toBe(6);
        const schedule = {
          periodic_reset: 'monthly',
          next_usage_reset_at: new Date(january).toISOString(),
        };
        const made = await bench().newKey({ usage_limits: { credit_limit: 100, ...schedule } });
        const periods: number[] = [];
        let called = 0;
        const callAll = async (): Promise<void> => {
          expect(await spending().load(made, 6, 3)).toBe(6);
          called += 6;
          periods.push(await periodOf(made));
        };
        await callAll();
        for (const edge of [february, march]) {
          turnTo(edge - seconds * 1_000);
          await callAll();
          if (turnedMs() >= edge) return null;
          await eventually(() => turnedMs() > edge + 1_000, PATIENCE);
          await callAll();
        }
        expect(periods).toEqual([january, january, february, february, march]);
        return { key: made, calls: called };
      }),
    );
    await eventually(async () => (await spending().recorded(key)) === calls * CENT, PATIENCE);
    expect(await spending().recorded(key, { since: february })).toBe(3 * 6 * CENT);
    expect(await spending().recorded(key, { since: march })).toBe(6 * CENT);
    await eventually(async () => (await spending().counted(key)) === 6 * CENT, PATIENCE);
    clock.seconds = 0;
  });
});

interface ShownKey {
  readonly status: string;
  readonly last_reset_at: string | null;
  readonly usage_limits: { readonly next_usage_reset_at: string | null };
}

const BODY_MODEL = (BODY as { model: string }).model;
