import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../../app';
import { awaitLog, isRunning, type Run } from '../../../gateway';
import type { LogRow } from '../../../live';

/** Returns a run that has ended and has a log; null otherwise. */
const endedOf = (run: Run | undefined): Run | null =>
  run === undefined || isRunning(run) || run.requestId === null ? null : run;

const logQuery = (workspaceId: string, ended: Run | null) =>
  queryOptions<LogRow | null>({
    queryKey: ['run-log', ended?.requestId],
    queryFn: ({ signal }) => (ended === null ? null : awaitLog(workspaceId, ended, signal)),
    enabled: ended !== null,
    staleTime: Infinity,
  });

/**
 * Reads the log of a run that has ended, without bodies. Null when the log has not arrived;
 * undefined while loading or before the run has ended.
 */
export function useRunLog(run: Run | undefined): LogRow | null | undefined {
  const { id: workspaceId } = useWorkspace();
  return useQuery(logQuery(workspaceId, endedOf(run))).data;
}

/** Reads the log of each run; see `useRunLog`. */
export function useRunLogs(runs: readonly Run[]): readonly (LogRow | null | undefined)[] {
  const { id: workspaceId } = useWorkspace();
  const found = useQueries({
    queries: runs.flatMap((run) => endedOf(run) ?? []).map((ended) => logQuery(workspaceId, ended)),
    combine: (results) => new Map(results.map(({ data }) => [data?.id, data])),
  });
  return runs.map(({ requestId }) => (requestId === null ? null : found.get(requestId)));
}
