import { useIsFetching, useQueryClient, type Query, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** Maximum time in milliseconds for which the reads below the figures wait. */
const WAIT_MS = 4_000;

/** Maximum time in milliseconds for which the chart waits. */
const SOON_MS = 1_000;

const isTile = ({ queryKey: [id] }: Query): boolean => String(id).startsWith('analyticsGraphs_');
const TILES = { predicate: isTile };

const isOf = ({ queryKey: [, params] }: Query, workspaceId: string): boolean =>
  (params as { query?: { workspace_id?: string } }).query?.workspace_id === workspaceId;

/**
 * Whether the query cache has a figure of the workspace, from the page's loader or an earlier
 * visit.
 */
const areKept = (queries: QueryClient, workspaceId: string): boolean =>
  queries
    .getQueryCache()
    .findAll(TILES)
    .some((query) => query.state.data !== undefined && isOf(query, workspaceId));

/**
 * Whether the figures at the top have been read. The other reads wait for it, so that the figures
 * show as early as possible.
 */
export function useTilesFirst(workspaceId: string): boolean {
  const queries = useQueryClient();
  const isReading = useIsFetching(TILES) > 0;
  const [phase, setPhase] = useState<'begins' | 'reads' | 'done'>(() =>
    areKept(queries, workspaceId) && !isReading ? 'done' : 'begins',
  );
  if (phase === 'begins' && isReading) setPhase('reads');
  if (phase === 'reads' && !isReading) setPhase('done');
  useEffect(() => {
    // By now the tiles have started their reads, unless the caller may not see them.
    const isKept = queries.isFetching(TILES) === 0;
    const timer = setTimeout(() => setPhase('done'), isKept ? 0 : WAIT_MS);
    return () => clearTimeout(timer);
  }, [queries]);
  return phase === 'done';
}

/** Returns true once `isDone` was true, or after `SOON_MS`. */
export function useSoon(isDone: boolean): boolean {
  const [wasDone, setDone] = useState(isDone);
  if (isDone && !wasDone) setDone(true);
  useEffect(() => {
    const timer = setTimeout(() => setDone(true), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  return wasDone;
}
