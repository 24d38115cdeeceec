import { useCallback, useEffect, useRef, useState } from 'react';
import { isRunning, NEW_RUN, sendRun, type Run, type RunRequest } from '../../../gateway';

/** Runs by the index of their column. */
export type Runs = Readonly<Record<number, Run>>;

/** Indexes of the columns that have a text response. */
export const comparable = (runs: Runs): readonly number[] =>
  Object.entries(runs)
    .filter(([, { text: answer, status }]) => answer !== '' && status !== 'waiting')
    .map(([place]) => Number(place));

export interface RunControls {
  readonly runs: Runs;
  readonly isAnyRunning: boolean;
  /**
   * Sends the requests in parallel, each in its column. A running request of a column is stopped
   * first.
   */
  readonly send: (requests: readonly (readonly [place: number, request: RunRequest])[]) => void;
  /** Stops one column, or all without an argument. The gateway then cancels its provider call. */
  readonly stop: (place?: number) => void;
  /** Drops the run of a removed column; the runs after it move up by one. */
  readonly remove: (place: number) => void;
}

/** State of the runs of all columns. Leaving the page stops them. */
export function useRuns(): RunControls {
  const [runs, setRuns] = useState<Runs>({});
  const senders = useRef(new Map<number, AbortController>());
  const stop = useCallback((place?: number) => {
    for (const [at, controller] of senders.current)
      if (place === undefined || at === place) controller.abort();
  }, []);
  useEffect(() => () => stop(), [stop]);
  const send = useCallback<RunControls['send']>((requests) => {
    for (const [place, request] of requests) {
      senders.current.get(place)?.abort();
      const controller = new AbortController();
      senders.current.set(place, controller);
      const show = (run: Run): void => {
        // Finds the current index of the run, because the column may have moved or been sent again.
        const at = [...senders.current].find(([, one]) => one === controller)?.[0];
        if (at !== undefined) setRuns((before) => ({ ...before, [at]: run }));
      };
      show(NEW_RUN);
      void sendRun(request, controller.signal, show);
    }
  }, []);
  const remove = useCallback((place: number) => {
    senders.current.get(place)?.abort();
    const moved = <T>(entries: Iterable<readonly [number, T]>): (readonly [number, T])[] =>
      [...entries].filter(([at]) => at !== place).map(([at, one]) => [at > place ? at - 1 : at, one]);
    senders.current = new Map(moved(senders.current));
    setRuns((before) =>
      Object.fromEntries(moved(Object.entries(before).map(([at, run]) => [Number(at), run] as const))),
    );
  }, []);
  return { runs, isAnyRunning: Object.values(runs).some(isRunning), send, stop, remove };
}
