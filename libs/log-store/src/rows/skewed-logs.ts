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
  if (ids.length === 0) return new Map();
  await manager.query(
    `INSERT INTO skewed_logs (id, created_at) SELECT DISTINCT unnest($1::uuid[]), $2::timestamptz
     ON CONFLICT ON CONSTRAINT skewed_logs_pk DO NOTHING`,
    [ids, now],
  );
  return byId(
    await manager.query('SELECT id, created_at FROM skewed_logs WHERE id = ANY($1::uuid[])', [ids]),
  );
}

/**
 * Returns, by id, the times under which logs are stored already: their own, or that of an earlier
 * arrival. Logs that are not stored are missing.
 */
export async function placedTimes(
  manager: EntityManager,
  logs: readonly { readonly id: string; readonly createdAt: string }[],
): Promise<ReadonlyMap<string, string>> {
  if (logs.length === 0) return new Map();
  return byId(
    await manager.query(
      `SELECT id, created_at FROM request_logs
       WHERE (id, created_at) IN (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]))
       UNION ALL SELECT id, created_at FROM skewed_logs WHERE id = ANY($1::uuid[])`,
      [logs.map(({ id }) => id), logs.map(({ createdAt }) => createdAt)],
    ),
  );
}

const byId = (
  rows: readonly { readonly id: string; readonly created_at: Date }[],
): ReadonlyMap<string, string> => new Map(rows.map(({ id, created_at }) => [id, created_at.toISOString()]));

/**
 * Forgets the arrival times of records that arrived before `before`; their logs must be deleted
 * already.
 */
export async function removeOldSkewed(manager: EntityManager, before: Date): Promise<void> {
  await manager.query('DELETE FROM skewed_logs WHERE created_at < $1', [before]);
}
