import { LogExportEntity, LogExportPartEntity } from '@gw/entities';
import type { DataSource, EntityManager } from 'typeorm';
import { logConditions, type LogFilter } from '../pages/log-conditions';
import type { StoredRequestLog } from '../rows/stored-request-log';
import { REQUEST_LOG_LIST_COLUMNS } from '../rows/log-columns';

/** A log row with the values that only exports need. */
export type ExportedLog = StoredRequestLog & {
  /** `created_at` as text with microseconds, which the driver's dates do not have. */
  readonly position: string;
  readonly strategy: string | null;
};

const COLUMNS = [
  ...REQUEST_LOG_LIST_COLUMNS,
  'created_at::text AS position',
  `decision->'strategy'->>0 AS strategy`,
];

/** Returns at most `limit` rows after a position, newest first; null: from the newest row. */
export async function readExportRows(
  manager: EntityManager,
  filter: LogFilter,
  after: ExportPosition | null,
  limit: number,
): Promise<ExportedLog[]> {
  const { where, parameters, bind } = logConditions(filter);
  if (after)
    where.push(`(created_at, id) < (${bind(after.createdAt)}::timestamptz, ${bind(after.id)}::uuid)`);
  return manager.query(
    `SELECT ${COLUMNS.join(', ')} FROM request_logs WHERE ${where.join(' AND ')}
     ORDER BY created_at DESC, id DESC LIMIT ${bind(limit)}`,
    parameters,
  );
}

/**
 * Position of a row in an export. `createdAt` is the text that Postgres writes, with microseconds.
 */
export interface ExportPosition {
  readonly createdAt: string;
  readonly id: string;
}

/**
 * Returns the position before the row at `offset`, counted from 0: null for the start, undefined if
 * there are fewer rows.
 */
export async function exportPositionAt(
  manager: EntityManager,
  filter: LogFilter,
  offset: number,
): Promise<ExportPosition | null | undefined> {
  if (offset === 0) return null;
  const { where, parameters, bind } = logConditions(filter);
  const rows: ExportPosition[] = await manager.query(
    `SELECT created_at::text AS "createdAt", id FROM request_logs WHERE ${where.join(' AND ')}
     ORDER BY created_at DESC, id DESC OFFSET ${bind(offset - 1)} LIMIT 1`,
    parameters,
  );
  return rows[0];
}

