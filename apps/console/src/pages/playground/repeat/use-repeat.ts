import { useCallback, useEffect, useRef, useState } from 'react';
import { inParallel } from '../../../api';
import { NEW_RUN, sendRun, type Run, type RunRequest } from '../../../gateway';

/** Requests of one column at once: enough to be fast, too few to reach most limits of rates. */
const WIDTH = 4;

export const TIMES_MIN = 2;
export const TIMES_MAX = 20;

export interface Repeat {
  /** In the order of their beginning; those that have not begun are not among them. */
  readonly runs: readonly Run[];
  readonly isRunning: boolean;
  /** Sends a request so many times; results of before are forgotten. */
  readonly start: (request: RunRequest, times: number) => void;
  /** Ends those that run, and begins no other. */
  readonly stop: () => void;
}

/** One request sent several times, a few at once. All end with the component. */
export function useRepeat(): Repeat {
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [isRunning, setRunning] = useState(false);
  const current = useRef<AbortController | null>(null);
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const start = useCallback<Repeat['start']>((request, times) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    setRuns([]);
    setRunning(true);
    const show = (place: number, run: Run): void => {
      if (current.current === controller) setRuns((before) => before.toSpliced(place, 1, run));
    };
    const sendOne = async (place: number): Promise<void> => {
      show(place, { ...NEW_RUN, api: request.api });
      await sendRun(request, controller.signal, (run) => show(place, run));
    };
    const places = Array.from({ length: times }, (_, place) => place);
    void inParallel(places, WIDTH, controller.signal, sendOne).then(() => {
      if (current.current === controller) setRunning(false);
    });
  }, []);
  return { runs, isRunning, start, stop };
}
