import type { AnalyticsAsk } from '@gw/analytics';
import { GRAINS, ROLLUP_RETENTION_DAYS, type Grain } from './rollup-writer.queries';

/** A stretch of time and where its requests are read: rollups of a grain, or the log for null. In Unix milliseconds, without its end. */
export interface Source {
  readonly grain: Grain | null;
  readonly from: number;
  readonly end: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Rollups of the coarsest grain that fits the ask's buckets and is kept that long; for what sticks out at both ends those of the next one,
 * and the log at last. The log alone where a single request must be seen, or where no grain fits.
 */
export function sourcesOf(ask: AnalyticsAsk, singles: boolean, now: number): Source[] {
  const grains = singles ? [] : [...GRAINS].reverse().filter((candidate) => fits(candidate, ask, now));
  return covered(ask.from, ask.to + 1, grains);
}

/** `grains`: the coarsest first. */
function covered(from: number, end: number, [grain, ...finer]: readonly Grain[]): Source[] {
  if (from >= end) return [];
  if (grain === undefined) return [{ grain: null, from, end }];
  const size = grain * MINUTE_MS;
  const [first, last] = [Math.ceil(from / size) * size, Math.floor(end / size) * size];
  if (first >= last) return covered(from, end, finer);
  return [{ grain, from: first, end: last }, ...covered(from, first, finer), ...covered(last, end, finer)];
}

function fits(grain: Grain, { bucket, from }: AnalyticsAsk, now: number): boolean {
  const size = grain * MINUTE_MS;
  if (from < now - ROLLUP_RETENTION_DAYS[grain] * DAY_MS) return false;
  return bucket === null || (bucket.sizeMs % size === 0 && bucket.offsetMs % size === 0);
}
