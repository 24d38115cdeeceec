import { useCallback, useEffect, useRef, useState } from 'react';
import { call, inParallel, problemFrom } from '../../../api';
import { useWorkspace } from '../../../app';
import type { Rating } from '../detail/feedback-form';

/** Maximum number of parallel calls. */
const WIDTH = 4;

interface Failure {
  readonly trace: string;
  readonly message: string;
}

interface RateTraces {
  /** Traces whose feedback is stored. */
  readonly rated: ReadonlySet<string>;
  readonly failures: readonly Failure[];
  readonly isBusy: boolean;
  /** Rates the traces. Resolves when all calls have ended; errors are in `failures`. */
  readonly rate: (traces: readonly string[], rating: Rating) => Promise<void>;
  readonly stop: () => void;
}

/**
 * Gives the same feedback to several traces, a few in parallel. Unmounting the component cancels
 * it.
 */
export function useRateTraces(): RateTraces {
  const { id: workspace_id } = useWorkspace();
  const [rated, setRated] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const [isBusy, setBusy] = useState(false);
  const current = useRef<AbortController | null>(null);
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const rate = async (traces: readonly string[], rating: Rating): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    current.current = controller;
    setBusy(true);
    setFailures([]);
    await inParallel(traces, WIDTH, signal, async (trace) => {
      try {
        const body = { trace_id: trace, ...rating };
        await call('feedback_create', { query: { workspace_id } }, { body });
        setRated((before) => new Set(before).add(trace));
      } catch (error) {
        const { message } = problemFrom(error);
        setFailures((before) => [...before, { trace, message }]);
      }
    });
    setBusy(false);
  };
  return { rated, failures, isBusy, rate, stop };
}
