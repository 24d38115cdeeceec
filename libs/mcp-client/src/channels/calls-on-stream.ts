import { UpstreamError } from '../upstream-error';

/** How long a server may still send messages of an abandoned call, in milliseconds. */
const DOUBT_MS = 30_000;

/**
 * Calls in flight whose messages share one stream. A message that names no call belongs to the only
 * call in flight. For 30 seconds after an abandoned call (a timeout or cancellation) it may be a
 * late message of that call, so it belongs to none.
 */
export class CallsOnStream<T> {
  private readonly calls = new Map<number, T>();
  private doubtfulUntil = 0;

  add(id: number, call: T): void {
    this.calls.set(id, call);
  }

  get(id: number): T | undefined {
    return this.calls.get(id);
  }

  /** Removes a call. `error` is the reason why it ended without a response; null if it got one. */
  delete(id: number, error: unknown): void {
    this.calls.delete(id);
    if (isGivenUp(error)) this.doubtfulUntil = performance.now() + DOUBT_MS;
  }

  /** Returns the call to which a message without a call id belongs; undefined for none. */
  only(): T | undefined {
    if (this.calls.size !== 1 || performance.now() < this.doubtfulUntil) return undefined;
    const [only] = this.calls.values();
    return only;
  }

  values(): Iterable<T> {
    return this.calls.values();
  }
}

/** Returns whether the server may still execute a call that ended with this error. */
const isGivenUp = (error: unknown): boolean =>
  error instanceof UpstreamError ? error.status === null && error.mayHaveExecuted : error !== null;
