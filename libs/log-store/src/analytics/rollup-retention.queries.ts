import { DAY_MS } from '@gw/kernel';
import type { DataSource } from 'typeorm';
import { GRAINS, ROLLUP_RETENTION_DAYS } from './rollup-grains';
import { ROLLUP_TABLES } from './rollup-tables';

/** Rows of one statement. */
const DROPPED_AT_ONCE = 10_000;

/** Removes rows that are older than their grain is kept, in small steps; what `steps` leaves is for the next time. */
export async function dropOldRollups(source: DataSource, now: Date, steps = 1_000): Promise<number> {
  let [dropped, left] = [0, steps];
  for (const { table } of ROLLUP_TABLES) {
    for (const grain of GRAINS) {
      const before = new Date(now.getTime() - ROLLUP_RETENTION_DAYS[grain] * DAY_MS);
      for (let found = DROPPED_AT_ONCE; found === DROPPED_AT_ONCE && left > 0; left -= 1) {
        const [, count]: [unknown, number] = await source.query(
          `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
             SELECT ctid FROM ${table} WHERE grain = $1 AND at < $2 LIMIT ${String(DROPPED_AT_ONCE)}))`,
          [grain, before],
        );
        dropped += count;
        found = count;
      }
    }
  }
  return dropped;
}
