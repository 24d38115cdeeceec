import { useEffect, useState } from 'react';
import { useWorkspace } from '../../../app';
import type { Replay } from '../draft/replay';
import { takeHandedLogs } from './handed-logs';
import { rowsOfLogs, type RowsOfLogs } from './rows-of-logs';
import type { ChangeSet, KeptSet } from './use-kept-set';

interface HandedState {
  /** Number of logs that are being read. */
  readonly reading: number;
  /** Logs that could not become rows. */
  readonly left: RowsOfLogs['left'];
}

/**
 * Adds the logs that were marked in the list of logs to the rows. Calls `onFirst` with the first
 * one.
 */
export function useHandedLogs(
  set: KeptSet,
  change: ChangeSet,
  onFirst: (first: Replay) => void,
): HandedState {
  const { id: workspaceId } = useWorkspace();
  const [state, setState] = useState<HandedState>({ reading: 0, left: [] });
  useEffect(() => {
    const ids = takeHandedLogs(workspaceId);
    if (ids.length === 0) return undefined;
    let isShown = true;
    setState({ reading: ids.length, left: [] });
    // Logs are read even when the user leaves the page, because they are passed only once.
    void rowsOfLogs(ids, set.rows, new AbortController().signal).then(({ rows, left, first }) => {
      change((before) => ({ rows: [...before.rows, ...rows] }));
      if (!isShown) return;
      setState({ reading: 0, left });
      if (first !== null) onFirst(first);
    });
    return () => {
      isShown = false;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each time the page opens
  }, [workspaceId]);
  return state;
}
