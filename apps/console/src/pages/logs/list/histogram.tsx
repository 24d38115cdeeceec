import { lazy, Suspense, useMemo, type ReactElement } from 'react';
import { useCan, useWorkspace } from '../../../app';
import type { PageState, ResolvedRange } from '../../../url';
import { graphFilters, timeQuery, type GraphQuery } from '../filters/log-query';
import type { Keys } from '../filters/use-log-fields';
import type { Change } from '../use-logs-state';

const Bars = lazy(async () => ({ default: (await import('./bars')).Bars }));
const BARS_HEIGHT = 62;
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
  const query = { ...filters, ...timeQuery(range, false), workspace_id: id } as GraphQuery;
  return (
    // The list does not jump when the bars arrive.
    <div className="logs-histogram" style={{ minHeight: BARS_HEIGHT }}>
      <Suspense>
        <Bars query={query} change={props.change} />
      </Suspense>
    </div>
  );
}
