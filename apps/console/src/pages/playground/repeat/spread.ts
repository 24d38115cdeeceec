/** Minimum, median and maximum of several values. */
export interface Spread<T> {
  readonly least: T;
  readonly median: T;
  readonly most: T;
}

/**
 * Computes the spread of values; null without values. `middle` averages the two middle values of an
 * even number.
 */
function spreadBy<T extends number | bigint>(
  values: readonly T[],
  middle: (one: T, other: T) => T,
): Spread<T> | null {
  const sorted = [...values].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const [least] = sorted;
  const most = sorted.at(-1);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (least === undefined || most === undefined || upper === undefined || lower === undefined) return null;
  return { least, median: middle(lower, upper), most };
}

export const spreadOf = (values: readonly number[]): Spread<number> | null =>
  spreadBy(values, (one, other) => (one + other) / 2);

/** Computes the spread of amounts in 1e-8 USD; a median between two units is rounded up. */
export const spreadOfMoney = (values: readonly bigint[]): Spread<bigint> | null =>
  spreadBy(values, (one, other) => (one + other + 1n) / 2n);
