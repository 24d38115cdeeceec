import type { UpstreamError } from '../upstream-error';

/** Waits no longer than the signal allows; the work goes on. What was waited for is surely not sent. */
export async function beforeAbort<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject((signal.reason as UpstreamError).withExecution(false));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}
