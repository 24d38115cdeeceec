import type { EntityManager } from 'typeorm';
import { ownerConditions, splitLogConditions, type LogFilter, type LogViewer } from './log-conditions';
import { COLUMNS, NEWEST_FIRST } from './log-page-sql';
import type { StoredRequestLog } from '../rows/stored-request-log';

/** Matching logs of a short range of time that ends now. */
export interface RecentLogs {
  /** Ids of the logs that match, newest first. */
  readonly ids: readonly string[];
  /** Time of the newest log that was read, whether or not it matches; null when none was. */
  readonly newest: Date | null;
  /**
   * Time of the oldest log that was read, if `readMax` ended the reading; null when all logs of the
   * range were read.
   */
  readonly cutAt: Date | null;
}

/**
 * Finds the logs of a filter among the newest `readMax` of its workspace or organisation and time.
 * Reads no more than these, however few match.
 */
export async function recentLogs(
  manager: EntityManager,
  filter: LogFilter,
  readMax: number,
): Promise<RecentLogs> {
  const { place, others, parameters, bind } = splitLogConditions(filter);
  const [row] = await manager.query<
    { ids: string[]; newest: Date | null; oldest: Date | null; read: number }[]
  >(
    `WITH recent AS MATERIALIZED (
       SELECT ${COLUMNS} FROM request_logs WHERE ${place.join(' AND ')} ${NEWEST_FIRST} LIMIT ${bind(readMax)}
     )
     SELECT ARRAY(
         SELECT id FROM recent AS request_logs
         ${others.length === 0 ? '' : `WHERE ${others.join(' AND ')}`} ${NEWEST_FIRST}
       ) AS ids, min(created_at) AS oldest, max(created_at) AS newest, count(*)::integer AS read
     FROM recent`,
    parameters,
  );
  if (row === undefined) throw new Error('An aggregate without groups has one row.');
  const { ids, newest, oldest, read } = row;
  return { ids, newest, cutAt: read === readMax ? oldest : null };
}

/**
 * Returns the logs with these ids that the owner may see and that are not older than `since`,
 * newest first.
 */
export function logsOfIds(
  manager: EntityManager,
  owner: LogViewer,
  { ids, since }: { readonly ids: readonly string[]; readonly since: Date },
): Promise<StoredRequestLog[]> {
  const parameters: unknown[] = [];
  const bind = (value: unknown): string => `$${String(parameters.push(value))}`;
  const where = [
    ...ownerConditions(owner, bind),
    `id = ANY(${bind(ids)}::uuid[])`,
    `created_at >= ${bind(since)}`,
  ];
  return manager.query(
    `SELECT ${COLUMNS} FROM request_logs WHERE ${where.join(' AND ')} ${NEWEST_FIRST}`,
    parameters,
  );
}
