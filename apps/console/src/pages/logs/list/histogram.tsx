import { useMemo, type ReactElement } from 'react';
import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { logs } from '../../../messages';
import { TimeChart, type ChartSeries } from '../../../ui/charts';
import { count, parseMoment } from '../../../ui/format';
import type { PageState, ResolvedRange } from '../../../url';
import { graphFilters, timeQuery, type GraphQuery } from '../filters/log-query';
import type { Keys } from '../filters/use-log-fields';
import type { Change } from '../use-logs-state';

const FRESH_MS = 30_000;
const HEIGHT = 62;
/** Longest range of a graph, in milliseconds. */
const RANGE_MAX_MS = 366 * 86_400_000;

export interface HistogramProps {
  readonly state: PageState;
  readonly range: ResolvedRange;
  readonly keys: Keys;
  readonly change: Change;
}

/** Requests over the range, failed ones apart. Absent where the graphs do not have all of the filters. */
export function Histogram(props: HistogramProps): ReactElement | null {
  const { state, range, keys } = props;
  const { id } = useWorkspace();
  const mayCount = useCan('analyticsGraphs_requests');
  const filters = useMemo(() => graphFilters(state.filters, keys.idsOf), [state.filters, keys.idsOf]);
  const fits = range.to - range.from <= RANGE_MAX_MS && state.text.trim() === '';
  if (!mayCount || filters === null || !fits || !keys.isReady) return null;
  return <Bars {...props} query={{ ...filters, ...timeQuery(range, false), workspace_id: id } as GraphQuery} />;
}

function Bars({ query, change }: HistogramProps & { readonly query: GraphQuery }): ReactElement | null {
  const options = { staleTime: FRESH_MS };
  const requests = useRead('analyticsGraphs_requests', { query }, options).data?.data_points;
  const errors = useRead('analyticsGraphs_errors', { query }, options).data?.data_points;
  const chart = useMemo(
    () => (requests === undefined || errors === undefined ? null : chartOf(requests, errors)),
    [requests, errors],
  );
  // The list does not jump when the bars arrive.
  if (chart === null) return <div className="logs-histogram" style={{ height: HEIGHT }} aria-hidden="true" />;
  return (
    <div className="logs-histogram">
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
    </div>
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

/** Null: too few points for a width. */
export function chartOf(requests: readonly Point[], errors: readonly Point[]): Chart | null {
  const failed = new Map(errors.map(({ timestamp, total }) => [timestamp, total]));
  const times = requests.map(({ timestamp }) => parseMoment(timestamp) ?? 0);
  const [first, second] = times;
  if (first === undefined || second === undefined) return null;
  const bad = requests.map(({ timestamp }) => failed.get(timestamp) ?? 0);
  const good = requests.map(({ total }, at) => Math.max(0, total - (bad[at] ?? 0)));
  return {
    times,
    bucketMs: second - first,
    series: [
      { id: 'ok', label: logs.histogram.good, color: 'c-other', values: good },
      { id: 'failed', label: logs.histogram.failed, color: 'danger', values: bad },
    ],
  };
}
