import { randomUUID } from 'node:crypto';
import type { ChargeRecord, LogRecord } from '@gw/contracts';
import { decodeFrames, encodeFrame } from '@gw/journal';
import { forgetOnce, forgetHolders } from '@gw/ledger-store';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import fc from 'fast-check';
import { LogBodyPacker } from '../ingest/log-bodies';
import { LogIngest } from '../ingest/log-ingest';
import { LogPartitions } from '../ingest/log-partitions.service';
import { LedgerBook, type TouchedBudget } from './ledger-book';

const KEY = 'api_key:k1:cost:budget';
const TOKENS = 'workspace:w1:tokens:budget';

const charge = (over: Partial<ChargeRecord> = {}): ChargeRecord => ({
  line: 'primary',
  provider: 'openai',
  cost: 700,
  tokens: 70,
  requests: 1,
  flags: [],
  counters: [
    [KEY, 1_000],
    [TOKENS, 0],
  ],
  ...over,
});

/** Usage of a batch, the same in every record that reports it. */
const ONCE = { cost: 700, tokens: 70, requests: 0 } as const;
const amount = fc.nat({ max: 1_000 });
const CHARGE: fc.Arbitrary<ChargeRecord> = fc.record({
  line: fc.constantFrom('primary' as const, 'retry' as const, 'fallback' as const, 'guardrail' as const),
  provider: fc.constantFrom('openai', 'anthropic'),
  cost: fc.option(amount),
  tokens: amount,
  requests: fc.constantFrom(0 as const, 1 as const),
  flags: fc.constant([]),
  counters: fc.uniqueArray(
    fc.tuple(fc.constantFrom(KEY, TOKENS), fc.constantFrom(0, 1_000), fc.constantFrom('g.1', 'g.2')),
    { maxLength: 2, selector: ([key]) => key },
  ),
});
const RECORD = fc.record({
  charges: fc.array(CHARGE, { maxLength: 3 }),
  saved: amount,
  once: fc.option(fc.constantFrom('b1', 'b2')),
});
/** Positions of records in batches of two. */
const BATCH = fc.array(fc.nat({ max: 7 }), { maxLength: 6 });
const BATCHES = fc.array(fc.tuple(BATCH, BATCH), { maxLength: 4 });

