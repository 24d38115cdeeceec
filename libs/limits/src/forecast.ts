import { HOUR_MS, DAY_MS } from '@gw/kernel';

const HORIZON_MS = 3_650 * DAY_MS;

/** How far back a burn rate looks. */
export const BURN_WINDOW_MS = 7 * DAY_MS;

/** What a budget was charged lately, by its durable record. */
export interface RecentCharges {
  /** In the unit of the limit, since `nowMs - BURN_WINDOW_MS` or the start of the period, whichever is later. */
  readonly amount: number;
  /** Unix milliseconds: the first hour that the record has of the period; null: it has none. */
  readonly firstHourMs: number | null;
}

/**
 * What a budget uses in a day: what it was charged in the last seven days, divided by that time; of a younger budget or period, by the time
 * since its first charged hour. Null: nothing is recorded, or not for an hour yet, which says nothing of a day.
 */
export function burnRatePerDay({ amount, firstHourMs }: RecentCharges, nowMs: number): number | null {
  if (firstHourMs === null) return null;
  const span = nowMs - Math.max(firstHourMs, nowMs - BURN_WINDOW_MS);
  return span < HOUR_MS ? null : (amount / span) * DAY_MS;
}

/**
 * When a budget will be used up at that rate, Unix milliseconds: now, plus what is left divided by the rate. Null: no rate is known, it is used
 * up already, it lasts until its reset, or for more than ten years.
 */
export function forecastExhaustion(
  budget: {
    readonly used: number;
    readonly limit: number;
    /** As `burnRatePerDay` has it. */
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
