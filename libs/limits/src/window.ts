import type { RateLimitRule } from '@gw/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@gw/kernel';

export const WINDOW_MS: Readonly<Record<NonNullable<RateLimitRule['unit']>, number>> = {
  rps: 1_000,
  rpm: MINUTE_MS,
  rph: HOUR_MS,
  rpd: DAY_MS,
  rpw: 7 * DAY_MS,
};
