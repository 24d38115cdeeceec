/** Maximum relative error of a percentile, from 0.1 ms to 10,000 s. */
export const LATENCY_ERROR_MAX = 0.025;

const FIRST_MS = 0.1;
const LAST_MS = 1e7;
/**
 * Ratio of neighbouring bounds. The harmonic mean of two bounds is off by at most (ratio - 1) /
 * (ratio + 1), 2.44 %.
 */
const RATIO = 1.05;

/**
 * Bounds of the latency buckets in milliseconds: bucket n holds latencies from `LATENCY_BOUNDS[n -
 * 1]` up to, but not including, `LATENCY_BOUNDS[n]`; bucket 0 holds those below the first bound.
 * Histograms of different hours and groups can be added without loss. Stored histograms depend on
 * these numbers: they must never change.
 */
export const LATENCY_BOUNDS: readonly number[] = Array.from(
  { length: Math.ceil(Math.log(LAST_MS / FIRST_MS) / Math.log(RATIO)) + 1 },
  (_, i) => FIRST_MS * RATIO ** i,
);

/**
 * Returns the bucket of a latency, like `width_bucket` of Postgres: the number of bounds that are
 * at most `ms`.
 */
export function latencyBucket(ms: number): number {
  let [low, high] = [0, LATENCY_BOUNDS.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((LATENCY_BOUNDS[middle] as number) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the latency in milliseconds that represents a bucket. */
export function latencyOfBucket(bucket: number): number {
  const [from, to] = [LATENCY_BOUNDS[bucket - 1], LATENCY_BOUNDS[bucket]];
  if (from === undefined) return 0;
  if (to === undefined) return from;
  return (2 * from * to) / (from + to);
}
