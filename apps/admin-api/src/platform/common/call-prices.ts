import { UNITS_PER_USD } from '@gw/kernel';

const USD_MAX = 1_000;

/**
 * Returns the price in integers of 1e-8 USD; null for a number that is negative, larger than 1,000
 * USD, or that has more than eight decimals.
 */
export function callPrice(usd: unknown): number | null {
  if (typeof usd !== 'number' || !(usd >= 0 && usd <= USD_MAX)) return null;
  const units = Math.round(usd * UNITS_PER_USD);
  // Dividing the units yields the double nearest to the decimal, so equality means at most eight
  // decimals.
  return units / UNITS_PER_USD === usd ? units : null;
}

/** Describes why `callPrice` refuses a number, as part of a sentence. */
export const CALL_PRICE_FAULT = `must be 0 to ${String(USD_MAX)} USD with at most eight decimals`;
