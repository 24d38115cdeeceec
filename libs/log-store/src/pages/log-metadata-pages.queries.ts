import { DAY_MS } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { logConditions, type LogFilter } from './log-conditions';
import { newestOfAll } from './log-page-sql';
import type { StoredRequestLog } from '../rows/stored-request-log';

/** Maximum number of index scans, newest first; the last one covers the rest. */
const LOOKS_MAX = 8;
const DAYS_MIN = 1 / 24;
/** Safety factor, because the density of matches varies from hour to hour. */
const NEEDED_TIMES = 1.5;

/**
 * A page of logs by their metadata, of which `newest` tells how many there are. Postgres knows too little of that to choose between their order and
 * the index, and a wrong choice reads whole days: so the index tells of some days at a time.
 */
export async function listByMetadata(
  manager: EntityManager,
  filter: LogFilter,
  limit: number,
  newest: readonly StoredRequestLog[],
): Promise<StoredRequestLog[]> {
  const stretches = new Stretches(filter);
  const oldest = newest.at(-1);
  if (oldest) stretches.expect(limit, newest.length, oldest.created_at);
  const found: StoredRequestLog[] = [];
  for (let stretch = stretches.next(); stretch && found.length < limit; stretch = stretches.next()) {
    const more = await byIndex(manager, filter, stretch, limit - found.length);
    found.push(...more);
    if (stretch.from) stretches.expect(limit - found.length, more.length && found.length, stretch.from);
  }
  return found;
}

/** Range of time, without its start and with its end; null for an open end. */
interface Stretch {
  readonly from: Date | null;
  readonly end: Date | null;
}

/**
 * All the time that a filter allows and all before it, newest first. Each log that a stretch has is fetched by itself, so none is much longer than
 * what is still missing is likely to need.
 */
class Stretches {
  private readonly latest: number;
  private readonly min: number;
  private end: Date | null;
  private days = 1;
  private looks = 0;
  private isOver = false;

  constructor({ ranges, after }: LogFilter) {
    const { min, max } = ranges.created_at ?? {};
    this.end = after?.createdAt ?? (max === undefined ? null : new Date(max));
    this.latest = this.end?.getTime() ?? Date.now();
    this.min = min === undefined ? -Infinity : new Date(min).getTime();
  }

  next(): Stretch | null {
    if (this.isOver) return null;
    this.looks += 1;
    const start = (this.end?.getTime() ?? this.latest) - this.days * DAY_MS;
    const from = this.looks < LOOKS_MAX ? new Date(start) : null;
    const stretch = { from, end: this.end };
    this.end = from;
    this.isOver = from === null || start < this.min;
    return stretch;
  }

  /** Updates the estimate: `missing` logs are still needed, and `found` were found back to the time `back`. */
  expect(missing: number, found: number, back: Date): void {
    const perDay = (found * DAY_MS) / (this.latest - back.getTime());
    const most = this.looks === 0 ? 1 : Math.max(1, 2 * this.days);
    this.days = Math.max(DAYS_MIN, Math.min(most, (NEEDED_TIMES * missing) / perDay));
  }
}

function byIndex(
  manager: EntityManager,
  filter: LogFilter,
  { from, end }: Stretch,
  limit: number,
): Promise<StoredRequestLog[]> {
  const conditions = logConditions(filter);
  const { where, bind } = conditions;
  if (end !== null) where.push(`created_at <= ${bind(end)}`);
  if (from !== null) where.push(`created_at > ${bind(from)}`);
  return newestOfAll(manager, conditions, limit);
}
