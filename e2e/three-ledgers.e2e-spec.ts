import { eventually, startRedis } from '@gw/testing';
import { MixedLedgers } from './spec-support/mixed-load/mixed-ledgers';
import { withoutPostgres } from './spec-support/mixed-load/outage';
import { bookTable, memoryOf, outageTable } from './spec-support/mixed-load/report';
import { BODY, CENT, PATIENCE, sells, STREAM, streamed, withSpending } from './spec-support/spending';
import { withProduct, type NewKey } from './spec-support/workbench';

/** Settings of `npm run test:ledgers`; the defaults are those of `npm test`. */
const setting = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const REQUESTS = setting('LEDGERS_REQUESTS', 600);
const ROUNDS = setting('LEDGERS_ROUNDS', 1);
const POSTGRES_AWAY_MS = setting('LEDGERS_POSTGRES_AWAY', 4) * 1_000;
/** Calls per second during the outage of Postgres. */
const RATE = setting('LEDGERS_RATE', 50);
/** Tolerated growth of memory: a process varies by some megabytes. */
const MEMORY_SLACK = { factor: 1.1, bytes: 16 * 1_048_576 };
const DRAINED_WITHIN_MS = 60_000;

const isLong = REQUESTS > 10_000;
/** Prints progress of `npm run test:ledgers`. */
const say = (line: string): void => void (isLong && process.stdout.write(`${line}\n`));

jest.setTimeout(isLong ? 7_200_000 : 600_000);

/** Duration of the Redis outage in milliseconds; more for a manual run. */
const OUTAGE_MS = Number(process.env['LEDGER_OUTAGE_SECONDS'] ?? '6') * 1_000;
/** Duration after which a dead process's leases end. */
const LEASE_PATIENCE = { timeoutMs: 120_000, everyMs: 500 };
const OPEN_STREAMS = 100;

