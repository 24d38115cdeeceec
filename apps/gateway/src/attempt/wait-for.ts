import type { RequestContext } from '../core/request-context';

/** Waits `waitMs` milliseconds, or until the client disconnects. */
export function waitFor(context: RequestContext, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      context.whenClientGone(null);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    context.whenClientGone({ clientGone: done });
  });
}
