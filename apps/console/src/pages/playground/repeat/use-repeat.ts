import { useCallback, useEffect, useRef, useState } from 'react';
import { inParallel } from '../../../api';
import { NEW_RUN, sendRun, type Run, type RunRequest } from '../../../gateway';

/** Number of parallel requests, which is low enough for most rate limits. */
const WIDTH = 4;

export const TIMES_MIN = 2;
export const TIMES_MAX = 20;

export interface Repeat {
  /** Runs that have started, in the order in which they started. */
  readonly runs: readonly Run[];
  readonly isRunning: boolean;
  /** Sends a request `times` times; drops the previous runs. */
  readonly start: (request: RunRequest, times: number) => void;
  /** Stops the running requests and starts no further ones. */
  readonly stop: () => void;
}

/** Sends one request several times, a few in parallel. Unmounting the component stops them. */
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
