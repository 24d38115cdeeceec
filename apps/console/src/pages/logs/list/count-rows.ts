import type { LogRow } from '../../../live';
import { parseMoment } from '../../../ui/format';
import type { ResolvedRange } from '../../../url';

export type CountedRow = Pick<LogRow, 'created_at' | 'is_success'>;

/** Maximum number of bars. */
const BARS_MAX = 100;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Bar widths up to a day; wider bars are whole days. */
const WIDTHS_MS = [1, 5, 15, 60, 360, 1_440].map((minutes) => minutes * MINUTE_MS);

export interface CountedRows {
  /** Start of each bar in Unix milliseconds. */
  readonly times: readonly number[];
  readonly bucketMs: number;
  readonly good: readonly number[];
  readonly bad: readonly number[];
}

/** Counts successful and failed requests over a range. Requests after its end extend the range. */
export function countRows(rows: readonly CountedRow[], { from, to }: ResolvedRange): CountedRows {
  const moments = rows.map(({ created_at: at }) => parseMoment(at) ?? from);
  const end = moments.reduce((latest, at) => Math.max(latest, at), to);
  const span = Math.max(end - from, 1);
  const bucketMs =
    WIDTHS_MS.find((width) => span / width < BARS_MAX) ?? Math.ceil(span / BARS_MAX / DAY_MS) * DAY_MS;
  const first = Math.floor(from / bucketMs);
  const times = Array.from(
    { length: Math.floor(end / bucketMs) - first + 1 },
    (_, at) => (first + at) * bucketMs,
  );
  const [good, bad] = [times.map(() => 0), times.map(() => 0)];
  for (const [at, moment] of moments.entries()) {
    const counts = rows[at]?.is_success === false ? bad : good;
    const bar = Math.max(0, Math.floor(moment / bucketMs) - first);
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return { times, bucketMs, good, bad };
}
