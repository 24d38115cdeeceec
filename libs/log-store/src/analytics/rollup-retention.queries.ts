import { DAY_MS } from '@gw/kernel';
import type { DataSource } from 'typeorm';
import { GRAINS, ROLLUP_RETENTION_DAYS } from './rollup-grains';
import { ROLLUP_TABLES } from './rollup-tables';

/** Maximum number of rows that one statement deletes. */
const DELETED_AT_ONCE = 10_000;

/**
 * Deletes rollup rows that are older than the retention of their grain, with at most `steps`
 * statements of 10,000 rows; later calls delete the rest. Returns the number of deleted rows.
 */
export async function dropOldRollups(source: DataSource, now: Date, steps = 1_000): Promise<number> {
  let [dropped, left] = [0, steps];
  for (const { table } of ROLLUP_TABLES) {
    for (const grain of GRAINS) {
      const before = new Date(now.getTime() - ROLLUP_RETENTION_DAYS[grain] * DAY_MS);
      for (let found = DELETED_AT_ONCE; found === DELETED_AT_ONCE && left > 0; left -= 1) {
        const [, count]: [unknown, number] = await source.query(
          `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
             SELECT ctid FROM ${table} WHERE grain = $1 AND at < $2 LIMIT ${String(DELETED_AT_ONCE)}))`,
          [grain, before],
        );
        dropped += count;
        found = count;
      }
    }
  }
  return dropped;
}
