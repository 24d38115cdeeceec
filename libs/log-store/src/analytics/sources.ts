import type { AnalyticsQueryCase } from '@gw/analytics';
import { MINUTE_MS, DAY_MS } from '@gw/kernel';
import { GRAINS, ROLLUP_RETENTION_DAYS, type Grain } from './rollup-grains';

/** A range of time and where its requests are read: rollups of a grain, or the log for null. In Unix milliseconds, without its end. */
export interface Source {
  readonly grain: Grain | null;
  readonly from: number;
  readonly end: number;
}

/** Until when rows of each grain are there; Unix milliseconds. An earlier moment than the true one is as right. */
export type BuiltUntil = Readonly<Record<Grain, number>>;

/**
 * Rollups of the coarsest grain that fits the ask's buckets, as far as they are made and kept; for what sticks out at both ends those of the
 * next one, and the log at last. The log alone where a single request must be seen, or where no grain fits.
 */
export function sourcesOf(
  ask: AnalyticsQueryCase,
  singles: boolean,
  { now, built }: { readonly now: number; readonly built: BuiltUntil },
): Source[] {
  const grains = singles ? [] : [...GRAINS].reverse().filter((candidate) => fits(candidate, ask));
  /** `left`: the coarsest first. */
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
  return covered(ask.from, ask.to + 1, grains);
}

function fits(grain: Grain, { bucket }: AnalyticsQueryCase): boolean {
  const size = grain * MINUTE_MS;
  return bucket === null || (bucket.sizeMs % size === 0 && bucket.offsetMs % size === 0);
}
