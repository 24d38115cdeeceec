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
    // Every second batch is merged, the others stay pending. Some hours are built before the later
    // batches, so that records arrive for built hours.
    if ((merges += 1) % 2 === 1) await mergeRollups(database.dataSource);
    if (merges === 2) await buildRollups(database.dataSource, new Date(Date.now() - DAY_MS));
  };
  let merges = 0;
  beforeAll(() =>
    startBuildingFrom(database.dataSource, new Date(Math.floor(Date.now() / DAY_MS - 3) * DAY_MS)),
  );

  analyticsContract(() => new PostgresAnalytics(database.dataSource), put);
});

describe('usage rollups', () => {
  const database = testDatabase();
  const now = Date.now();
  const rows = analyticsSample(500, now, 7);
  const add = (added: readonly RequestLogRow[], sign?: 1 | -1): Promise<void> =>
    database.dataSource.transaction((manager) => addToRollups(manager, added, sign));
  const queryOf = (name: string, changes: Partial<AnalyticsQueryCase> = {}): AnalyticsQueryCase => ({
    ...(analyticsQueries(now)[name] as AnalyticsQueryCase),
    // Whole days, so that no log is read.
    from: Math.floor(now / DAY_MS - 60) * DAY_MS,
    to: Math.ceil(now / DAY_MS + 1) * DAY_MS - 1,
    ...changes,
  });
  /** Returns the rows with the corrections that one of the tests stores. */
  const corrected = (): RequestLogRow[] =>
    rows.map((row, i) => (i % 3 === 0 ? { ...row, cost: 5, duration_ms: 1 } : row));
  const read = (query: AnalyticsQueryCase): Promise<AnalyticsRow[]> =>
    new PostgresAnalytics(database.dataSource).rows(query);

  beforeAll(async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => add(rows.slice(i * 50, i * 50 + 50))));
  });

  it('sum requests of concurrent writers exactly, before and after the merge', async () => {
    const query = queryOf('all of an organisation');
    expect(await read(query)).toEqual(expectedRows(query, rows));
    const merged = await Promise.all([1, 2, 3].map(() => mergeRollups(database.dataSource, 70)));
    expect(await read(query)).toEqual(expectedRows(query, rows));
    // Only one call merges at a time; the next call merges what the others skipped.
    const rest = await mergeRollups(database.dataSource);
    const owned = rows.filter(({ organisation_id: organisationId }) => organisationId !== null);
    expect(merged.reduce((sum, count) => sum + count, rest)).toBe(owned.length);
    expect(await mergeRollups(database.dataSource)).toBe(0);
    expect(await read(query)).toEqual(expectedRows(query, rows));
  });

  it('replace the old values of a corrected request by the new ones', async () => {
    const after = corrected();
    const changed = (list: readonly RequestLogRow[]): RequestLogRow[] => list.filter((_, i) => i % 3 === 0);
    await database.dataSource.transaction(async (manager) => {
      await addToRollups(manager, changed(rows), -1);
      await addToRollups(manager, changed(after));
    });
    const expectCorrected = async (): Promise<void> => {
      for (const name of ['all of a workspace', 'by model', 'by metadata']) {
        const query = queryOf(name);
        expect(await read(query)).toEqual(expectedRows(query, after));
      }
    };
    await expectCorrected();
    await mergeRollups(database.dataSource);
    await expectCorrected();
    await add(changed(after), -1);
    const left = after.filter((_, i) => i % 3 !== 0);
    const query = queryOf('by status and time');
    // Removing a request does not change the first and last time of its group.
    const withoutTimes = { ...query, measures: query.measures.filter((name) => !name.endsWith('_seen')) };
    expect(await read(withoutTimes)).toEqual(expectedRows(withoutTimes, left));
    await add(changed(after));
    await mergeRollups(database.dataSource);
  });

  it('of few dimensions are built from existing finer rollups by the migration', async () => {
    await withoutOutcomes(database.dataSource, async (runner) => {
      await migration('UsagePending1795490010000').down(runner);
      await migration('UsagePending1795490010000').up(runner);
    });
    for (const name of ['all of an organisation', 'by model', 'users of all']) {
      const query = queryOf(name);
      expect(await read(query)).toEqual(expectedRows(query, judgedByStatus(corrected())));
    }
  });

  it('judge rows without an outcome by their status, and newer rows by status and outcome', async () => {
    const cut = { ...(rows[0] as RequestLogRow), status: 200, outcome: 'interrupted' } as const;
    const more = [cut, { ...cut, outcome: 'ok' } as const];
    await add(more);
    const expectBoth = async (): Promise<void> => {
      for (const name of ['all of an organisation', 'of unsuccessful requests', 'by status and time']) {
        const query = queryOf(name);
        const stored = [...judgedByStatus(corrected()), ...more];
        expect(await read(query)).toEqual(expectedRows(query, stored));
      }
    };
    await expectBoth();
    await mergeRollups(database.dataSource);
    await expectBoth();
  });

  it('keep quarters of an hour for 32 days and hours for a year', async () => {
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
  const add = (added: readonly RequestLogRow[]): Promise<void> =>
    database.dataSource.transaction((manager) => addToRollups(manager, added));
  const expectExact = async (stored: readonly RequestLogRow[]): Promise<void> => {
    for (const name of ['by model', 'by metadata', 'users of all', 'by status and time']) {
      // Whole days, so that no log is read.
      const whole = { from: days(-25).getTime(), to: days(2).getTime() - 1 };
      const query = { ...(analyticsQueries(now)[name] as AnalyticsQueryCase), ...whole };
      expect(await new PostgresAnalytics(database.dataSource).rows(query)).toEqual(
        expectedRows(query, stored),
      );
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

  it('are built from finer rollups after their time, and results stay exact at each step', async () => {
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
    // The last hour is not built, since it ended less than ten minutes before.
    expect((await rollupsBuiltUntil(database.dataSource))[60]).toBe(days(1).getTime() - HOUR_MS);
  });

  it('count requests that arrive after their range was built', async () => {
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

  it('replace rows that an older release left', async () => {
    await startBuildingFrom(database.dataSource, days(0));
    await database.dataSource.query(
      `UPDATE usage_rollups SET requests = 1000 WHERE grain > 15 AND at >= $1`,
      [days(0)],
    );
    await buildRollups(database.dataSource, days(1));
    await expectExact(all);
  });

  it('are built by the down migration for ranges that are not over', async () => {
    await startBuildingFrom(database.dataSource, days(0));
    await withoutOutcomes(database.dataSource, async (runner) => {
      await migration('UsageBuilt1795490040000').down(runner);
      expect(await hasGrains(days(0))).toEqual([15, 60, 360]);
      await migration('UsageBuilt1795490040000').up(runner);
    });
    await expectExact(judgedByStatus(all));
  });
});

describe('inTurn', () => {
  const database = testDatabase();

  it('allows statements that exceed the timeouts of the data source', async () => {
    const options = { url: database.url, poolSize: 1, applicationName: 'test', statementTimeoutMs: 1_000 };
    const source = await new DataSource(dataSourceOptions(options)).initialize();
    // The driver gives up 2 s after the server's timeout.
    const slow = inTurn(source, (query) => query('SELECT pg_sleep($1)::text AS slept', [3.5]));
    try {
      expect(await slow).toEqual([{ slept: '' }]);
    } finally {
      await source.destroy();
    }
  });
});

/** Later migrations that added columns to rollups, newest first. */
const LATER = ['McpLogFields1795874000000', 'UsageOutcomes1795600000000'] as const;

/**
 * Runs a migration on the schema that it was written for: without the columns of `LATER`. Rollups
 * lose their outcomes on the way.
 */
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

/** Returns the rows as releases without outcomes stored them. */
const judgedByStatus = (rows: readonly RequestLogRow[]): RequestLogRow[] =>
  rows.map((row) => ({ ...row, outcome: '' as RequestLogRow['outcome'] }));

/**
 * Puts the rollups into the state after an upgrade at that moment: nothing coarser than quarters of
 * an hour is built from then on.
 */
async function startBuildingFrom(source: DataSource, until: Date): Promise<void> {
  await source.query('UPDATE usage_built SET until = $1 WHERE grain > 15', [until]);
  for (const { table } of ROLLUP_TABLES)
    await source.query(`DELETE FROM ${table} WHERE grain > 15 AND at >= $1`, [until]);
}

/** Returns the migration with this class name. */
function migration(name: string): MigrationInterface {
  const found = MIGRATIONS.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`there is no migration ${name}`);
  return new found();
}
