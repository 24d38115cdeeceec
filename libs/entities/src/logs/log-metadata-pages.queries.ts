import type { EntityManager } from 'typeorm';
import { logConditions, type Bounds, type LogFilter } from './log-conditions';
import { REQUEST_LOG_LIST_COLUMNS } from './request-log-row';
import type { StoredRequestLog } from './stored-request-log';

const COLUMNS = REQUEST_LOG_LIST_COLUMNS.join(', ');
const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';
/** Logs that are looked through one by one before the index is asked: a value that many have is among them often enough. */
const LOOKED_THROUGH = 2_000;
/** Days of each look by the index, newest first; one last look takes what is left. */
const LOOKS = [1, 2, 4, 8];
const DAY_MS = 86_400_000;

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
  const found: StoredRequestLog[] = [];
  for (const stretch of stretchesOf(filter, Date.now())) {
    found.push(...(await byIndex(manager, filter, stretch, limit - found.length)));
    if (found.length >= limit) break;
  }
  return found;
}

/** Of time, without its start and with its end; null: there is none. */
interface Stretch {
  readonly from: Date | null;
  readonly end: Date | null;
}

/** All the time that the filter allows and all before it, newest first. */
function* stretchesOf({ ranges, after }: LogFilter, now: number): Generator<Stretch> {
  const { min, max } = ranges.created_at ?? {};
  let end = after?.createdAt ?? (max === undefined ? null : new Date(max));
  for (const days of LOOKS) {
    const from = new Date((end?.getTime() ?? now) - days * DAY_MS);
    yield { from, end };
    if (min !== undefined && from < new Date(min)) return;
    end = from;
  }
  yield { from: null, end };
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
