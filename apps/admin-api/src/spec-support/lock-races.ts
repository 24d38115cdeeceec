import { lockWaits } from '@gw/testing';
import type { TestAdminApi } from './admin-api';

/**
 * Keeps Postgres from ending deadlocks, so that requests that deadlock wait until their lock timeout
 * and fail their test: `Writes` repeats what Postgres has undone. Pass it on as the environment of
 * the admin API, whose connections are opened later.
 */
export async function withoutDeadlockDetection(api: TestAdminApi): Promise<Record<string, string>> {
  await api.dataSource.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''10min''', current_database()); END $$`,
  );
  return {};
}

/** A row that another transaction holds while requests start: a condition on a table. */
export interface HeldRow {
  readonly table: string;
  readonly where: string;
  readonly parameters: readonly unknown[];
}

/**
 * Starts requests one after another, each when those before it wait for a lock, while another
 * transaction holds a row. Returns their results. Postgres gives the row to the first one that
 * waits for it, while the others keep the locks that they have taken.
 */
export async function raced<T>(
  { dataSource }: TestAdminApi,
  { table, where, parameters }: HeldRow,
  starts: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const results: Promise<T>[] = [];
  await dataSource.transaction(async (manager) => {
    await manager.query(`SELECT 1 FROM ${table} WHERE ${where} FOR UPDATE`, [...parameters]);
    for (const start of starts) {
      results.push(start());
      await lockWaits(dataSource, { count: results.length });
    }
  });
  return Promise.all(results);
}
