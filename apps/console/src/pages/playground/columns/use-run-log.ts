import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../../app';
import { awaitLog, isRunning, type Run } from '../../../gateway';
import type { LogRow } from '../../../live';

/** Null: the run has no log, or not yet. */
const endedOf = (run: Run | undefined): Run | null =>
  run === undefined || isRunning(run) || run.requestId === null ? null : run;

const logQuery = (workspaceId: string, ended: Run | null) =>
  queryOptions<LogRow | null>({
    queryKey: ['run-log', ended?.requestId],
    queryFn: ({ signal }) => (ended === null ? null : awaitLog(workspaceId, ended, signal)),
    enabled: ended !== null,
    staleTime: Infinity,
  });

/** The log of a request that ended, without its bodies. Null: it has not come. */
export function useRunLog(run: Run | undefined): LogRow | null | undefined {
  const { id: workspaceId } = useWorkspace();
  return useQuery(logQuery(workspaceId, endedOf(run))).data;
}

/** The log of each run, as `useRunLog` has it. */
export function useRunLogs(runs: readonly Run[]): readonly (LogRow | null | undefined)[] {
  const { id: workspaceId } = useWorkspace();
  const found = useQueries({
    queries: runs.flatMap((run) => endedOf(run) ?? []).map((ended) => logQuery(workspaceId, ended)),
    combine: (results) => new Map(results.map(({ data }) => [data?.id, data])),
  });
  return runs.map(({ requestId }) => (requestId === null ? null : found.get(requestId)));
}
