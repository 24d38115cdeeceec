import { useMemo } from 'react';
import { useRead, type Problem } from '../../../api';
import { replayOf, type NoReplay, type Replay } from './replay';

/** Milliseconds for which the cache keeps a body that is no longer shown. */
const KEPT_MS = 300_000;

export interface ReplayState {
  readonly replay: Replay | null;
  /** Why the log cannot be replayed; null when it can, and while it loads. */
  readonly reason: NoReplay | null;
  readonly problem: Problem | null;
}

/** Reads a log and converts it to a replay; reads nothing for null. */
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
