import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

const log = new Logger('DueWork');

/** A kind of periodic work on integrations, such as readings or health checks. */
export interface DueWork {
  readonly table: 'mcp_integrations' | 'agent_integrations';
  /** Column with the time at which an integration is due. The work sets the next time. */
  readonly column: 'next_sync_at' | 'next_health_at';
  /**
   * Maximum duration of one call of the job. After it, another call takes over the integrations.
   */
  readonly lease: '2 minutes' | '10 minutes';
  /** SQL condition for the integrations that need this work; absent when all do. */
  readonly condition?: string;
  /** Maximum number of integrations per call of the job, and how many of them run concurrently. */
  readonly max: number;
  readonly atOnce: number;
  readonly run: (id: string) => Promise<void>;
}

/**
 * Leases the integrations that are due, longest overdue first, works on them, and returns their
 * number. An integration whose work throws is due again immediately, after those that have waited
 * longer. Throws the first error when all are done and logs the others.
 */
export async function runDue(manager: EntityManager, work: DueWork): Promise<number> {
  const ids = await leaseDue(manager, work);
  const rest = [...ids];
  const faults: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift())
      try {
        await work.run(id);
      } catch (error) {
        faults.push(error);
        if (faults.length > 1) log.error(`work on integration ${id} failed`, stackOf(error));
        await release(manager, work, id).catch((fault: unknown) => faults.push(fault));
      }
  };
  await Promise.all(Array.from({ length: work.atOnce }, worker));
  if (faults.length > 0) throw faults[0];
  return ids.length;
}

async function leaseDue(
  manager: EntityManager,
  { table, column, lease, condition = 'true', max }: DueWork,
): Promise<string[]> {
  const [rows] = await manager.query<[{ id: string }[], number]>(
    `UPDATE ${table} SET ${column} = now() + $2::interval
      WHERE id IN (SELECT id FROM ${table}
                    WHERE status = 'active' AND ${column} <= now() AND ${condition}
                    ORDER BY ${column} LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING id`,
    [max, lease],
  );
  return rows.map(({ id }) => id);
}

/** Ends the lease of an integration, so that it is due again. */
const release = (manager: EntityManager, { table, column }: DueWork, id: string): Promise<unknown> =>
  manager.query(`UPDATE ${table} SET ${column} = now() WHERE id = $1`, [id]);

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);