describe('LedgerBook', () => {
  const database = testDatabase();
  let book: LedgerBook;
  let ingest: LogIngest;
  let touched: TouchedBudget[];
  let organisationId: string;

  beforeEach(async () => {
    organisationId = randomUUID();
    touched = [];
    book = new LedgerBook(database.dataSource);
    book.onTouched = (budgets) => touched.push(...budgets);
    const partitions = new LogPartitions(database.dataSource);
    await partitions.prepareAhead();
    const quiet = createLog('test', 'silent');
    ingest = new LogIngest(database.dataSource, partitions, book, new LogBodyPacker(null, quiet), quiet);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const record = (charges: unknown): LogRecord => {
    const sample = sampleLogRecord({ organisationId });
    return { ...sample, decision: { ...sample.decision, charges: charges as readonly ChargeRecord[] } };
  };
  const store = (...records: LogRecord[]) =>
    ingest.store(
      decodeFrames(
        Buffer.concat(records.map((each) => encodeFrame(JSON.stringify(each), null, null) as Buffer)),
      ).frames,
    );
  const usedOf = async (key: string, since: number): Promise<number> => {
    const [balance] = await book.balances({ organisationId, counters: [{ key, since }] });
    return balance?.used ?? -1;
  };

  it('counts the charges of a record once, whichever batches repeat it', async () => {
    const [one, other] = [
      record([charge()]),
      record([charge({ cost: 1 }), charge({ line: 'retry', cost: 2 })]),
    ];
    await store(one);
    await store(one, other);
    await store(other, one);
    await store(...Array.from({ length: 2 }, () => other));
    expect(await usedOf(KEY, 1_000)).toBe(703);
    expect(await usedOf(TOKENS, 0)).toBe(210);
    expect(new Set(touched.map(({ key }) => key))).toEqual(new Set([KEY, TOKENS]));
  });

  it('charges usage that several records report once, and stores the other records as free', async () => {
    const reported = (): LogRecord => ({
      ...record([charge({ once: 'batch i b1', requests: 0, counters: [[KEY, 1_000]] })]),
      cost: 700,
    });
    const [one, other] = [reported(), reported()];
    for (const each of [one, one, other, other]) await store(each);
    expect(await usedOf(KEY, 0)).toBe(700);
    const rows: { id: string; cost: string }[] = await database.dataSource.query(
      'SELECT id, cost FROM request_logs WHERE organisation_id = $1',
      [organisationId],
    );
    expect(new Map(rows.map(({ id, cost }) => [id, Number(cost)]))).toEqual(
      new Map([
        [one.id, 700],
        [other.id, 0],
      ]),
    );
  });

  it('charges a name the largest usage that any record reports, for each name of a record', async () => {
    const reported = (...costs: readonly [name: string, cost: number][]): LogRecord => ({
      ...record(
        costs.map(([name, cost]) =>
          charge({ once: `response i ${name}`, cost, tokens: cost, requests: 0, counters: [[KEY, 1_000]] }),
        ),
      ),
      cost: costs.reduce((sum, [, cost]) => sum + cost, 0),
    });
    const [begun, list, whole] = [
      reported(['r1', 100]),
      reported(['r1', 700], ['r2', 40]),
      reported(['r2', 40]),
    ];
    for (const each of [begun, list, begun, whole, list]) await store(each);
    expect(await usedOf(KEY, 0)).toBe(740);
    const rows: { id: string; cost: string }[] = await database.dataSource.query(
      'SELECT id, cost FROM request_logs WHERE organisation_id = $1',
      [organisationId],
    );
    expect(new Map(rows.map(({ id, cost }) => [id, Number(cost)]))).toEqual(
      new Map([
        [begun.id, 100],
        [list.id, 640],
        [whole.id, 0],
      ]),
    );
  });

  const reported = (name: string): LogRecord =>
    record([charge({ once: name, requests: 0, counters: [[KEY, 1_000]] })]);
  const passDays = (days: number): Promise<unknown> =>
    database.dataSource.query(
      `UPDATE ledger_once SET named_at = named_at - $1 * interval '1 day' WHERE organisation_id = $2`,
      [days, organisationId],
    );

  it('forgets names without a record for 400 days, and keeps names that are still read', async () => {
    const { manager } = database.dataSource;
    await store(reported('batch old'), reported('batch read'));
    await passDays(300);
    await store(reported('batch read'));
    await passDays(110);
    expect(await forgetOnce(manager, 1)).toBe(1);
    const rows: { name: string }[] = await manager.query(
      'SELECT name FROM ledger_once WHERE organisation_id = $1',
      [organisationId],
    );
    expect(rows).toEqual([{ name: 'batch read' }]);
    await store(reported('batch read'));
    expect(await usedOf(KEY, 0)).toBe(1_400);
  });

  it('charges a name its largest reported usage when records arrive in any order, repeated or concurrent', async () => {
    const AMOUNT = fc.record({
      name: fc.constantFrom('a', 'b', '\ud800', 'nul\0'),
      cost: fc.nat({ max: 99 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(AMOUNT, { minLength: 1, maxLength: 8 }),
        BATCHES,
        async (reported, batches) => {
          organisationId = randomUUID();
          const records = reported.map(({ name, cost }) => {
            const once = `response i ${name}`;
            const sample = record([
              charge({ once, cost, tokens: cost, requests: 0, counters: [[KEY, 1_000]] }),
            ]);
            return { ...sample, cost };
          });
          const pick = (batch: readonly number[]) =>
            batch.map((at) => records[at % records.length] as LogRecord);
          for (const [one, other] of batches) await Promise.all([store(...pick(one)), store(...pick(other))]);
          await store(...records);
          const most = new Map<string, number>();
          for (const { name, cost } of reported) most.set(name, Math.max(cost, most.get(name) ?? 0));
          const expected = [...most.values()].reduce((sum, cost) => sum + cost, 0);
          expect(await usedOf(KEY, 0)).toBe(expected);
          const [logged] = await database.dataSource.query<{ sum: string }[]>(
            'SELECT sum(cost) FROM request_logs WHERE organisation_id = $1',
            [organisationId],
          );
          expect(Number(logged?.sum)).toBe(expected);
        },
      ),
      { numRuns: 20 },
    );
  });

  describe('estimates of background objects', () => {
    const estimate = (cost: number, period = 1_000, holder = 'g.1'): LogRecord => {
      const flags = ['estimated'] as const;
      const counters = [[KEY, period, holder]] as const;
      const reported = charge({ once: 'response i r', cost, tokens: cost, requests: 0, flags, counters });
      return { ...record([reported]), method: 'POST', cost, usage: null, priced: 'estimated' };
    };
    const truth = (cost: number | null, tokens = cost ?? 0, period = 1_000, holder = 'g.2'): LogRecord => {
      const counters = [[KEY, period, holder]] as const;
      const reported = charge({ once: 'response i r', cost, tokens, requests: 0, counters });
      return { ...record([reported]), method: 'GET', cost };
    };
    const balanceAt = async (since: number) =>
      (await book.balances({ organisationId, counters: [{ key: KEY, since }] }))[0];
    const logged = async (): Promise<number> => {
      const [row] = await database.dataSource.query<{ sum: string }[]>(
        'SELECT sum(cost) FROM request_logs WHERE organisation_id = $1',
        [organisationId],
      );
      return Number(row?.sum);
    };
    const rolledUp = async (): Promise<number> => {
      const [row] = await database.dataSource.query<{ sum: string }[]>(
        'SELECT sum(sign * coalesce(cost, 0)) FROM usage_pending WHERE organisation_id = $1',
        [organisationId],
      );
      return Number(row?.sum);
    };

    it('subtracts an estimate from its period when the reported usage is less', async () => {
      await store(estimate(700, 1_000));
      expect(await usedOf(KEY, 0)).toBe(700);
      await store(truth(40, 40, 2_000));
      expect(await balanceAt(1_000)).toMatchObject({ used: 40, adjusted: -700 });
      expect(await balanceAt(2_000)).toMatchObject({ used: 40, adjusted: 0, holders: [['g.2', 40]] });
      expect([await logged(), await rolledUp()]).toEqual([40, 40]);
      await store(truth(60, 60, 2_000), truth(50, 50, 2_000));
      expect(await balanceAt(0)).toMatchObject({ used: 60, adjusted: -700 });
    });

    it('does not charge an estimate that arrives after the reported usage, and corrects counters that counted it', async () => {
      await store(truth(40));
      await store(estimate(700));
      const balance = await balanceAt(0);
      expect(balance).toMatchObject({ used: 40, adjusted: -700 });
      expect(new Map(balance?.holders)).toEqual(
        new Map([
          ['g.1', 700],
          ['g.2', 40],
        ]),
      );
      expect([await logged(), await rolledUp()]).toEqual([40, 40]);
    });

    it('keeps the cost of an estimate when a response without a price reports the tokens', async () => {
      await store(estimate(700), truth(null, 9));
      expect(await usedOf(KEY, 0)).toBe(700);
      await store(truth(5, 5));
      expect(await usedOf(KEY, 0)).toBe(5);
    });

    it('replaces an estimate by a reported usage of zero', async () => {
      await store(truth(0));
      await store(estimate(700), truth(0));
      expect([await usedOf(KEY, 0), await logged(), await rolledUp()]).toEqual([0, 0, 0]);
    });

    it('replaces an estimate once in budgets, logs and analytics when records arrive in any order, repeated or concurrent', async () => {
      const REPORTED = fc.record({
        isEstimate: fc.boolean(),
        cost: fc.nat({ max: 99 }),
        period: fc.constantFrom(1_000, 2_000),
        holder: fc.constantFrom('g.1', 'g.2'),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(REPORTED, { minLength: 1, maxLength: 8 }),
          BATCHES,
          async (reported, batches) => {
            organisationId = randomUUID();
            const records = reported.map(({ isEstimate, cost, period, holder }) =>
              isEstimate ? estimate(cost, period, holder) : truth(cost, cost, period, holder),
            );
            const pick = (batch: readonly number[]) =>
              batch.map((at) => records[at % records.length] as LogRecord);
            for (const [one, other] of batches)
              await Promise.all([store(...pick(one)), store(...pick(other))]);
            await store(...records);
            const truths = reported.filter(({ isEstimate }) => !isEstimate);
            const most = Math.max(...(truths.length > 0 ? truths : reported).map(({ cost }) => cost));
            expect([await usedOf(KEY, 0), await logged(), await rolledUp()]).toEqual([most, most, most]);
            const all = await balanceAt(0);
            const counted = (all?.holders ?? []).reduce((sum, [, part]) => sum + part, 0);
            expect(counted + (all?.adjusted ?? 0)).toBe(most);
            for (const holder of ['g.1', 'g.2']) {
              const own = reported.filter((each) => each.isEstimate && each.holder === holder);
              const part = new Map(all?.holders).get(holder) ?? 0;
              // A gateway counts everything that its own requests create.
              expect(part).toBeGreaterThanOrEqual(own.reduce((sum, { cost }) => sum + cost, 0));
            }
            const [sums] = await database.dataSource.query<Record<string, string>[]>(
              `SELECT sum(cost) AS cost, sum(tokens) AS tokens, min(cost) FILTER (WHERE account LIKE 'limit:%') AS least
             FROM ledger_balances WHERE organisation_id = $1`,
              [organisationId],
            );
            expect(sums).toMatchObject({ cost: '0', tokens: '0' });
            expect(Number(sums?.['least'])).toBeGreaterThanOrEqual(0);
            const [hours] = await database.dataSource.query<{ cost: string }[]>(
              'SELECT sum(cost) AS cost FROM budget_hours WHERE organisation_id = $1',
              [organisationId],
            );
            expect(Number(hours?.cost)).toBe(most);
          },
        ),
        { numRuns: 20 },
      );
    });
  });

  it('returns the part of each gateway consistently with the balance', async () => {
    await store(
      record([charge({ counters: [[KEY, 1_000, 'g.1']] })]),
      record([charge({ cost: 5, counters: [[KEY, 1_000, 'g.2']] })]),
      record([charge({ cost: 40, counters: [[KEY, 2_000, 'g.1']] })]),
      record([charge({ cost: 3, counters: [[KEY, 2_000]] })]),
    );
    const requested = async (since: number) =>
      (await book.balances({ organisationId, counters: [{ key: KEY, since }] }))[0];
    const all = await requested(0);
    expect(all?.used).toBe(748);
    expect(new Map(all?.holders)).toEqual(
      new Map([
        ['g.1', 740],
        ['g.2', 5],
      ]),
    );
    expect(await requested(1_500)).toMatchObject({ used: 43, holders: [['g.1', 40]] });
  });

  it('marks gateways without charges for two days, and drops them after five', async () => {
    const names = ['now', 'before', 'gone'];
    await store(...names.map((name) => record([charge({ cost: 5, counters: [[KEY, 0, name]] })])));
    for (const [name, days] of [
      ['before', 3],
      ['gone', 6],
    ] as const) {
      await database.dataSource.query(
        `UPDATE ledger_holders SET updated_at = updated_at - make_interval(days => $1)
         WHERE organisation_id = $2 AND holder = $3`,
        [days, organisationId, name],
      );
    }
    const [reported] = await book.balances({ organisationId, counters: [{ key: KEY, since: 0 }] });
    expect(reported).toEqual({
      period: 0,
      used: 15,
      adjusted: 0,
      holders: [['now', 5]],
      former: [['before', 5]],
    });
    await forgetHolders(database.dataSource.manager);
    const [kept] = await database.dataSource.query<[{ count: string }]>(
      'SELECT count(*) FROM ledger_holders WHERE organisation_id = $1',
      [organisationId],
    );
    expect(kept).toEqual({ count: '2' });
  });

  it('keeps balances equal to a plain sum and entries balanced for repeated, split and concurrent batches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(RECORD, { minLength: 1, maxLength: 8 }), BATCHES, async (made, batches) => {
        organisationId = randomUUID();
        const records = made.map(({ charges, saved, once }) => {
          const reported = once === null ? [] : [charge({ ...ONCE, once: `batch i ${once}` })];
          const sample = record([...charges, ...reported]);
          const { decision } = sample;
          const cache = { status: 'HIT', key: null, savedCost: saved } as (typeof decision)['cache'];
          return { ...sample, cacheStatus: 'HIT', decision: { ...decision, cache } };
        });
        const pick = (batch: readonly number[]) =>
          batch.map((at) => records[at % records.length] as LogRecord);
        for (const [one, other] of batches) await Promise.all([store(...pick(one)), store(...pick(other))]);
        await store(...records);

        const names = new Set(made.flatMap(({ once }) => once ?? []));
        const all = [...made.flatMap(({ charges }) => charges), ...[...names].map(() => charge(ONCE))];
        for (const [key, measure] of [
          [KEY, 'cost'],
          [TOKENS, 'tokens'],
        ] as const) {
          for (const since of [0, 500]) {
            const counted = all.filter(({ counters }) =>
              counters.some(([of, at]) => of === key && at >= since),
            );
            expect(await usedOf(key, since)).toBe(
              counted.reduce((sum, each) => sum + (each[measure] ?? 0), 0),
            );
          }
        }
        const rows: { account: string; cost: string; tokens: string; requests: string }[] =
          await database.dataSource.query('SELECT * FROM ledger_balances WHERE organisation_id = $1', [
            organisationId,
          ]);
        const sumOf = (of: (account: string) => boolean, name: 'cost' | 'tokens' | 'requests'): number =>
          rows.filter(({ account }) => of(account)).reduce((sum, row) => sum + Number(row[name]), 0);
        for (const name of ['cost', 'tokens', 'requests'] as const) expect(sumOf(() => true, name)).toBe(0);
        const spent = sumOf((account) => account.startsWith('spend:'), 'cost');
        expect(spent).toBe(all.reduce((sum, { cost }) => sum + (cost ?? 0), 0));
        const saved = made.reduce((sum, each) => sum + each.saved, 0);
        expect(sumOf((account) => account === 'cache_saved', 'cost')).toBe(saved);
      }),
      { numRuns: 15 },
    );
  });

  it('returns what each counter counts from its own period on', async () => {
    await store(
      record([charge({ counters: [[KEY, 1_000]] }), charge({ cost: 5, counters: [[KEY, 2_000]] })]),
    );
    expect(await usedOf(KEY, 0)).toBe(705);
    expect(await usedOf(KEY, 2_000)).toBe(5);
    expect(await usedOf(KEY, 3_000)).toBe(0);
    expect(await usedOf('api_key:nobody:cost:budget', 0)).toBe(0);
  });

  it('keeps entries of money, tokens and requests balanced', async () => {
    await store(record([charge()]), record([charge({ line: 'fallback', cost: null, counters: [] })]));
    const [sums] = await database.dataSource.query<Record<string, string>[]>(
      `SELECT sum(cost) AS cost, sum(tokens) AS tokens, sum(requests) AS requests, count(*) AS rows
       FROM ledger_balances WHERE organisation_id = $1`,
      [organisationId],
    );
    expect(sums).toEqual({ cost: '0', tokens: '0', requests: '0', rows: '6' });
  });

  it('books the saving of cached responses once on its own line, and charges no budget with it', async () => {
    const hit = (cacheStatus: string, savedCost: number): LogRecord => {
      const sample = record([charge({ cost: 0, tokens: 0 })]);
      const { decision } = sample;
      const cache = { status: cacheStatus, key: null, savedCost } as (typeof decision)['cache'];
      return {
        ...sample,
        cacheStatus: cacheStatus,
        decision: { ...decision, cache },
      };
    };
    // The last one waited for another request's call, so the cache did not save it.
    const records = [hit('HIT', 40), hit('SEMANTIC HIT', 2), hit('MISS', 700)];
    await store(...records);
    await store(...records);
    expect(await usedOf(KEY, 0)).toBe(0);
    const rows: { account: string; cost: string; requests: string }[] = await database.dataSource.query(
      `SELECT account, cost, requests FROM ledger_balances
       WHERE organisation_id = $1 AND account LIKE 'cache%' ORDER BY account`,
      [organisationId],
    );
    expect(rows).toEqual([
      { account: 'cache:openai', cost: '-42', requests: '-2' },
      { account: 'cache_saved', cost: '42', requests: '2' },
    ]);
  });

  it('charges a record once that occurs twice in one batch', async () => {
    const twice = record([charge({ cost: 3 })]);
    await store(twice, { ...twice, amends: true }, twice);
    expect(await usedOf(KEY, 1_000)).toBe(3);
  });

  it('sums concurrent charges', async () => {
    const records = Array.from({ length: 40 }, () => record([charge({ cost: 3 })]));
    await Promise.all([0, 10, 20, 30].map((from) => store(...records.slice(from, from + 10))));
    expect(await usedOf(KEY, 1_000)).toBe(120);
  });

  it('computes the burn rate from the hourly charges of the last seven days', async () => {
    const HOUR = 3_600_000;
    // The clock stands still, because the rate changes with the hour that passes.
    const middle = Math.floor(Date.now() / HOUR) * HOUR + HOUR / 2;
    jest.spyOn(Date, 'now').mockReturnValue(middle);
    const at = (hoursAgo: number, cost: number, period = 0): LogRecord => ({
      ...record([charge({ cost, counters: [[KEY, period]] })]),
      createdAt: new Date(Date.now() - hoursAgo * HOUR).toISOString(),
    });
    const burn = async (since: number): Promise<unknown> =>
      (await book.balances({ organisationId, counters: [{ key: KEY, since }], withBurn: true }))[0];
    expect(await burn(0)).toMatchObject({ period: 0, used: 0, perDay: null });
    await store(at(0, 5));
    expect(await burn(0)).toMatchObject({ used: 5 });
    await database.dataSource.query('UPDATE budget_hours SET hour = hour - $1 WHERE organisation_id = $2', [
      (24 * 2 - 1) * HOUR,
      organisationId,
    ]);
    await store(at(0, 1), at(0, 2, 1));
    // 8 in 47 hours and the elapsed half of this hour.
    const { perDay } = (await burn(0)) as { perDay: number };
    expect(perDay).toBeCloseTo((8 / 47.5) * 24, 6);
    expect(await burn(1)).toMatchObject({ period: 1, used: 2 });
    await database.dataSource.query('UPDATE budget_hours SET hour = hour - $1 WHERE organisation_id = $2', [
      9 * 24 * HOUR,
      organisationId,
    ]);
    await store(at(0, 14));
    expect((await burn(0)) as object).toMatchObject({ used: 22, perDay: 2 });
    const [plain] = await book.balances({ organisationId, counters: [{ key: KEY, since: 0 }] });
    expect(plain).toEqual({ period: 0, used: 22, adjusted: 0, holders: [], former: [] });
  });

  it.each([null, 'no list', [null], [{ ...charge(), cost: -1 }], [{ ...charge(), counters: [['k', 'x']] }]])(
    'stores a record whose charges are %j, and charges nothing',
    async (charges) => {
      await expect(store(record(charges))).resolves.toMatchObject({ accepted: 1 });
      expect(touched).toEqual([]);
    },
  );

  it('counts values with characters that Postgres texts cannot store', async () => {
    const key = 'policy:p:requests:budget:metadata.a:\0b';
    await expect(store(record([charge({ counters: [[key, 0]] })]))).resolves.toMatchObject({ accepted: 1 });
    expect(await usedOf(key, 0)).toBe(1);
  });
});
