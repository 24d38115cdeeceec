import type { AnalyticsQueryCase, AnalyticsRow } from '@gw/analytics';
import { dataSourceOptions, MIGRATIONS } from '@gw/entities';
import { HOUR_MS, DAY_MS } from '@gw/kernel';
import {
  analyticsQueries,
  analyticsContract,
  analyticsSample,
  expectedRows,
  testDatabase,
} from '@gw/testing';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { dayOf, ensureLogPartitions } from '../rows/log-partitions';
import { insertLogs } from '../rows/log-writer.queries';
import type { RequestLogRow } from '../rows/log-columns';
import { PostgresAnalytics } from './postgres-analytics';
import { buildRollups, rollupsBuiltUntil } from './rollup-builder.queries';
import { dropOldRollups } from './rollup-retention.queries';
import { ROLLUP_TABLES } from './rollup-tables';
import { inTurn } from './rollup-turn';
import { addToRollups, mergeRollups } from './rollup-writer.queries';

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
    // Half of the queried rows are merged, and half are not; half of the recent hours are made, and some records come after that.
    if ((merges += 1) % 2 === 1) await mergeRollups(database.dataSource);
    if (merges === 2) await buildRollups(database.dataSource, new Date(Date.now() - DAY_MS));
  };
  let merges = 0;
  beforeAll(() =>
    startBuildingFrom(database.dataSource, new Date(Math.floor(Date.now() / DAY_MS - 3) * DAY_MS)),
  );

  analyticsContract(() => new PostgresAnalytics(database.dataSource), put);
});

