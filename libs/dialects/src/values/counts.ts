/** Maximum plausible count; larger ones must be wrong and must not become costs. */
const COUNT_MAX = 1_000_000_000;

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX;

/**
 * Reads a token count: 0 when it is absent or null; null when it is not an integer from 0 to 1e9.
 */
export const readCount = (value: unknown): number | null =>
  value === undefined || value === null ? 0 : isCount(value) ? value : null;

/**
 * Reads a part of a total (such as cached tokens): 0 unless it is a count, and never more than the
 * total.
 */
export const readDetail = (value: unknown, total = Infinity): number =>
  isCount(value) ? Math.min(value, total) : 0;
