import type { DataSource } from 'typeorm';
import { eventually } from './eventually';

/**
 * Waits until at least `count` statements (1 by default) wait for a lock of the database. `like`
 * restricts them to a pattern of `LIKE`. A transaction sees one state of all statements only, so
 * this uses another connection of the data source.
 */
export async function lockWaits(
  source: DataSource,
  { count = 1, like = '%' }: { readonly count?: number; readonly like?: string } = {},
): Promise<void> {
  await eventually(async () => {
    const waiting = await source.query<object[]>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [like],
    );
    return waiting.length >= count;
  });
}
