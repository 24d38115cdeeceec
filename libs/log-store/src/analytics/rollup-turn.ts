import type { ClientBase, QueryConfig, QueryResultRow } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

const TURN = 'tollgate:usage-pending';
/**
 * Timeout of one statement of a turn, in milliseconds. It blocks no other work, and a shorter one
 * could keep it from finishing on a busy machine.
 */
const TIMEOUT_MS = 600_000;
const TIMEOUTS = ['statement_timeout', 'lock_timeout'].map(
  (name) => `SET LOCAL ${name} = ${String(TIMEOUT_MS)}`,
);
/** Extra time of the client, so that the server cancels the statement first. */
const SILENCE_MS = 2_000;

/** Runs a statement of the turn's transaction and returns its rows. */
export type TurnQuery = <Row extends QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>;

/**
 * Runs `work` in a transaction while no other process changes the rollups. `query` allows each
 * statement ten minutes; statements of `manager` have the shorter timeout of the data source.
 * Returns null, and does nothing, if another process has its turn.
 */
export function inTurn<T>(
  source: DataSource,
  work: (query: TurnQuery, manager: EntityManager) => Promise<T>,
): Promise<T | null> {
  return source.transaction(async (manager) => {
    const [lock]: { free: boolean }[] = await manager.query(
      'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS free',
      [TURN],
    );
    if (!lock?.free) return null;
    // With less memory Postgres would spill the groups of a large merge to disk.
    await manager.query([`SET LOCAL work_mem = '64MB'`, ...TIMEOUTS].join(';'));
    return work(turnQuery(manager), manager);
  });
}

const turnQuery =
  ({ queryRunner }: EntityManager): TurnQuery =>
  async <Row extends QueryResultRow>(text: string, values: unknown[]) => {
    const client = (await queryRunner?.connect()) as ClientBase;
    // The driver reads the timeout from the query, which its types do not say.
    const config: QueryConfig & { query_timeout: number } = {
      text,
      values,
      query_timeout: TIMEOUT_MS + SILENCE_MS,
    };
    return (await client.query<Row>(config)).rows;
  };
