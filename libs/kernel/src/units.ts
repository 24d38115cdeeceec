export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Money is stored in integer units of 1e-8 USD. */
export const UNITS_PER_USD = 100_000_000;
export const UNITS_PER_CENT = UNITS_PER_USD / 100;
