import { DAY_MS } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { logConditions, type LogFilter } from './log-conditions';
import { newestOfAll } from './log-page-sql';
import type { StoredRequestLog } from '../rows/stored-request-log';

/** Maximum number of index scans, newest first; the last one covers the rest. */
const SCANS_MAX = 8;
const DAYS_MIN = 1 / 24;
/** Safety factor, because the density of matches varies from hour to hour. */
const OVERREAD = 1.5;

/**
 * Returns a page of logs by the index of metadata, a few days at a time. Postgres cannot estimate
 * how many rows match, so for all days at once it may choose to read whole days in their order.
 * `newest`: the matches among the newest rows, from which the first range is sized.
 */
export async function listByMetadata(
  manager: EntityManager,
  filter: LogFilter,
  limit: number,
  newest: readonly StoredRequestLog[],
): Promise<StoredRequestLog[]> {
  const ranges = new TimeRanges(filter);
  const oldest = newest.at(-1);
  if (oldest) ranges.expect(limit, newest.length, oldest.created_at);
  const found: StoredRequestLog[] = [];
  for (let range = ranges.next(); range && found.length < limit; range = ranges.next()) {
    const more = await byIndex(manager, filter, range, limit - found.length);
    found.push(...more);
    if (range.from) ranges.expect(limit - found.length, more.length && found.length, range.from);
  }
  return found;
}

/** Range of time, excluding its start and including its end; null: open. */
interface TimeRange {
  readonly from: Date | null;
  readonly end: Date | null;
}

/**
 * Divides the time of a filter into ranges, newest first. Each is sized by the hit rate so far,
 * because each match of a range is fetched, needed or not. The last range is open.
 */
class TimeRanges {
  private readonly latest: number;
  private readonly min: number;
  private end: Date | null;
  private days = 1;
  private scans = 0;
  private isOver = false;

  constructor({ ranges, after }: LogFilter) {
    const { min, max } = ranges.created_at ?? {};
    this.end = after?.createdAt ?? (max === undefined ? null : new Date(max));
    this.latest = this.end?.getTime() ?? Date.now();
    this.min = min === undefined ? -Infinity : new Date(min).getTime();
  }

  next(): TimeRange | null {
    if (this.isOver) return null;
    this.scans += 1;
    const start = (this.end?.getTime() ?? this.latest) - this.days * DAY_MS;
    const from = this.scans < SCANS_MAX ? new Date(start) : null;
    const range = { from, end: this.end };
    this.end = from;
    this.isOver = from === null || start < this.min;
    return range;
  }

  /**
   * Updates the estimate: `missing` logs are still needed, and `found` were found back to the time
   * `back`.
   */
  expect(missing: number, found: number, back: Date): void {
    const perDay = (found * DAY_MS) / (this.latest - back.getTime());
    const most = this.scans === 0 ? 1 : Math.max(1, 2 * this.days);
    this.days = Math.max(DAYS_MIN, Math.min(most, (OVERREAD * missing) / perDay));
  }
}

function byIndex(
  manager: EntityManager,
  filter: LogFilter,
  { from, end }: TimeRange,
  limit: number,
): Promise<StoredRequestLog[]> {
  const conditions = logConditions(filter);
  const { where, bind } = conditions;
  if (end !== null) where.push(`created_at <= ${bind(end)}`);
  if (from !== null) where.push(`created_at > ${bind(from)}`);
  return newestOfAll(manager, conditions, limit);
}
