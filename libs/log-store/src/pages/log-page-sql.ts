import type { EntityManager } from 'typeorm';
import type { Bound } from './log-conditions';
import { REQUEST_LOG_LIST_COLUMNS } from '../rows/log-columns';
import type { StoredRequestLog } from '../rows/stored-request-log';

export const COLUMNS = REQUEST_LOG_LIST_COLUMNS.join(', ');
export const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';

/**
 * Returns the newest `limit` matching logs. Postgres finds all matching logs by an index before it
 * sorts them, instead of scanning logs in the order of the list.
 */
export function newestOfAll(
  manager: EntityManager,
  { where, parameters, bind }: Bound & { readonly where: readonly string[] },
  limit: number,
): Promise<StoredRequestLog[]> {
  return manager.query(
    `WITH found AS MATERIALIZED (SELECT ${COLUMNS} FROM request_logs WHERE ${where.join(' AND ')})
     SELECT * FROM found ${NEWEST_FIRST} LIMIT ${bind(limit)}`,
    parameters,
  );
}
