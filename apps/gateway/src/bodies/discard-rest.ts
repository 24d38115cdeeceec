import type { IncomingMessage } from 'node:http';

const DISCARD_MS = 10_000;

/**
 * Reads what is left of a refused body and drops it, for at most ten seconds: a client may send all of it before it reads the
 * answer, and its connection can be used again afterwards. A body that takes longer is cut with its connection.
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
