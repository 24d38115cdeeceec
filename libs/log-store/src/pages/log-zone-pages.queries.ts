import type { EntityManager } from 'typeorm';
import { logConditions, type LogFilter } from './log-conditions';
import { COLUMNS, NEWEST_FIRST } from './log-page-sql';
import type { StoredRequestLog } from '../rows/stored-request-log';
import { nextZoneRanges, type NextZoneRanges, type ZoneRange } from '../zones/log-zones.queries';

/** Maximum number of ranges in one query. */
const READ_MAX = 500;
/** Days of the first query of the zone map; each further query doubles them. */
const DAYS_FIRST = 2;
/**
 * Reads 25 % more ranges than the hit rate so far suggests, because the density of hits varies.
 */
const OVERREAD = 1.25;

/**
 * Lists logs for a filter that matches few rows. The zone map names the ranges of time that may
 * hold matches; they are read newest first, in batches sized by the hit rate so far, since each
 * range costs a read of all its rows.
 */
export async function listByZones(
  manager: EntityManager,
  filter: LogFilter,
  limit: number,
): Promise<StoredRequestLog[]> {
  const found: StoredRequestLog[] = [];
  let [read, count] = [0, 1];
  let before: Date | null = null;
  for (let days = DAYS_FIRST; ; days *= 2) {
    const next: NextZoneRanges = await nextZoneRanges(manager, filter, before, days);
    for (let at = 0; at < next.ranges.length;) {
      const ranges = next.ranges.slice(at, at + count);
      found.push(...(await inRanges(manager, filter, joined(ranges), limit - found.length)));
      if (found.length >= limit) return found;
      at += ranges.length;
      read += ranges.length;
      // Infinity as long as no log was found.
      const needed = Math.ceil((OVERREAD * (limit - found.length) * read) / found.length);
      count = Math.min(2 * count, needed, READ_MAX);
    }
    if (next.before === null) return found;
    before = next.before;
  }
}

/** Merges adjacent ranges. */
function joined(ranges: readonly ZoneRange[]): ZoneRange[] {
  const all: ZoneRange[] = [];
  for (const range of ranges) {
    const newer = all.at(-1);
    if (newer?.start.getTime() === range.end.getTime()) all.splice(-1, 1, { ...range, end: newer.end });
    else all.push(range);
  }
  return all;
}

/** Returns the newest matches in the ranges; `ranges`: newest first. */
async function inRanges(
  manager: EntityManager,
  filter: LogFilter,
  ranges: readonly ZoneRange[],
  limit: number,
): Promise<StoredRequestLog[]> {
  const { where, parameters, bind } = logConditions(filter);
  const starts = bind(ranges.map(({ start }) => start));
  const ends = bind(ranges.map(({ end }) => end));
  // The outer bounds of all ranges let Postgres prune partitions.
  where.push(
    `created_at >= ${bind(ranges.at(-1)?.start)} AND created_at < ${bind(ranges[0]?.end)}`,
    'created_at >= zone_range.start AND created_at < zone_range.end',
  );
  const most = bind(limit);
  return manager.query(
    `SELECT log.* FROM unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) AS zone_range (start, "end")
     CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM request_logs WHERE ${where.join(' AND ')} ${NEWEST_FIRST} LIMIT ${most}
     ) AS log
     ${NEWEST_FIRST} LIMIT ${most}`,
    parameters,
  );
}
