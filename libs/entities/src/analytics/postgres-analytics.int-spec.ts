import type { AnalyticsAsk, AnalyticsRow } from '@gw/analytics';
import { analyticsAsks, analyticsContract, analyticsSample, expectedRows, testDatabase } from '@gw/testing';
import { dayOf, ensureLogPartitions } from '../logs/log-partitions';
import { insertLogs } from '../logs/log-writer.queries';
import type { RequestLogRow } from '../logs/request-log-row';
import { UsagePending1795490010000 } from '../migrations/1795490010000-usage-pending';
import { PostgresAnalytics } from './postgres-analytics';
import { addToRollups, dropOldRollups, mergeRollups } from './rollup-writer.queries';

const DAY_MS = 86_400_000;

describe('PostgresAnalytics', () => {
  const database = testDatabase();
  const put = async (rows: readonly RequestLogRow[]): Promise<void> => {
    await ensureLogPartitions(database.dataSource, new Set(rows.map((row) => dayOf(row.created_at))));
    await database.dataSource.transaction(async (manager) => {
      await insertLogs(
        manager,
        rows.map((row) => ({ row, request: null, response: null })),
      );
      await addToRollups(manager, rows);
    });
    // Half of what the questions are asked of is merged, and half is not.
    if ((merges += 1) % 2 === 1) await mergeRollups(database.dataSource);
  };
  let merges = 0;

  analyticsContract(() => new PostgresAnalytics(database.dataSource), put);
});

describe('rollups', () => {
  const database = testDatabase();
  const now = Date.now();
  const rows = analyticsSample(500, now, 7);
  const add = (some: readonly RequestLogRow[], sign?: 1 | -1): Promise<void> =>
    database.dataSource.transaction((manager) => addToRollups(manager, some, sign));
  const ask = (name: string, changes: Partial<AnalyticsAsk> = {}): AnalyticsAsk => ({
    ...(analyticsAsks(now)[name] as AnalyticsAsk),
    // Whole hours, so that no log is read.
    from: Math.floor(now / DAY_MS - 60) * DAY_MS,
    to: Math.ceil(now / DAY_MS + 1) * DAY_MS - 1,
    ...changes,
  });
  /** As they are after the correction of one of the tests. */
  const corrected = (): RequestLogRow[] =>
    rows.map((row, i) => (i % 3 === 0 ? { ...row, cost: 5, duration_ms: 1 } : row));
  const read = (asked: AnalyticsAsk): Promise<AnalyticsRow[]> =>
    new PostgresAnalytics(database.dataSource).rows(asked);

  beforeAll(async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => add(rows.slice(i * 50, i * 50 + 50))));
  }, 60_000);

  it('add up exactly when many writers enter requests of the same hours at once, before they are merged and after', async () => {
    const asked = ask('all of an organisation');
    expect(await read(asked)).toEqual(expectedRows(asked, rows));
    const merged = await Promise.all([1, 2, 3].map(() => mergeRollups(database.dataSource, 70)));
    expect(await read(asked)).toEqual(expectedRows(asked, rows));
    // One at a time does it, and what the others leave is not lost.
    const rest = await mergeRollups(database.dataSource);
    const owned = rows.filter(({ organisation_id: organisationId }) => organisationId !== null);
    expect(merged.reduce((sum, count) => sum + count, rest)).toBe(owned.length);
    expect(await mergeRollups(database.dataSource)).toBe(0);
    expect(await read(asked)).toEqual(expectedRows(asked, rows));
  });

  it('follow a correction: the request leaves as it was and comes back as it is', async () => {
    const after = corrected();
    const changed = (list: readonly RequestLogRow[]): RequestLogRow[] => list.filter((_, i) => i % 3 === 0);
    await database.dataSource.transaction(async (manager) => {
      await addToRollups(manager, changed(rows), -1);
      await addToRollups(manager, changed(after));
    });
    const expectCorrected = async (): Promise<void> => {
      for (const name of ['all of a workspace', 'by model', 'by metadata']) {
        const asked = ask(name);
        expect(await read(asked)).toEqual(expectedRows(asked, after));
      }
    };
    await expectCorrected();
    await mergeRollups(database.dataSource);
    await expectCorrected();
    await add(changed(after), -1);
    const left = after.filter((_, i) => i % 3 !== 0);
    const asked = ask('by status and time');
    // When a group was first and last seen is not told anew by what leaves it.
    const told = { ...asked, measures: asked.measures.filter((name) => !name.endsWith('_seen')) };
    expect(await read(told)).toEqual(expectedRows(told, left));
    await add(changed(after));
    await mergeRollups(database.dataSource);
  });

  it('of few dimensions are made of the finer ones where those were there before them', async () => {
    const runner = database.dataSource.createQueryRunner();
    await new UsagePending1795490010000().down(runner);
    await new UsagePending1795490010000().up(runner);
    await runner.release();
    for (const name of ['all of an organisation', 'by model', 'users of all']) {
      const asked = ask(name);
      expect(await read(asked)).toEqual(expectedRows(asked, corrected()));
    }
  });

  it('are kept by their grain: quarters for a month, hours for a year', async () => {
    const grains = async (): Promise<Record<string, number>> => {
      const found: { grain: number; oldest: string }[] = await database.dataSource.query(
        `SELECT grain, floor(extract(epoch FROM now() - min(at)) / 86400) AS oldest FROM usage_rollups GROUP BY grain`,
      );
      return Object.fromEntries(found.map(({ grain, oldest }) => [String(grain), Number(oldest)]));
    };
    expect((await grains())['15']).toBeGreaterThan(40);
    expect(await dropOldRollups(database.dataSource, new Date(now))).toBeGreaterThan(0);
    const kept = await grains();
    expect(kept['15']).toBeLessThanOrEqual(32);
    expect(kept['60']).toBeGreaterThan(40);
    expect(await dropOldRollups(database.dataSource, new Date(now))).toBe(0);
  });
});
