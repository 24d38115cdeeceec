/** A count above this is a lie of the provider: no request has a billion tokens, and money must not be made of it. */
const COUNT_MAX = 1_000_000_000;

/** A token count; 0 when the field is absent or null; null when it is there and is not a whole number in 0..1e9. */
export function readCount(value: unknown): number | null {
  if (value === undefined || value === null) return 0;
  return isCount(value) ? value : null;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX;

/** A detail of a total (cached tokens, …): 0 unless it is a count, and never more than the total it is part of. */
export const readDetail = (value: unknown, total: number): number =>
  isCount(value) ? Math.min(value, total) : 0;
