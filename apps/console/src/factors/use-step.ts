import { useState } from 'react';

export interface Step {
  readonly isSending: boolean;
  /** Error of the last attempt; null for none. */
  readonly error: unknown;
  /** Runs one attempt at a time. What it calls with and what it receives is kept nowhere. */
  readonly run: (attempt: () => Promise<void>) => void;
}

/** An attempt with secrets, which no cache of calls may keep. */
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
