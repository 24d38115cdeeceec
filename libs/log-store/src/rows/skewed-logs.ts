import type { EntityManager } from 'typeorm';

/**
 * Returns the time under which each record with a skewed clock is stored: the time of its first
 * arrival, which is `now` for records that arrive for the first time.
 */
export async function timesOfSkewed(
  manager: EntityManager,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  await manager.query(
    `INSERT INTO skewed_logs (id, created_at) SELECT DISTINCT unnest($1::uuid[]), $2::timestamptz
     ON CONFLICT ON CONSTRAINT skewed_logs_pk DO NOTHING`,
    [ids, now],
  );
  const rows: { id: string; created_at: Date }[] = await manager.query(
    'SELECT id, created_at FROM skewed_logs WHERE id = ANY($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, created_at }) => [id, created_at.toISOString()]));
}

/**
 * Forgets the arrival times of records that arrived before `before`; their logs must be deleted
 * already.
 */
export async function removeOldSkewed(manager: EntityManager, before: Date): Promise<void> {
  await manager.query('DELETE FROM skewed_logs WHERE created_at < $1', [before]);
}