/** Counts the matching rows, up to `max`. */
export async function countLogs(manager: EntityManager, filter: LogFilter, max: number): Promise<number> {
  const { where, parameters, bind } = logConditions(filter);
  const rows: { count: number }[] = await manager.query(
    `SELECT count(*)::int AS count FROM
       (SELECT 1 FROM request_logs WHERE ${where.join(' AND ')} LIMIT ${bind(max)}) matching`,
    parameters,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Returns the length in bytes of each body in the database, so that the caller reads no more of
 * them at a time than fit into memory.
 */
export async function bodyLengths(
  manager: EntityManager,
  logs: readonly ExportPosition[],
): Promise<Map<string, number>> {
  const rows: { id: string; bytes: number }[] = await manager.query(
    `SELECT id, octet_length(content) AS bytes FROM request_log_bodies
     WHERE (id, created_at) IN (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]))`,
    [logs.map(({ id }) => id), logs.map(({ createdAt }) => createdAt)],
  );
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/**
 * Returns the encoded bodies of these logs from the database, by log id; logs without bodies are
 * missing.
 */
export async function readBodies(
  manager: EntityManager,
  logs: readonly ExportPosition[],
): Promise<Map<string, Buffer>> {
  const rows: { id: string; content: Buffer }[] = await manager.query(
    `SELECT id, content FROM request_log_bodies
     WHERE (id, created_at) IN (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]))`,
    [logs.map(({ id }) => id), logs.map(({ createdAt }) => createdAt)],
  );
  return new Map(rows.map(({ id, content }) => [id, content]));
}

const LEASE = `interval '60 seconds'`;

/**
 * Leases an export that no worker is writing to `owner`; returns null when there is none. If the
 * lease of another worker has expired, `workers_lost` counts it.
 */
export async function claimExport(source: DataSource, owner: string): Promise<LogExportEntity | null> {
  return source.transaction(async (manager) => {
    const rows: { id: string }[] = await manager.query(
      `SELECT id FROM log_exports WHERE status = 'in_progress' AND (lease_until IS NULL OR lease_until < now())
       ORDER BY lease_until NULLS FIRST, last_updated_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    );
    const id = rows[0]?.id;
    if (id === undefined) return null;
    await manager.query(
      `UPDATE log_exports SET workers_lost = workers_lost + (lease_owner IS NOT NULL)::int,
         lease_owner = $2, lease_until = now() + ${LEASE} WHERE id = $1`,
      [id, owner],
    );
    return manager.findOneByOrFail(LogExportEntity, { id });
  });
}

export interface ExportTicket {
  readonly id: string;
  readonly run: number;
  readonly owner: string;
}

const MINE = `id = $1 AND run = $2 AND lease_owner = $3 AND status = 'in_progress'`;
const mine = ({ id, run, owner }: ExportTicket): unknown[] => [id, run, owner];
const changedOne = (response: unknown): boolean => (response as [unknown, number])[1] === 1;

/**
 * Renews the lease. Returns false if the export was cancelled, deleted or taken over by another
 * worker; the holder of the ticket must stop then.
 */
export async function renewExportLease(manager: EntityManager, ticket: ExportTicket): Promise<boolean> {
  return changedOne(
    await manager.query(`UPDATE log_exports SET lease_until = now() + ${LEASE} WHERE ${MINE}`, mine(ticket)),
  );
}

/** Ends the lease, so that another worker can take the export immediately. */
export async function releaseExport(manager: EntityManager, ticket: ExportTicket): Promise<void> {
  await manager.query(
    `UPDATE log_exports SET lease_owner = NULL, lease_until = NULL WHERE ${MINE}`,
    mine(ticket),
  );
}

/**
 * Gives the export back after a failure. Any worker may take it again when one lease time has
 * passed.
 */
export async function restExport(manager: EntityManager, ticket: ExportTicket): Promise<void> {
  await manager.query(
    `UPDATE log_exports SET lease_owner = NULL, lease_until = now() + ${LEASE} WHERE ${MINE}`,
    mine(ticket),
  );
}

/**
 * Records a part whose object is durable. Returns false, and records nothing, if the ticket no
 * longer holds the export.
 */
export async function commitExportPart(
  source: DataSource,
  ticket: ExportTicket,
  part: LogExportPartEntity,
  position: ExportPosition,
): Promise<boolean> {
  return source.transaction(async (manager) => {
    const changed: unknown = await manager.query(
      `UPDATE log_exports SET lease_until = now() + ${LEASE}, rows_done = rows_done + $4, bytes_done = bytes_done + $5,
         position = $6, workers_lost = 0 WHERE ${MINE}`,
      [...mine(ticket), part.rows, part.bytes, JSON.stringify(position)],
    );
    if (!changedOne(changed)) return false;
    await manager.insert(LogExportPartEntity, part);
    return true;
  });
}

/**
 * Ends a run. `last` is the part that closes the file, or null. Returns false, and changes nothing,
 * if the ticket no longer holds the export.
 */
export async function finishExport(
  source: DataSource,
  ticket: ExportTicket,
  end: {
    readonly status: 'success' | 'failed';
    readonly failure: string | null;
    readonly last: LogExportPartEntity | null;
  },
): Promise<boolean> {
  return source.transaction(async (manager) => {
    const changed: unknown = await manager.query(
      `UPDATE log_exports SET status = $4, failure = $5, finished_at = now(), lease_owner = NULL, lease_until = NULL,
         bytes_done = bytes_done + $6, version = version + 1, last_updated_at = now() WHERE ${MINE}`,
      [...mine(ticket), end.status, end.failure, end.last?.bytes ?? 0],
    );
    if (!changedOne(changed)) return false;
    if (end.last) await manager.insert(LogExportPartEntity, end.last);
    return true;
  });
}

/** Time after which no worker writes a part of an export that was cancelled and deleted. */
const SETTLED_AFTER = `interval '5 minutes'`;

/** A deleted export whose files may still exist. */
export interface DeletedExport {
  readonly id: string;
  readonly organisationId: string;
  /** Whether no further files can appear, so that the row can be deleted with the last ones. */
  readonly isSettled: boolean;
}

/**
 * Returns at most ten deleted exports: those with recorded parts at once, and all of them again
 * after five minutes, since a part can be written without being recorded.
 */
export async function deletedExports(manager: EntityManager): Promise<DeletedExport[]> {
  return manager.query(
    `SELECT id, organisation_id AS "organisationId", deleted_at < now() - ${SETTLED_AFTER} AS "isSettled"
     FROM log_exports WHERE deleted_at < now() - ${SETTLED_AFTER}
       OR (deleted_at IS NOT NULL AND id IN (SELECT export_id FROM log_export_parts)) LIMIT 10`,
  );
}
