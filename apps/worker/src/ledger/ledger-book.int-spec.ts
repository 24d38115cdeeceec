import { randomUUID } from 'node:crypto';
import type { ChargeRecord, LogRecord } from '@gw/contracts';
import { decodeFrames, encodeFrame } from '@gw/telemetry';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
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

describe('the durable record of budgets', () => {
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

  it('counts what a record charged once, however often and in whatever batches it comes', async () => {
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

  it('charges once what several records tell of, and stores the others as free, however often they come', async () => {
    const told = (): LogRecord => ({
      ...record([charge({ once: 'batch i b1', requests: 0, counters: [[KEY, 1_000]] })]),
      cost: 700,
    });
    const [one, other] = [told(), told()];
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

  it('tells which part of a balance each gateway has charged, of one moment with the balance', async () => {
    await store(
      record([charge({ counters: [[KEY, 1_000, 'g.1']] })]),
      record([charge({ cost: 5, counters: [[KEY, 1_000, 'g.2']] })]),
      record([charge({ cost: 40, counters: [[KEY, 2_000, 'g.1']] })]),
      record([charge({ cost: 3, counters: [[KEY, 2_000]] })]),
    );
    const asked = async (since: number) =>
      (await book.balances({ organisationId, counters: [{ key: KEY, since }] }))[0];
    const all = await asked(0);
    expect(all?.used).toBe(748);
    expect(new Map(all?.holders)).toEqual(
      new Map([
        ['g.1', 740],
        ['g.2', 5],
      ]),
    );
    expect(await asked(1_500)).toMatchObject({ used: 43, holders: [['g.1', 40]] });
  });

  it('asks each counter for what it counts, in its own period and those after it', async () => {
    await store(
      record([charge({ counters: [[KEY, 1_000]] }), charge({ cost: 5, counters: [[KEY, 2_000]] })]),
    );
    expect(await usedOf(KEY, 0)).toBe(705);
    expect(await usedOf(KEY, 2_000)).toBe(5);
    expect(await usedOf(KEY, 3_000)).toBe(0);
    expect(await usedOf('api_key:nobody:cost:budget', 0)).toBe(0);
  });

  it('keeps books that add up to nothing, in money, tokens and requests', async () => {
    await store(record([charge()]), record([charge({ line: 'fallback', cost: null, counters: [] })]));
    const [sums] = await database.dataSource.query<Record<string, string>[]>(
      `SELECT sum(cost) AS cost, sum(tokens) AS tokens, sum(requests) AS requests, count(*) AS rows
       FROM ledger_balances WHERE organisation_id = $1`,
      [organisationId],
    );
    expect(sums).toEqual({ cost: '0', tokens: '0', requests: '0', rows: '6' });
  });

  it('charges a record once that comes twice in one batch', async () => {
    const twice = record([charge({ cost: 3 })]);
    await store(twice, { ...twice, amends: true }, twice);
    expect(await usedOf(KEY, 1_000)).toBe(3);
  });

  it('adds up charges that are stored at the same time', async () => {
    const records = Array.from({ length: 40 }, () => record([charge({ cost: 3 })]));
    await Promise.all([0, 10, 20, 30].map((from) => store(...records.slice(from, from + 10))));
    expect(await usedOf(KEY, 1_000)).toBe(120);
  });

  it('knows how fast a budget is used, by what its hours were charged in the last seven days', async () => {
    const HOUR = 3_600_000;
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
    // 8 in 47 hours and what of this hour has passed.
    const { perDay } = (await burn(0)) as { perDay: number };
    expect(perDay).toBeGreaterThanOrEqual((8 / 48) * 24);
    expect(perDay).toBeLessThanOrEqual((8 / 47) * 24);
    expect(await burn(1)).toMatchObject({ period: 1, used: 2 });
    await database.dataSource.query('UPDATE budget_hours SET hour = hour - $1 WHERE organisation_id = $2', [
      9 * 24 * HOUR,
      organisationId,
    ]);
    await store(at(0, 14));
    expect((await burn(0)) as object).toMatchObject({ used: 22, perDay: 2 });
    const [plain] = await book.balances({ organisationId, counters: [{ key: KEY, since: 0 }] });
    expect(plain).toEqual({ period: 0, used: 22, holders: [] });
  });

  it.each([null, 'no list', [null], [{ ...charge(), cost: -1 }], [{ ...charge(), counters: [['k', 'x']] }]])(
    'stores a record whose charges are %j, and charges nothing',
    async (charges) => {
      await expect(store(record(charges))).resolves.toMatchObject({ accepted: 1 });
      expect(touched).toEqual([]);
    },
  );

  it('counts values that hold what Postgres texts cannot', async () => {
    const key = 'policy:p:requests:budget:metadata.a:\0b';
    await expect(store(record([charge({ counters: [[key, 0]] })]))).resolves.toMatchObject({ accepted: 1 });
    expect(await usedOf(key, 0)).toBe(1);
  });
});
