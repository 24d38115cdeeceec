import { HOUR_MS, DAY_MS } from '@gw/kernel';

const HORIZON_MS = 3_650 * DAY_MS;

/** How far back the burn rate looks. */
export const BURN_WINDOW_MS = 7 * DAY_MS;

/** Recent charges of a budget, from its durable record. */
export interface RecentCharges {
  /**
   * In the unit of the limit, since `nowMs - BURN_WINDOW_MS` or the start of the period, whichever
   * is later.
   */
  readonly amount: number;
  /** Unix milliseconds: the first recorded hour of the period; null when there is none. */
  readonly firstHourMs: number | null;
}

/**
 * Returns the daily usage of a budget: its charges of the last seven days divided by that time, or
 * by the time since the first charged hour if that is shorter. Null when nothing is recorded or the
 * first charge is less than an hour ago.
 */
export function burnRatePerDay({ amount, firstHourMs }: RecentCharges, nowMs: number): number | null {
  if (firstHourMs === null) return null;
  const span = nowMs - Math.max(firstHourMs, nowMs - BURN_WINDOW_MS);
  return span < HOUR_MS ? null : (amount / span) * DAY_MS;
}

/**
 * Returns when a budget will be used up at its burn rate, in Unix milliseconds: now plus what is
 * left divided by the rate. Null when the rate is unknown, the budget is used up already, or it
 * lasts until its reset or for more than ten years.
 */
export function forecastExhaustion(
  budget: {
    readonly used: number;
    readonly limit: number;
    /** Result of `burnRatePerDay`. */
    readonly perDay: number | null;
    readonly resetAtMs: number | null;
  },
  nowMs: number,
): number | null {
  const { used, limit, perDay, resetAtMs } = budget;
  if (perDay === null || perDay <= 0 || used >= limit) return null;
  const leftMs = ((limit - used) / perDay) * DAY_MS;
  const at = Math.ceil(nowMs + leftMs);
  return leftMs > HORIZON_MS || (resetAtMs !== null && at >= resetAtMs) ? null : at;
}
