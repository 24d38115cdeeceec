import { storableText } from '@gw/kernel';
import type { EntityManager } from 'typeorm';

/**
 * A log record that could not be stored as it arrived: it is unreadable, or a store refused it.
 * Credentials are redacted where its text is readable.
 */
export interface QuarantinedLog {
  readonly logId: string | null;
  readonly workspaceId: string | null;
  readonly reason: string;
  readonly meta: Buffer;
  readonly request: Buffer | null;
  readonly response: Buffer | null;
  /** Whether the log holds the record without its bodies and texts, and the ledger its charge. */
  readonly storedBare: boolean;
}

/** A record of the quarantine, without its contents. */
export interface QuarantineEntry {
  readonly id: string;
  readonly log_id: string | null;
  readonly workspace_id: string | null;
  readonly reason: string;
  readonly bytes: number;
  readonly stored_bare: boolean;
  readonly created_at: Date;
}

/**
 * Limits of the quarantine. When one is exceeded, the oldest records are deleted: those of the
 * workspace, or those of all workspaces.
 */
export const QUARANTINE = {
  recordsMax: 2_000,
  recordsOfWorkspaceMax: 500,
  bytesMax: 256 * 1024 * 1024,
} as const;

const REASON_MAX = 500;

/**
 * Adds a record unless the quarantine holds it already, since batches can be repeated. Returns the
 * number of older records that it deleted to stay within `caps`.
 */
export async function quarantineLog(
  manager: EntityManager,
  log: QuarantinedLog,
  caps: Readonly<Record<keyof typeof QUARANTINE, number>> = QUARANTINE,
): Promise<number> {
  const bytes = log.meta.length + (log.request?.length ?? 0) + (log.response?.length ?? 0);
  const id = (text: string | null): string | null => (text === null ? null : storableText(text.slice(0, 64)));
  await manager.query(
    `INSERT INTO quarantined_logs (log_id, workspace_id, reason, meta, request, response, bytes, stored_bare)
     SELECT $1::varchar, $2, $3, $4, $5, $6, $7, $8
     WHERE NOT EXISTS (SELECT FROM quarantined_logs WHERE log_id = $1::varchar)`,
    [
      ...[id(log.logId), id(log.workspaceId), storableText(log.reason.slice(0, REASON_MAX))],
      ...[log.meta, log.request, log.response, bytes, log.storedBare],
    ],
  );
  const [, removed] = await manager.query<[unknown, number]>(
    `DELETE FROM quarantined_logs WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER newest AS records, sum(bytes) OVER newest AS total,
           row_number() OVER (PARTITION BY workspace_id ORDER BY id DESC) AS of_workspace
         FROM quarantined_logs WINDOW newest AS (ORDER BY id DESC)
       ) AS ranked WHERE records > $1 OR of_workspace > $2 OR total > $3)`,
    [caps.recordsMax, caps.recordsOfWorkspaceMax, caps.bytesMax],
  );
  return removed;
}

/** Returns the newest records, at most `limit`. */
export const quarantinedLogs = (manager: EntityManager, limit: number): Promise<QuarantineEntry[]> =>
  manager.query(
    `SELECT id, log_id, workspace_id, reason, bytes, stored_bare, created_at FROM quarantined_logs
     ORDER BY id DESC LIMIT $1`,
    [limit],
  );

/** Returns the number of records in the quarantine. */
export async function countQuarantinedLogs(manager: EntityManager): Promise<number> {
  const [row] = await manager.query<{ count: number }[]>(
    'SELECT count(*)::int AS count FROM quarantined_logs',
  );
  return row?.count ?? 0;
}
