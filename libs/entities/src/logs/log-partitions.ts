import type { DataSource } from 'typeorm';

const PARENTS = ['request_logs', 'request_log_bodies'] as const;
const DAY_MS = 86_400_000;
/** One maker at a time: `IF NOT EXISTS` alone loses a race. */
const LOCK = 'tollgate:log-partitions';

/** The UTC day of a time, as whole days since 1970. */
export const dayOf = (time: Date | string): number => Math.floor(new Date(time).getTime() / DAY_MS);

const isoDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/**
 * Makes the partitions of these days (`dayOf`) where they are missing. They are attached instead of created in place, since that
 * does not lock out the readers and writers of other days. Safe to run twice and at the same time.
 */
export async function ensureLogPartitions(source: DataSource, days: Iterable<number>): Promise<void> {
  await source.transaction(async (manager) => {
    await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [LOCK]);
    for (const day of days) {
      for (const parent of PARENTS) {
        const [from, to] = [isoDay(day), isoDay(day + 1)];
        // Names and bounds can't be parameters here; they are made from a number.
        const partition = `${parent}_${from.replaceAll('-', '')}`;
        const found: { exists: boolean }[] = await manager.query(
          'SELECT to_regclass($1) IS NOT NULL AS exists',
          [partition],
        );
        if (found[0]?.exists) continue;
        await manager.query(
          `CREATE TABLE ${partition} (LIKE ${parent} INCLUDING DEFAULTS INCLUDING STORAGE)`,
        );
        await manager.query(
          `ALTER TABLE ${parent} ATTACH PARTITION ${partition}
             FOR VALUES FROM ('${from} 00:00:00+00') TO ('${to} 00:00:00+00')`,
        );
      }
    }
  });
}
