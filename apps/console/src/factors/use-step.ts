import { useState } from 'react';

export interface Step {
  readonly isSending: boolean;
  /** Error of the last attempt; null for none. */
  readonly error: unknown;
  /** Runs one attempt at a time. Stores neither its arguments nor its result. */
  readonly run: (attempt: () => Promise<void>) => void;
}

/** State of an action with secrets, which must not get into the query cache. */
export function useStep(): Step {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = (attempt: () => Promise<void>): void => {
    if (isSending) return;
    setSending(true);
    setError(null);
    void attempt()
      .catch(setError)
      .finally(() => setSending(false));
  };
  return { isSending, error, run };
}
