import type { SeriesColor } from './spark';

/** One series of a chart. */
export interface ChartSeries {
  readonly id: string;
  readonly label: string;
  /** Colour of the series; by default one of the seven colours by index, then grey. */
  readonly color?: SeriesColor;
  /** One value for each time; null is drawn as a gap. */
  readonly values: readonly (number | null)[];
}

const COLORS: readonly SeriesColor[] = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];

export const colorOf = ({ color }: ChartSeries, at: number): SeriesColor => color ?? COLORS[at] ?? 'c-other';

/** Dash patterns from the fourth line on, which make lines distinguishable without colours. */
const DASHES: readonly (readonly number[])[] = [
  [6, 4],
  [2, 3],
  [8, 3, 2, 3],
  [4, 4],
];
export const dashOf = (at: number): readonly number[] =>
  at < 3 ? [] : (DASHES[(at - 3) % DASHES.length] ?? []);

/**
 * Sums up stacked series, each on top of those before it. A missing value counts as 0; a time at
 * which all values are missing stays a gap.
 */
export function stacked(series: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const length = Math.max(0, ...series.map((values) => values.length));
  const sums = Array.from({ length }, () => 0);
  const isGap = sums.map((_, at) => series.every((values) => (values[at] ?? null) === null));
  return series.map((values) =>
    sums.map((before, at) => {
      const sum = before + (values[at] ?? 0);
      sums[at] = sum;
      return isGap[at] === true ? null : sum;
    }),
  );
}

/**
 * Extends a selected range to whole buckets of the chart; a range within one bucket becomes that
 * bucket. Null when there are no buckets, when the range begins after the last bucket, and when it
 * has no length and lies between two buckets. Times are in milliseconds.
 */
export function snapped(
  from: number,
  to: number,
  times: readonly number[],
  bucketMs: number,
): { readonly from: number; readonly to: number } | null {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return null;
  const bound = (at: number): number => Math.min(last + bucketMs, Math.max(first, at));
  const floor = (at: number): number => first + Math.floor((bound(at) - first) / bucketMs) * bucketMs;
  const start = floor(Math.min(from, to));
  const end = Math.min(last + bucketMs, floor(Math.max(from, to) - 1) + bucketMs);
  return end - start < bucketMs ? null : { from: start, to: end };
}
