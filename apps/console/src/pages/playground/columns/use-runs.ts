import { useCallback, useEffect, useRef, useState } from 'react';
import { isRunning, NEW_RUN, sendRun, type Run, type RunRequest } from '../../../gateway';

/** Runs by the place of their column. */
export type Runs = Readonly<Record<number, Run>>;

/** Places of the columns that have an answer in text. */
export const comparable = (runs: Runs): readonly number[] =>
  Object.entries(runs)
    .filter(([, { text: answer, status }]) => answer !== '' && status !== 'waiting')
    .map(([place]) => Number(place));

export interface RunControls {
  readonly runs: Runs;
  readonly isAnyRunning: boolean;
  /** Sends the requests at once, each in its column; what runs there is stopped first. */
  readonly send: (requests: readonly (readonly [place: number, request: RunRequest])[]) => void;
  /** Stops one column, or all. The gateway cancels the call of the provider. */
  readonly stop: (place?: number) => void;
  /** Forgets the answer of a column that is taken away; those behind it move up. */
  readonly remove: (place: number) => void;
}

/** The answers side by side. All end with the page. */
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
        // A column that was sent again, or moved, belongs to another request.
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
