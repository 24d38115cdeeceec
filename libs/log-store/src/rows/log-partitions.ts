import { DAY_MS } from '@gw/kernel';
import type { DataSource, EntityManager } from 'typeorm';

const PARENTS = [
  'request_logs',
  'request_log_bodies',
  'guardrail_verdicts',
  'guardrail_check_counts',
] as const;
/**
 * Advisory lock of the process that creates partitions. `IF NOT EXISTS` without it fails when two
 * processes race.
 */
const LOCK = 'tollgate:log-partitions';

/** Returns the UTC day of a time as whole days since 1970. */
export const dayOf = (time: Date | string): number => Math.floor(new Date(time).getTime() / DAY_MS);

const isoDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

const partitionOf = (parent: string, day: number): string => `${parent}_${isoDay(day).replaceAll('-', '')}`;

/**
 * Creates the missing partitions of these days (`dayOf`). They are created as separate tables and
 * then attached, which does not block readers and writers of other days. Safe to run repeatedly and
 * concurrently.
 */
export async function ensureLogPartitions(source: DataSource, days: Iterable<number>): Promise<void> {
  await source.transaction(async (manager) => {
    await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [LOCK]);
    for (const day of days) {
      for (const parent of PARENTS) {
        const [from, to] = [isoDay(day), isoDay(day + 1)];
        // DDL takes no parameters; names and bounds are built from a number.
        const partition = partitionOf(parent, day);
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

/** Days that have partitions, oldest first. */
export async function logPartitionDays(manager: EntityManager): Promise<number[]> {
  const rows: { name: string }[] = await manager.query(
    `SELECT DISTINCT right(relname, 8) AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = ANY($1::regclass[]) ORDER BY name`,
    [PARENTS],
  );
  return rows.map(({ name }) => dayOf(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6)}`));
}

/**
 * Drops the logs of a day, with the bodies in the database and the day's zone map. Rejects after
 * waiting five seconds for readers, because all other queries would wait behind this lock.
 */
export async function dropLogPartition(source: DataSource, day: number): Promise<void> {
  await source.transaction(async (manager) => {
    await manager.query(`SET LOCAL lock_timeout = '5s'`);
    for (const parent of PARENTS) await manager.query(`DROP TABLE IF EXISTS ${partitionOf(parent, day)}`);
    // This comes after the tables: no writer can widen a zone of that day any more.
    const bounds = [isoDay(day), isoDay(day + 1)].map((date) => `${date} 00:00:00+00`);
    for (const table of ['log_zones', 'unzoned_log_days'])
      await manager.query(`DELETE FROM ${table} WHERE start >= $1 AND start < $2`, bounds);
  });
}

const FEEDBACK_DELETED_AT_ONCE = 10_000;

/** Deletes the feedback from before `until`, in short transactions. */
export async function removeOldFeedback(manager: EntityManager, until: Date): Promise<void> {
  for (;;) {
    const removed: [unknown, number] = await manager.query(
      `DELETE FROM feedback WHERE id IN (SELECT id FROM feedback WHERE created_at < $1 LIMIT ${String(FEEDBACK_DELETED_AT_ONCE)})`,
      [until],
    );
    if (removed[1] < FEEDBACK_DELETED_AT_ONCE) return;
  }
}
