import { useMemo, type ReactElement } from 'react';
import { useRead } from '../../../api';
import { logs } from '../../../messages/en/logs';
import type { ChartSeries } from '../../../ui/charts/series';
import { TimeChart } from '../../../ui/charts/time-chart';
import { count, parseMoment } from '../../../ui/format';
import type { GraphQuery } from '../filters/log-query';
import type { ResolvedRange } from '../../../url';
import type { Change } from '../use-logs-state';
import { countRows, type CountedRow } from './count-rows';

const FRESH_MS = 30_000;
const HEIGHT = 62;

interface BarsProps {
  readonly query: GraphQuery;
  readonly change: Change;
}

/**
 * Bars of the requests that the analytics graphs count; renders nothing until both graphs are
 * loaded.
 */
export function Bars({ query, change }: BarsProps): ReactElement | null {
  const options = { staleTime: FRESH_MS };
  const requests = useRead('analyticsGraphs_requests', { query }, options).data?.data_points;
  const errors = useRead('analyticsGraphs_errors', { query }, options).data?.data_points;
  const chart = useMemo(
    () => (requests === undefined || errors === undefined ? null : chartOf(requests, errors)),
    [requests, errors],
  );
  return chart === null ? null : <ChartOf chart={chart} change={change} />;
}

interface RowBarsProps {
  /** All logs of the range. */
  readonly rows: readonly CountedRow[];
  readonly range: ResolvedRange;
  readonly change: Change;
}

/** Bars of the requests in `rows`, counted in the browser. */
export function RowBars({ rows, range, change }: RowBarsProps): ReactElement {
  const chart = useMemo(() => chartOfRows(rows, range), [rows, range]);
  return <ChartOf chart={chart} change={change} />;
}

function ChartOf({ chart, change }: { readonly chart: Chart; readonly change: Change }): ReactElement {
  return (
    <TimeChart
      label={logs.histogram.label}
      {...chart}
      as="stacked"
      axes="time"
      height={HEIGHT}
      legend={false}
      format={(value) => count(value)}
      onZoom={(from, to) => change({ range: { kind: 'absolute', from, to } })}
      onPick={(from, to) => change({ range: { kind: 'absolute', from, to } })}
    />
  );
}

interface Point {
  readonly timestamp: string;
  readonly total: number;
}

interface Chart {
  readonly times: readonly number[];
  readonly bucketMs: number;
  readonly series: readonly ChartSeries[];
}

function chartOfRows(rows: readonly CountedRow[], range: ResolvedRange): Chart {
  const { times, bucketMs, good, bad } = countRows(rows, range);
  return { times, bucketMs, series: seriesOf(good, bad) };
}

/** Converts two graphs to a chart; null when there are too few points to derive a bar width. */
export function chartOf(requests: readonly Point[], errors: readonly Point[]): Chart | null {
  const failed = new Map(errors.map(({ timestamp, total }) => [timestamp, total]));
  const times = requests.map(({ timestamp }) => parseMoment(timestamp) ?? 0);
  const [first, second] = times;
  if (first === undefined || second === undefined) return null;
  const bad = requests.map(({ timestamp }) => failed.get(timestamp) ?? 0);
  const good = requests.map(({ total }, at) => Math.max(0, total - (bad[at] ?? 0)));
  return { times, bucketMs: second - first, series: seriesOf(good, bad) };
}

const seriesOf = (good: readonly number[], bad: readonly number[]): readonly ChartSeries[] => [
  { id: 'ok', label: logs.histogram.good, color: 'c-other', values: good },
  { id: 'failed', label: logs.histogram.failed, color: 'danger', values: bad },
];
