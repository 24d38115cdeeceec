import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../../app';
import { awaitLog, isRunning, type Run } from '../../../gateway';
import type { LogRow } from '../../../live';

/** The log of a request that ended, without its bodies. Null: it has not come. */
export function useRunLog(run: Run | undefined): LogRow | null | undefined {
  const { id: workspaceId } = useWorkspace();
  const ended = run === undefined || isRunning(run) || run.requestId === null ? null : run;
  const { data } = useQuery({
    queryKey: ['run-log', ended?.requestId],
    queryFn: ({ signal }) => (ended === null ? null : awaitLog(workspaceId, ended, signal)),
    enabled: ended !== null,
    staleTime: Infinity,
  });
  return data;
}
