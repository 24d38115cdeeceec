import type { EntityManager } from 'typeorm';
import { logConditions, type Bounds, type LogFilter } from './log-conditions';
import { REQUEST_LOG_LIST_COLUMNS } from './request-log-row';
import type { StoredRequestLog } from './stored-request-log';

const COLUMNS = REQUEST_LOG_LIST_COLUMNS.join(', ');
const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';
/** Logs that are looked through one by one before the index is asked: a value that many have is among them often enough. */
const LOOKED_THROUGH = 2_000;
/** By the index, newest first; the last one takes what is left. */
const LOOKS_MAX = 8;
const DAY_MS = 86_400_000;
const DAYS_MIN = 1 / 24;
/** Since hours are not alike. */
const NEEDED_TIMES = 1.5;

const isOpen = ({ min, max }: Bounds<unknown> = {}): boolean => min === undefined && max === undefined;

/** Whether nothing but owner, time and metadata narrows a list. */
export function isByMetadataAlone(filter: LogFilter): boolean {
  const { values, ranges, feedback, providerModels = [], statuses, streamed, metadata } = filter;
  return (
    Object.keys(metadata).length > 0 &&
    Object.keys(values).length === 0 &&
    Object.entries(ranges).every(([name, bounds]) => name === 'created_at' || isOpen(bounds)) &&
    isOpen(feedback) &&
    providerModels.length === 0 &&
    statuses.length === 0 &&
    streamed === null
  );
}

/**
 * A page of logs by their metadata. Postgres knows too little of how many logs have a value to choose between their order and the index,
 * and a wrong choice reads whole days: so the newest are looked through first, then the index tells of some days at a time.
 */
export async function listByMetadata(
  manager: EntityManager,
  filter: LogFilter,
  limit: number,
): Promise<StoredRequestLog[]> {
  const newest = await amongNewest(manager, filter, limit);
  if (newest.length >= limit) return newest;
  const { min, max } = filter.ranges.created_at ?? {};
  const found: StoredRequestLog[] = [];
  let end = filter.after?.createdAt ?? (max === undefined ? null : new Date(max));
  const latest = end?.getTime() ?? Date.now();
  const daysTo = (time: Date): number => (latest - time.getTime()) / DAY_MS;
  const oldest = newest.at(-1);
  let days = oldest ? daysOf(limit, newest.length / daysTo(oldest.created_at), 1) : 1;
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    const from = look === LOOKS_MAX ? null : new Date((end?.getTime() ?? latest) - days * DAY_MS);
    const more = await byIndex(manager, filter, { from, end }, limit - found.length);
    found.push(...more);
    if (found.length >= limit || from === null || (min !== undefined && from < new Date(min))) break;
    end = from;
    const perDay = more.length === 0 ? 0 : found.length / daysTo(from);
    days = daysOf(limit - found.length, perDay, Math.max(1, 2 * days));
  }
  return found;
}

/** All that a stretch has is read, log by log: it is no longer than is likely to be needed, by what others had. */
const daysOf = (count: number, perDay: number, most: number): number =>
  Math.max(DAYS_MIN, Math.min(most, (NEEDED_TIMES * count) / perDay));

/** Of time, without its start and with its end; null: there is none. */
interface Stretch {
  readonly from: Date | null;
  readonly end: Date | null;
}

function amongNewest(manager: EntityManager, filter: LogFilter, limit: number): Promise<StoredRequestLog[]> {
  const { where, parameters, bind } = logConditions({ ...filter, metadata: {} });
  return manager.query(
    `SELECT ${COLUMNS} FROM (
       SELECT ${COLUMNS} FROM request_logs WHERE ${where.join(' AND ')} ${NEWEST_FIRST} LIMIT ${bind(LOOKED_THROUGH)}
     ) AS newest
     WHERE metadata @> ${bind(JSON.stringify(filter.metadata))}::jsonb ${NEWEST_FIRST} LIMIT ${bind(limit)}`,
    parameters,
  );
}

function byIndex(
  manager: EntityManager,
  filter: LogFilter,
  { from, end }: Stretch,
  limit: number,
): Promise<StoredRequestLog[]> {
  const { where, parameters, bind } = logConditions(filter);
  if (end !== null) where.push(`created_at <= ${bind(end)}`);
  if (from !== null) where.push(`created_at > ${bind(from)}`);
  return manager.query(
    `WITH found AS MATERIALIZED (SELECT ${COLUMNS} FROM request_logs WHERE ${where.join(' AND ')})
     SELECT * FROM found ${NEWEST_FIRST} LIMIT ${bind(limit)}`,
    parameters,
  );
}
