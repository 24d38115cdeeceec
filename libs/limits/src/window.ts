import type { RateLimitRule } from '@gw/contracts';

const SECOND = 1_000;
const DAY = 86_400_000;

export const WINDOW_MS: Readonly<Record<RateLimitRule['unit'], number>> = {
  rps: SECOND,
  rpm: 60 * SECOND,
  rph: 3_600 * SECOND,
  rpd: DAY,
  rpw: 7 * DAY,
};

/** 1970-01-05 was the first Monday: weekly windows start on Monday 00:00 UTC. */
const FIRST_MONDAY = 4 * DAY;

/** Start of the fixed window that holds `nowMs`: whole seconds, minutes, hours and days of UTC, weeks from Monday. */
export function windowStart(unit: RateLimitRule['unit'], nowMs: number): number {
  const length = WINDOW_MS[unit];
  const origin = unit === 'rpw' ? FIRST_MONDAY : 0;
  return nowMs - ((nowMs - origin) % length);
}
