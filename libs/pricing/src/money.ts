const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;
const MILLION = 1_000_000;
const EXPONENT_MAX = 40;

/**
 * Returns `value` × 10^`scale` as an integer, rounded half up, from the number's shortest decimal
 * text: 0.1 is a tenth, not the nearest binary fraction.
 * Null for negative or non-finite numbers, and beyond 2^53 − 1.
 */
export function scaleDecimal(value: number, scale: number): number | null {
  const match = DECIMAL.exec(String(value));
  if (match === null) return null;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const shift = scale + Number(exponent) - fraction.length;
  if (Math.abs(shift) > EXPONENT_MAX) return shift < 0 ? 0 : null;
  const digits = BigInt(whole + fraction);
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfUp(digits, 10n ** BigInt(-shift));
  return scaled > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(scaled);
}

/**
 * Returns `quantity` × `pricePerMillion` / 1,000,000, rounded half up to a whole unit of money.
 * All numbers and steps are non-negative integers; a product beyond 2^53 − 1 is computed in BigInt.
 * Exact for costs below 2^53 units (about 90 million USD); a higher one, which no request reaches,
 * is the nearest number.
 */
export function costOf(quantity: number, pricePerMillion: number): number {
  const product = quantity * pricePerMillion + MILLION / 2;
  if (product <= Number.MAX_SAFE_INTEGER) return (product - (product % MILLION)) / MILLION;
  return Number(divideHalfUp(BigInt(quantity) * BigInt(pricePerMillion), BigInt(MILLION)));
}

const divideHalfUp = (dividend: bigint, divisor: bigint): bigint =>
  (2n * dividend + divisor) / (2n * divisor);
