import { call, type ResponseOf } from '../api';
import type { Run } from './run-state';

type LogRow = ResponseOf<'logs_list'>['data'][number];

const ATTEMPTS_MAX = 40;
const WAIT_MS = 250;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Waits for the log of a request, which is stored a moment after its response. Polls the list,
 * because a read by id would be an error until then. Returns null when the log has not arrived
 * within ten seconds. Rejects with a `Problem`.
 */
export async function awaitLog(
  workspaceId: string,
  { requestId, traceId }: Pick<Run, 'requestId' | 'traceId'>,
  signal?: AbortSignal,
): Promise<LogRow | null> {
  if (requestId === null || traceId === null) return null;
  for (let tries = 1; tries <= ATTEMPTS_MAX; tries += 1) {
    const { data }: { data: ResponseOf<'logs_list'> } = await call(
      'logs_list',
      { query: { workspace_id: workspaceId, trace_id: [traceId], page_size: 10 } },
      signal === undefined ? {} : { signal },
    );
    const log = data.data.find(({ id }) => id === requestId);
    if (log !== undefined) return log;
    await pause(WAIT_MS);
  }
  return null;
}
