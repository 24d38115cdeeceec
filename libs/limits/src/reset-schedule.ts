import { DAY_MS } from '@gw/kernel';

/** When a budget starts again. All times are Unix milliseconds; every boundary is midnight UTC. */
export interface ResetSchedule {
  /** A number is a count of days, 1 to 365. Null: resets at most once, at the anchor. */
  readonly every: 'weekly' | 'monthly' | number | null;
  /**
   * Any boundary in the past or future. Weeks and days are counted from it; months use its day (the
   * last day of shorter months).
   * Null: Mondays, the 1st, or days counted from 1970-01-01; without `every`, never.
   */
  readonly anchorMs: number | null;
  /** Usage before this time never counts. */
  readonly lastResetMs: number | null;
}

const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05 was the first Monday. */
export const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Returns midnight UTC of the day that contains a time. */
export const midnightOf = (atMs: number): number => Math.floor(atMs / DAY_MS) * DAY_MS;

/**
 * Returns the start of the current period and of the two after it, in ascending order; a single
 * entry when nothing ever resets. The counter store's clock chooses among them, so the caller's
 * clock may be wrong by a whole period.
 */
export function boundariesAround(schedule: ResetSchedule, nowMs: number): readonly number[] {
  const { lastResetMs } = schedule;
  const regular = regularBoundaries(schedule, nowMs);
  if (lastResetMs === null) return regular;
  const later = regular.filter((boundary) => boundary > lastResetMs);
  return later.length === regular.length ? regular : [lastResetMs, ...later];
}

/** Returns the first boundary after `afterMs`; null when there is none. */
export function nextBoundary(schedule: ResetSchedule, afterMs: number): number | null {
  return regularBoundaries(schedule, afterMs).find((boundary) => boundary > afterMs) ?? null;
}

function regularBoundaries({ every, anchorMs }: ResetSchedule, nowMs: number): readonly number[] {
  if (every === null) {
    if (anchorMs === null) return [0];
    return nowMs >= anchorMs ? [anchorMs] : [0, anchorMs];
  }
  if (every === 'monthly') return months(anchorMs === null ? 1 : new Date(anchorMs).getUTCDate(), nowMs);
  const length = every === 'weekly' ? WEEK_MS : every * DAY_MS;
  const anchor = anchorMs ?? (every === 'weekly' ? FIRST_MONDAY_MS : 0);
  const start = anchor + Math.floor((nowMs - anchor) / length) * length;
  return [start, start + length, start + 2 * length];
}

function months(day: number, nowMs: number): readonly number[] {
  const now = new Date(nowMs);
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  const first = boundaryIn(year, month, day) <= nowMs ? month : month - 1;
  return [first, first + 1, first + 2].map((each) => boundaryIn(year, each, day));
}

function boundaryIn(year: number, month: number, day: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, lastDay));
}
