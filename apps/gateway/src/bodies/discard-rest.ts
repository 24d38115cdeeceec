import type { IncomingMessage } from 'node:http';

const DISCARD_MS = 10_000;

/**
 * Reads and drops the rest of a refused body for at most ten seconds. A client may send its whole
 * body before it reads the response, and can then reuse the connection. After ten seconds the
 * connection is closed.
 */
export function discardRest(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return;
  const timer = setTimeout(() => req.destroy(), DISCARD_MS);
  timer.unref();
  const stop = (): void => {
    clearTimeout(timer);
  };
  req.once('end', stop);
  req.once('close', stop);
  req.resume();
}
