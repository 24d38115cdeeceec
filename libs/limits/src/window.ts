import type { RateLimitRule } from '@gw/contracts';

const SECOND = 1_000;
const DAY = 86_400_000;

export const WINDOW_MS: Readonly<Record<NonNullable<RateLimitRule['unit']>, number>> = {
  rps: SECOND,
  rpm: 60 * SECOND,
  rph: 3_600 * SECOND,
  rpd: DAY,
  rpw: 7 * DAY,
};
