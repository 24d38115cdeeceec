import type { CallClock } from './call-clock';

/**
 * Waits no longer than the call may take; the work goes on. What was waited for is surely not sent.
 */
export function beforeAbort<T>(work: T | Promise<T>, clock: CallClock): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      if (clock.aborted !== null) reject(clock.aborted.withExecution(false));
    };
    clock.onAbort(onAbort);
    Promise.resolve(work)
      .finally(() => clock.offAbort(onAbort))
      .then(resolve, reject);
  });
}
