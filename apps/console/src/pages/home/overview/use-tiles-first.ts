import { useIsFetching, useQueryClient, type Query, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** Maximum wait in milliseconds before the parts below the figures are read. */
const WAIT_MS = 4_000;

/** The chart is drawn after so long at the latest. */
const SOON_MS = 1_000;

const isTile = ({ queryKey: [id] }: Query): boolean => String(id).startsWith('analyticsGraphs_');
const TILES = { predicate: isTile };

const isOf = ({ queryKey: [, params] }: Query, workspaceId: string): boolean =>
  (params as { query?: { workspace_id?: string } }).query?.workspace_id === workspaceId;

/** Whether a figure of the workspace is known, by the loader of the page or from an earlier visit. */
const areKept = (queries: QueryClient, workspaceId: string): boolean =>
  queries
    .getQueryCache()
    .findAll(TILES)
    .some((query) => query.state.data !== undefined && isOf(query, workspaceId));

/** Whether the figures on top have been read. What is below waits for that, so that the figures show as soon as they can. */
export function useTilesFirst(workspaceId: string): boolean {
  const queries = useQueryClient();
  const isReading = useIsFetching(TILES) > 0;
  const [phase, setPhase] = useState<'begins' | 'reads' | 'done'>(() =>
    areKept(queries, workspaceId) && !isReading ? 'done' : 'begins',
  );
  if (phase === 'begins' && isReading) setPhase('reads');
  if (phase === 'reads' && !isReading) setPhase('done');
  useEffect(() => {
    // The tiles have begun to read by now, unless they may not be seen.
    const isKept = queries.isFetching(TILES) === 0;
    const timer = setTimeout(() => setPhase('done'), isKept ? 0 : WAIT_MS);
    return () => clearTimeout(timer);
  }, [queries]);
  return phase === 'done';
}

/** True from the first time that something is done, or after a second. */
export function useSoon(isDone: boolean): boolean {
  const [wasDone, setDone] = useState(isDone);
  if (isDone && !wasDone) setDone(true);
  useEffect(() => {
    const timer = setTimeout(() => setDone(true), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  return wasDone;
}
