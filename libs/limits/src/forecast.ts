/** Where a budget is heading. */
export interface Forecast {
  /** In the unit of the limit, each day. */
  readonly perDay: number;
  /** Unix milliseconds; null: at this rate it lasts until its reset, or for more than ten years. */
  readonly runsOutAtMs: number | null;
}

const DAY_MS = 86_400_000;
const HORIZON_MS = 3_650 * DAY_MS;
/** In a shorter time than this, a rate says nothing. */
const SPAN_MIN_MS = 3_600_000;

/** By the mean rate since the period began. */
export function forecast(
  budget: {
    readonly used: number;
    readonly limit: number;
    readonly sinceMs: number;
    readonly resetAtMs: number | null;
  },
  nowMs: number,
): Forecast {
  const { used, limit, sinceMs, resetAtMs } = budget;
  const span = Math.max(SPAN_MIN_MS, nowMs - sinceMs);
  const perMs = used / span;
  if (used >= limit) return { perDay: perMs * DAY_MS, runsOutAtMs: nowMs };
  const left = perMs === 0 ? Infinity : (limit - used) / perMs;
  const at = nowMs + left;
  const lasts = left > HORIZON_MS || (resetAtMs !== null && at >= resetAtMs);
  return { perDay: perMs * DAY_MS, runsOutAtMs: lasts ? null : Math.ceil(at) };
}
