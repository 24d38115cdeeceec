import { createContext, useContext, useState } from 'react';

export interface Step {
  readonly isSending: boolean;
  /** Error of the last attempt; null for none. */
  readonly error: unknown;
  /** Runs one attempt at a time. Stores neither its arguments nor its result. */
  readonly run: (attempt: () => Promise<void>) => void;
}

/**
 * Called when an attempt begins and when it ends. A dialog must not close in between, because it
 * would lose the result, such as new recovery codes.
 */
export const SendingContext = createContext<(isSending: boolean) => void>(() => undefined);

/** State of an action with secrets, which must not get into the query cache. */
export function useStep(): Step {
  const report = useContext(SendingContext);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const change = (isNow: boolean): void => {
    setSending(isNow);
    report(isNow);
  };
  const run = (attempt: () => Promise<void>): void => {
    if (isSending) return;
    change(true);
    setError(null);
    void attempt()
      .catch(setError)
      .finally(() => change(false));
  };
  return { isSending, error, run };
}
