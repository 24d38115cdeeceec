import { useMemo } from 'react';
import { useRead, type Problem } from '../../../api';
import { replayOf, type NoReplay, type Replay } from './replay';

/** Bodies are kept in memory for so long after they are shown. */
const KEPT_MS = 300_000;

export interface ReplayState {
  readonly replay: Replay | null;
  /** Why there is none; null while it is loaded, too. */
  readonly reason: NoReplay | null;
  readonly problem: Problem | null;
}

/** Reads the log that is replayed. */
export function useReplay(log: string | null): ReplayState {
  const { data, error } = useRead(
    'logs_get',
    { path: { logId: log ?? '' } },
    { enabled: log !== null, staleTime: Infinity, gcTime: KEPT_MS },
  );
  return useMemo(() => {
    const read = log === null || data === undefined ? null : replayOf(data);
    return typeof read === 'string'
      ? { replay: null, reason: read, problem: null }
      : { replay: read, reason: null, problem: error };
  }, [log, data, error]);
}
