import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import type { RateLimit } from '../../fields/limit-words';
import { lastDays } from '../../list/last-days';
import type { ApiKey } from '../key-types';

const MINUTE_MS = 60_000;
const REFRESH_MS = 30_000;

type Points = readonly { readonly total: number }[];

/**
 * How the use of a rate limit is read from a graph, by unit: the range, and whether the highest
 * point or the sum counts.
 */
const WINDOWS: Readonly<Record<string, { readonly range: () => Range; readonly by: 'peak' | 'sum' }>> = {
  rpm: { range: lastHour, by: 'peak' },
  rph: { range: lastHour, by: 'sum' },
  rpd: { range: () => lastDays(1), by: 'sum' },
  rpw: { range: () => lastDays(7), by: 'sum' },
};

type Range = ReturnType<typeof lastDays>;

/** The last hour in whole minutes, so that its graph has a point for each minute. */
function lastHour(): Range {
  const end = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
  return {
    time_of_generation_min: new Date(end - 60 * MINUTE_MS).toISOString(),
    time_of_generation_max: new Date(end).toISOString(),
  };
}

const highest = (points: Points): number => points.reduce((most, { total }) => Math.max(most, total), 0);
const summed = (points: Points): number => points.reduce((sum, { total }) => sum + total, 0);
const COUNTS = { peak: highest, sum: summed };

/**
 * Use of a rate limit by a key according to its logs: in its busiest minute of the last hour, or in
 * the whole hour, day or week. Undefined while loading; null for limits that logs cannot show
 * (rates per second, concurrency) or when the caller may not see the graphs.
 */
export function useBusiest(
  { id, workspace_id }: Pick<ApiKey, 'id' | 'workspace_id'>,
  { type, unit }: RateLimit,
): number | null | undefined {
  const workspace = useWorkspace();
  const can = useCan('analyticsGraphs_requests');
  const window = WINDOWS[unit ?? ''];
  const { data, isError } = useRead(
    type === 'tokens' ? 'analyticsGraphs_tokens' : 'analyticsGraphs_requests',
    {
      query: {
        ...(window?.range ?? lastHour)(),
        workspace_id: workspace_id ?? workspace.id,
        api_key_ids: [id],
      },
    },
    { staleTime: REFRESH_MS, refetchInterval: REFRESH_MS, enabled: can && window !== undefined },
  );
  if (window === undefined || !can || isError) return null;
  return data === undefined ? undefined : COUNTS[window.by](data.data_points);
}
