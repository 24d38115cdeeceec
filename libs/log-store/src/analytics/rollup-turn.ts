import type { DataSource, EntityManager } from 'typeorm';

const TURN = 'tollgate:usage-pending';
/**
 * Time-out of one transaction. It blocks no other work, and a shorter one could keep it from
 * finishing on a busy machine.
 */
const TIMEOUT = '10min';

/** Does the work in a transaction while no other process changes the rollups. Null: another one does, and nothing was done. */
export function inTurn<T>(
  source: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T | null> {
  return source.transaction(async (manager) => {
    const [lock]: { free: boolean }[] = await manager.query(
      'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS free',
      [TURN],
    );
    if (!lock?.free) return null;
    // With little memory the groups of a large merge go to the disk.
    await manager.query(`SET LOCAL work_mem = '64MB'; SET LOCAL statement_timeout = '${TIMEOUT}'`);
    return work(manager);
  });
}
