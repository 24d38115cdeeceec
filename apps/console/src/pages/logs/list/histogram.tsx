import { lazy, Suspense, useMemo, type ReactElement } from 'react';
import { useCan, useWorkspace } from '../../../app';
import { logs } from '../../../messages/en/logs';
import type { PageState, ResolvedRange } from '../../../url';
import { graphFilters, timeQuery, unknownToGraphs, type GraphQuery } from '../filters/log-query';
import type { Keys } from '../filters/use-log-fields';
import type { LogList } from './use-log-list';
import type { Change } from '../use-logs-state';

const Bars = lazy(async () => ({ default: (await import('./bars')).Bars }));
const RowBars = lazy(async () => ({ default: (await import('./bars')).RowBars }));
const BARS_HEIGHT = 62;
/** Maximum range of a graph. */
const RANGE_MAX_DAYS = 366;
const DAY_MS = 86_400_000;

export interface HistogramProps {
  readonly state: PageState;
  readonly list: LogList;
  readonly keys: Keys;
  readonly change: Change;
}

/**
 * Histogram of successful and failed requests over the range. When the analytics graphs cannot
 * apply the filters, the browser counts the logs once all are loaded; until then it shows why there
 * are no bars. Renders nothing when the caller may not see graphs.
 */
export function Histogram({ state, list, keys, change }: HistogramProps): ReactElement | null {
  const { range } = list;
  const { id } = useWorkspace();
  const mayCount = useCan('analyticsGraphs_requests');
  const filters = useMemo(() => graphFilters(state.filters, keys.idsOf), [state.filters, keys.idsOf]);
  if (!mayCount || !keys.isReady) return null;
  const reason = reasonOf(state, range);
  const isWhole = !list.hasMore && !list.isFull && !list.isLoading && list.problem === null;
  if (reason !== null && !isWhole) return <p className="logs-histogram xs muted">{reason}</p>;
  const query = { ...filters, ...timeQuery(range, false), workspace_id: id } as GraphQuery;
  return (
    // The fixed height keeps the list from moving when the bars arrive.
    <div className="logs-histogram" style={{ minHeight: BARS_HEIGHT }}>
      <Suspense>
        {reason === null ? (
          <Bars query={query} change={change} />
        ) : (
          <RowBars rows={list.rows} range={range} change={change} />
        )}
      </Suspense>
    </div>
  );
}

/** Why the graphs cannot count the requests of the list; null when they can. */
function reasonOf({ filters, text }: PageState, { from, to }: ResolvedRange): string | null {
  const unknown = unknownToGraphs(filters);
  if (unknown.length > 0) return logs.histogram.noFilters(unknown);
  if (text.trim() !== '') return logs.histogram.noText;
  return to - from > RANGE_MAX_DAYS * DAY_MS ? logs.histogram.tooLong(RANGE_MAX_DAYS) : null;
}
