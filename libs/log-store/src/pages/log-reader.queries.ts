import type { EntityManager } from 'typeorm';
import { ownerConditions, type LogViewer } from './log-conditions';
import { REQUEST_LOG_COLUMNS, type RequestLogRow } from '../rows/log-columns';
import type { StoredRequestLog } from '../rows/stored-request-log';

export type StoredRequestLogDetail = StoredRequestLog &
  Pick<RequestLogRow, 'decision'> & {
    /**
     * Encoded bodies (`decodeLogBodies`) from the database; null if `body_ref` refers to them or
     * the log has none.
     */
    readonly content: Buffer | null;
  };

/**
 * Returns one log with its decision record and bodies; null if the owner has no log with this id.
 * Without `bodies` the query does not read the bodies, and `content` is null.
 */
export async function findLog(
  manager: EntityManager,
  owner: LogViewer,
  id: string,
  { bodies = true } = {},
): Promise<StoredRequestLogDetail | null> {
  const parameters: unknown[] = [];
  const bind = (value: unknown): string => `$${String(parameters.push(value))}`;
  const where = [`id = ${bind(id)}`, ...ownerConditions(owner, bind)];
  const rows: StoredRequestLogDetail[] = await manager.query(
    `SELECT ${REQUEST_LOG_COLUMNS.map((column) => `log.${column}`).join(', ')}, ${bodies ? 'body.content' : 'NULL AS content'}
     FROM (SELECT * FROM request_logs WHERE ${where.join(' AND ')} ORDER BY created_at LIMIT 1) log
     ${bodies ? JOIN_BODIES : ''}`,
    parameters,
  );
  return rows[0] ?? null;
}

const JOIN_BODIES =
  'LEFT JOIN request_log_bodies body ON body.id = log.id AND body.created_at = log.created_at';