describe('clients, provider, log, durable record and counters', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const bench = withProduct(async () => {
    redis = await startRedis();
    // During an outage of Redis the calls would exceed the hundredth of a budget that a process may
    // use then.
    return { redisUrl: redis.url, environment: { LIMITS_LEASE: '15000', LIMITS_OUTAGE_SHARE: '100' } };
  });
  afterAll(() => redis.stop());
  const { spending, stub } = withSpending(bench, () => redis.url);
  beforeEach(() => stub().respond(sells));

  /**
   * Calls the named gateways sequentially until `during` has ended. Returns the number of complete
   * responses.
   */
  async function callsDuring(
    key: NewKey,
    on: readonly number[],
    during: (served: () => number) => Promise<void>,
  ): Promise<number> {
    let served = 0;
    const refused: string[] = [];
    let ended = false;
    const worker = async (at: number): Promise<void> => {
      for (let call = at; !ended; call += 1) {
        const { status, text } = await spending().call(
          spending().on(on[call % on.length] ?? 0),
          key,
          call % 2 === 0 ? BODY : STREAM,
        );
        if (status !== 200) refused.push(text);
        else if (call % 2 === 0 || text.endsWith('data: [DONE]\n\n')) served += 1;
      }
    };
    const workers = Array.from({ length: 8 }, (_, at) => worker(at));
    const working = Promise.all(workers);
    const reported = during(() => served).finally(() => (ended = true));
    await Promise.all([reported, working]).catch((error: unknown) => {
      throw new Error(`${String(served)} were served; refused: ${refused.slice(0, 3).join('\n')}`, {
        cause: error,
      });
    });
    expect(refused).toEqual([]);
    return served;
  }

  const more = (served: () => number, calls: number): Promise<unknown> => {
    const from = served();
    return eventually(() => served() >= from + calls, PATIENCE);
  };

  /** Checks that everything agrees exactly, without remaining reservations. */
  async function allAgree(key: NewKey, served: number, before: number): Promise<void> {
    await allSold(before, served);
    await spending().agreeOn(key, served * CENT);
    expect(soldSince(before)).toBe(served);
    const logs = await spending().logged(key);
    expect(logs).toHaveLength(served);
    expect(logs.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  }
  const soldSince = (before: number): number =>
    stub()
      .requests.slice(before)
      .filter(({ finished }) => finished).length;

  /**
   * Waits until the provider has recorded all sales. A gateway ends a stream at its end mark, so
   * its client may finish before the provider has recorded the end.
   */
  const allSold = (before: number, calls: number): Promise<unknown> =>
    eventually(() => soldSince(before) >= calls, PATIENCE);

  it('bud-09: agree after kill -9 of a gateway with 100 open streams, which are charged as estimates and release their reservations', async () => {
    const key = await spending().newKey(1_000);
    const before = stub().requests.length;
    const dying = spending().on(2);
    stub().respond(streamed(new Promise(() => undefined)));
    const cut = Array.from({ length: OPEN_STREAMS }, () =>
      spending()
        .call(dying, key, STREAM)
        .then(
          () => 'whole',
          () => 'broken',
        ),
    );
    await stub().waitForRequest(before + OPEN_STREAMS, PATIENCE.timeoutMs);
    await eventually(async () => (await spending().held(key)) >= OPEN_STREAMS * CENT, PATIENCE);
    stub().respond(sells);
    const served = await callsDuring(key, [0, 1], async (count) => {
      await more(count, 40);
      await dying.kill();
      await more(count, 40);
      await dying.start();
      await more(count, 20);
    });
    // A cut stream never looks complete.
    expect(new Set(await Promise.all(cut))).toEqual(new Set(['broken']));
    expect(await spending().load(key, 30, 3)).toBe(30);
    const whole = served + 30;
    const logs = await eventually(async () => {
      const found = await spending().logged(key);
      return found.length === whole + OPEN_STREAMS && found;
    }, PATIENCE);
    const lost = logs.filter(({ outcome }) => outcome === 'interrupted');
    expect(lost).toHaveLength(OPEN_STREAMS);
    expect(new Set(lost.map(({ error_type: type }) => type))).toEqual(new Set(['gateway_lost']));
    const estimated = lost.reduce((sum, { cost_exact: cost }) => sum + Number(cost), 0);
    expect(estimated).toBeGreaterThan(0);
    await allSold(before, whole);
    await spending().agreeOn(key, whole * CENT + estimated);
    expect(soldSince(before)).toBe(whole);
    await eventually(async () => (await spending().held(key)) === 0, LEASE_PATIENCE);
  });

  it('bud-22: agree after FLUSHALL under load, and the counter is rebuilt under load', async () => {
    const key = await spending().newKey(1_000);
    const before = stub().requests.length;
    const served = await callsDuring(key, [0, 1, 2], async (count) => {
      await more(count, 100);
      await spending().redis.flushall();
      await more(count, 200);
    });
    await allAgree(key, served, before);
  });

  it('bud-23: agree after a Redis that failed over and lost its last second of writes', async () => {
    const key = await spending().newKey(1_000);
    const before = stub().requests.length;
    const served = await callsDuring(key, [0, 1, 2], async (count) => {
      await more(count, 100);
      await spending().redis.save();
      const until = Date.now() + 1_000;
      await eventually(() => Date.now() >= until);
      await redis.kill();
      await redis.start();
      await more(count, 100);
    });
    await allAgree(key, served, before);
  });

  it('agree after an outage of Redis that loses all data', async () => {
    const key = await spending().newKey(1_000);
    const before = stub().requests.length;
    const served = await callsDuring(key, [0, 1, 2], async (count) => {
      await more(count, 100);
      await redis.kill();
      const until = Date.now() + OUTAGE_MS;
      await eventually(() => Date.now() >= until, { timeoutMs: 2 * OUTAGE_MS });
      await more(count, 20);
      await redis.start();
      await more(count, 100);
    });
    await allAgree(key, served, before);
  });

  it('[SVC-02] agree call by call after every part was killed and Postgres was down under a mixed load', async () => {
    const mixed = await MixedLedgers.start(bench(), spending(), redis);
    const { crashes } = mixed;
    const rounds = Array.from({ length: ROUNDS }, (_, round) => [
      () => crashes.gateway(round),
      crashes.worker,
      crashes.redis,
      crashes.postgres,
    ]);
    try {
      await mixed.survive(REQUESTS, rounds.flat(), say);
      const outage = await withoutPostgres(bench(), mixed.load, spending().gateways, {
        awayMs: POSTGRES_AWAY_MS,
        perSecond: RATE,
      });
      const books = await mixed.books();
      say(`${bookTable(books)}\n\n${outageTable(outage)}`);
      expect(mixed.load.errors).toEqual([]);
      expect(books).toMatchObject({ lost: [], double: [], different: [] });
      for (const { logged, recorded, counted } of books.balances)
        expect([recorded, counted]).toEqual([logged, logged]);
      // On a busy machine, a few seconds are too short to judge time and memory.
      if (isLong) {
        expect(outage.drainedMs).toBeLessThan(DRAINED_WITHIN_MS);
        for (const { first, last } of memoryOf(outage))
          expect(last).toBeLessThan(first * MEMORY_SLACK.factor + MEMORY_SLACK.bytes);
      }
    } finally {
      await mixed.stop();
    }
  });
});
