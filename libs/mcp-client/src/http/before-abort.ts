import type { CallClock } from './call-clock';

/**
 * Waits for `work` until the call aborts; the work itself continues. An abort means that nothing
 * was sent.
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
