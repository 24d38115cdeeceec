import type { EntityManager } from 'typeorm';
import { logConditions, type LogFilter } from './log-conditions';
import { COLUMNS, NEWEST_FIRST } from './log-page-sql';
import type { StoredRequestLog } from '../rows/stored-request-log';
import { nextStretches, type NextStretches, type Stretch } from '../zones/log-zones.queries';

/** Zones that are read together. */
const READ_MAX = 500;
/** Days whose zones are looked at together, at first; twice as many each time. */
const DAYS = 2;
/** Safety factor, because the density of matches varies from zone to zone. */
const NEEDED_TIMES = 1.25;

/**
 * A page of logs of which there may be few: zones tell where any can be, and those stretches of time are read, newest first. That costs a row for each
 * of their logs, so that no more are read than what is still missing is likely to need.
 */
export async function listByZones(
  manager: EntityManager,
  filter: LogFilter,
  limit: number,
): Promise<StoredRequestLog[]> {
  const found: StoredRequestLog[] = [];
  let [read, count] = [0, 1];
  let before: Date | null = null;
  for (let days = DAYS; ; days *= 2) {
    const next: NextStretches = await nextStretches(manager, filter, before, days);
    for (let at = 0; at < next.stretches.length;) {
      const stretches = next.stretches.slice(at, at + count);
      found.push(...(await inStretches(manager, filter, joined(stretches), limit - found.length)));
      if (found.length >= limit) return found;
      at += stretches.length;
      read += stretches.length;
      const needed = Math.ceil((NEEDED_TIMES * (limit - found.length) * read) / found.length);
      count = Math.min(2 * count, needed, READ_MAX);
    }
    if (next.before === null) return found;
    before = next.before;
  }
}

/** Merges adjacent ranges. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const all: Stretch[] = [];
  for (const stretch of stretches) {
    const newer = all.at(-1);
    if (newer?.start.getTime() === stretch.end.getTime()) all.splice(-1, 1, { ...stretch, end: newer.end });
    else all.push(stretch);
  }
  return all;
}

/** `stretches`: newest first. */
async function inStretches(
  manager: EntityManager,
  filter: LogFilter,
  stretches: readonly Stretch[],
  limit: number,
): Promise<StoredRequestLog[]> {
  const { where, parameters, bind } = logConditions(filter);
  const starts = bind(stretches.map(({ start }) => start));
  const ends = bind(stretches.map(({ end }) => end));
  // Of all of them together, so that Postgres need not plan for other days.
  where.push(
    `created_at >= ${bind(stretches.at(-1)?.start)} AND created_at < ${bind(stretches[0]?.end)}`,
    'created_at >= stretch.start AND created_at < stretch.end',
  );
  const most = bind(limit);
  return manager.query(
    `SELECT log.* FROM unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) AS stretch (start, "end")
     CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM request_logs WHERE ${where.join(' AND ')} ${NEWEST_FIRST} LIMIT ${most}
     ) AS log
     ${NEWEST_FIRST} LIMIT ${most}`,
    parameters,
  );
}
