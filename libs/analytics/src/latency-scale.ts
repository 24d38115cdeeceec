/** A percentile is off by at most this part of the true value, from 0.1 ms to 10,000 s. */
export const LATENCY_ERROR_MAX = 0.025;

const FIRST_MS = 0.1;
const LAST_MS = 1e7;
/** With neighbours this far apart, the harmonic middle of two is off by (ratio - 1) / (ratio + 1), 2.44 %. */
const RATIO = 1.05;

/**
 * Lower bounds of the buckets that latencies are counted in, in milliseconds: bucket n holds what is at least `LATENCY_BOUNDS[n - 1]` and
 * less than `LATENCY_BOUNDS[n]`, bucket 0 what is less than the first. Counts of the same buckets may be added, so that histograms of any
 * hours and groups become one without a loss. Stored histograms rest on these numbers: they must never change.
 */
export const LATENCY_BOUNDS: readonly number[] = Array.from(
  { length: Math.ceil(Math.log(LAST_MS / FIRST_MS) / Math.log(RATIO)) + 1 },
  (_, i) => FIRST_MS * RATIO ** i,
);

/** As `width_bucket` of Postgres counts: how many bounds are at most `ms`. */
export function latencyBucket(ms: number): number {
  let [low, high] = [0, LATENCY_BOUNDS.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((LATENCY_BOUNDS[middle] as number) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The latency in milliseconds that a bucket represents. */
export function latencyOfBucket(bucket: number): number {
  const [from, to] = [LATENCY_BOUNDS[bucket - 1], LATENCY_BOUNDS[bucket]];
  if (from === undefined) return 0;
  if (to === undefined) return from;
  return (2 * from * to) / (from + to);
}
