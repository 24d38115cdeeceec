import type { AnalyticsQueryCase } from '@gw/analytics';
import { MINUTE_MS, DAY_MS } from '@gw/kernel';
import { GRAINS, ROLLUP_RETENTION_DAYS, type Grain } from './rollup-grains';

/**
 * A range of time and the source of its requests: rollups of a grain, or the log (null). Times are
 * Unix milliseconds; `end` is excluded.
 */
export interface Source {
  readonly grain: Grain | null;
  readonly from: number;
  readonly end: number;
}

/**
 * Time until which the rollups of each grain are complete, in Unix milliseconds. An earlier time
 * than the true one is also correct.
 */
export type BuiltUntil = Readonly<Record<Grain, number>>;

/**
 * Divides the time of a query into sources. It uses rollups of the coarsest grain that fits the
 * query's buckets, as far as they are built and kept; finer grains for the rest at both ends; and
 * the log for what no grain covers. It uses the log alone if the query needs single requests
 * (`singles`) or no grain fits.
 */
export function sourcesOf(
  query: AnalyticsQueryCase,
  needsSingles: boolean,
  { now, built }: { readonly now: number; readonly built: BuiltUntil },
): Source[] {
  const grains = needsSingles ? [] : [...GRAINS].reverse().filter((candidate) => fits(candidate, query));
  /** Covers a range with the grains in `left`, which are sorted from coarse to fine. */
  const covered = (from: number, end: number, [grain, ...left]: readonly Grain[]): Source[] => {
    if (from >= end) return [];
    if (grain === undefined) return [{ grain: null, from, end }];
    const size = grain * MINUTE_MS;
    const kept = Math.max(from, now - ROLLUP_RETENTION_DAYS[grain] * DAY_MS);
    const [first, last] = [
      Math.ceil(kept / size) * size,
      Math.min(Math.floor(end / size) * size, built[grain]),
    ];
    if (first >= last) return covered(from, end, left);
    return [{ grain, from: first, end: last }, ...covered(from, first, left), ...covered(last, end, left)];
  };
  return covered(query.from, query.to + 1, grains);
}

function fits(grain: Grain, { bucket }: AnalyticsQueryCase): boolean {
  const size = grain * MINUTE_MS;
  return bucket === null || (bucket.sizeMs % size === 0 && bucket.offsetMs % size === 0);
}