describe('rollups', () => {
  const database = testDatabase();
  const now = Date.now();
  const rows = analyticsSample(500, now, 7);
  const add = (some: readonly RequestLogRow[], sign?: 1 | -1): Promise<void> =>
    database.dataSource.transaction((manager) => addToRollups(manager, some, sign));
  const ask = (name: string, changes: Partial<AnalyticsQueryCase> = {}): AnalyticsQueryCase => ({
    ...(analyticsQueries(now)[name] as AnalyticsQueryCase),
    // Whole hours, so that no log is read.
    from: Math.floor(now / DAY_MS - 60) * DAY_MS,
    to: Math.ceil(now / DAY_MS + 1) * DAY_MS - 1,
    ...changes,
  });
  /** As they are after the correction of one of the tests. */
  const corrected = (): RequestLogRow[] =>
    rows.map((row, i) => (i % 3 === 0 ? { ...row, cost: 5, duration_ms: 1 } : row));
  const read = (requested: AnalyticsQueryCase): Promise<AnalyticsRow[]> =>
    new PostgresAnalytics(database.dataSource).rows(requested);

  beforeAll(async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => add(rows.slice(i * 50, i * 50 + 50))));
  }, 120_000);

  it('add up exactly when many writers enter requests of the same hours at once, before they are merged and after', async () => {
    const requested = ask('all of an organisation');
    expect(await read(requested)).toEqual(expectedRows(requested, rows));
    const merged = await Promise.all([1, 2, 3].map(() => mergeRollups(database.dataSource, 70)));
    expect(await read(requested)).toEqual(expectedRows(requested, rows));
    // One at a time does it, and what the others leave is not lost.
    const rest = await mergeRollups(database.dataSource);
    const owned = rows.filter(({ organisation_id: organisationId }) => organisationId !== null);
    expect(merged.reduce((sum, count) => sum + count, rest)).toBe(owned.length);
    expect(await mergeRollups(database.dataSource)).toBe(0);
    expect(await read(requested)).toEqual(expectedRows(requested, rows));
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
        const requested = ask(name);
        expect(await read(requested)).toEqual(expectedRows(requested, after));
      }
    };
    await expectCorrected();
    await mergeRollups(database.dataSource);
    await expectCorrected();
    await add(changed(after), -1);
    const left = after.filter((_, i) => i % 3 !== 0);
    const requested = ask('by status and time');
    // When a group was first and last seen is not changed by what leaves it.
    const reported = { ...requested, measures: requested.measures.filter((name) => !name.endsWith('_seen')) };
    expect(await read(reported)).toEqual(expectedRows(reported, left));
    await add(changed(after));
    await mergeRollups(database.dataSource);
  });

  it('of few dimensions are made of the finer ones where those were there before them', async () => {
    await withoutOutcomes(database.dataSource, async (runner) => {
      await migration('UsagePending1795490010000').down(runner);
      await migration('UsagePending1795490010000').up(runner);
    });
    for (const name of ['all of an organisation', 'by model', 'users of all']) {
      const requested = ask(name);
      expect(await read(requested)).toEqual(expectedRows(requested, judgedByStatus(corrected())));
    }
  });

  it('count what was written before there were outcomes by its status, and what comes after by both', async () => {
    const cut = { ...(rows[0] as RequestLogRow), status: 200, outcome: 'interrupted' } as const;
    const more = [cut, { ...cut, outcome: 'ok' } as const];
    await add(more);
    const expectBoth = async (): Promise<void> => {
      for (const name of ['all of an organisation', 'of what is no success', 'by status and time']) {
        const requested = ask(name);
        const known = [...judgedByStatus(corrected()), ...more];
        expect(await read(requested)).toEqual(expectedRows(requested, known));
      }
    };
    await expectBoth();
    await mergeRollups(database.dataSource);
    await expectBoth();
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

describe('rollups of hours and six hours', () => {
  const database = testDatabase();
  const now = Date.now();
  const days = (count: number): Date => new Date(Math.floor(now / DAY_MS + count) * DAY_MS);
  const rows = analyticsSample(400, now, 3);
  const late = analyticsSample(100, now, 2);
  const all = [...rows, ...late];
  const add = (some: readonly RequestLogRow[]): Promise<void> =>
    database.dataSource.transaction((manager) => addToRollups(manager, some));
  const expectExact = async (known: readonly RequestLogRow[]): Promise<void> => {
    for (const name of ['by model', 'by metadata', 'users of all', 'by status and time']) {
      // Whole days, so that no log is read.
      const whole = { from: days(-25).getTime(), to: days(2).getTime() - 1 };
      const ask = { ...(analyticsQueries(now)[name] as AnalyticsQueryCase), ...whole };
      expect(await new PostgresAnalytics(database.dataSource).rows(ask)).toEqual(expectedRows(ask, known));
    }
  };
  const hasGrains = async (from: Date): Promise<number[]> => {
    const found: { grain: number }[] = await database.dataSource.query(
      'SELECT DISTINCT grain FROM usage_rollups WHERE at >= $1 ORDER BY grain',
      [from],
    );
    return found.map(({ grain }) => grain);
  };

  beforeAll(async () => {
    await startBuildingFrom(database.dataSource, days(-4));
    await add(rows);
    await mergeRollups(database.dataSource);
  });

  it('are made of the finer ones once they are over, stretch by stretch, and answers stay exact', async () => {
    expect(await hasGrains(days(-4))).toEqual([15]);
    await expectExact(rows);
    await buildRollups(database.dataSource, new Date(days(-2).getTime() + 7.5 * HOUR_MS));
    expect(await rollupsBuiltUntil(database.dataSource)).toEqual({
      15: Infinity,
      60: days(-2).getTime() + 7 * HOUR_MS,
      360: days(-2).getTime() + 6 * HOUR_MS,
    });
    await expectExact(rows);
    await buildRollups(database.dataSource, days(1));
    expect(await hasGrains(days(-4))).toEqual([15, 60, 360]);
    await expectExact(rows);
    // Half an hour ago is not over.
    expect((await rollupsBuiltUntil(database.dataSource))[60]).toBe(days(1).getTime() - HOUR_MS);
  });

  it('take what comes late', async () => {
    await add(late);
    await expectExact(all);
    await mergeRollups(database.dataSource);
    await expectExact(all);
    await database.dataSource.query('DELETE FROM usage_rollups WHERE grain = 15 AND at < $1', [days(0)]);
    await database.dataSource.query('DELETE FROM usage_metadata_rollups WHERE grain = 15 AND at < $1', [
      days(0),
    ]);
    await expectExact(all);
  });

  it('replace what a release before them has left', async () => {
    await startBuildingFrom(database.dataSource, days(0));
    await database.dataSource.query(
      `UPDATE usage_rollups SET requests = 1000 WHERE grain > 15 AND at >= $1`,
      [days(0)],
    );
    await buildRollups(database.dataSource, days(1));
    await expectExact(all);
  });

  it('are made by the migration back for all that was not over', async () => {
    await startBuildingFrom(database.dataSource, days(0));
    await withoutOutcomes(database.dataSource, async (runner) => {
      await migration('UsageBuilt1795490040000').down(runner);
      expect(await hasGrains(days(0))).toEqual([15, 60, 360]);
      await migration('UsageBuilt1795490040000').up(runner);
    });
    await expectExact(judgedByStatus(all));
  });
});

describe('a turn of the rollups', () => {
  const database = testDatabase();

  it('may run longer than the timeouts of its data source', async () => {
    const options = { url: database.url, poolSize: 1, applicationName: 'test', statementTimeoutMs: 100 };
    const source = await new DataSource(dataSourceOptions(options)).initialize();
    // The driver gives up 2 s after the timeout of the server.
    const slow = inTurn(source, (query) => query('SELECT pg_sleep($1)::text AS slept', [2.5]));
    await expect(slow.finally(() => source.destroy())).resolves.toEqual([{ slept: '' }]);
  });
});

/** Migrations that added columns to sums later, newest first. */
const LATER = ['McpLogFields1795874000000', 'UsageOutcomes1795600000000'] as const;

/** Runs migrations on the schema that they were written for; sums lose their outcomes on the way. */
async function withoutOutcomes(
  source: DataSource,
  migrate: (runner: QueryRunner) => Promise<void>,
): Promise<void> {
  const runner = source.createQueryRunner();
  for (const name of LATER) await migration(name).down(runner);
  await migrate(runner);
  for (const name of [...LATER].reverse()) await migration(name).up(runner);
  await runner.release();
}

/** As releases saw them that knew no outcomes. */
const judgedByStatus = (rows: readonly RequestLogRow[]): RequestLogRow[] =>
  rows.map((row) => ({ ...row, outcome: '' as RequestLogRow['outcome'] }));

/** As after an upgrade at that moment. */
async function startBuildingFrom(source: DataSource, until: Date): Promise<void> {
  await source.query('UPDATE usage_built SET until = $1 WHERE grain > 15', [until]);
  for (const { table } of ROLLUP_TABLES)
    await source.query(`DELETE FROM ${table} WHERE grain > 15 AND at >= $1`, [until]);
}

/** A migration of this installation, to run it down and up again. */
function migration(name: string): MigrationInterface {
  const found = MIGRATIONS.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`there is no migration ${name}`);
  return new found();
}
