import { UpstreamError } from '../upstream-error';

/** Time in which a server may still send messages of a call that was given up, in milliseconds. */
const DOUBT_MS = 30_000;

/**
 * Calls in flight whose messages share one stream. A message that names no call belongs to the only
 * one. After a call that was given up (a timeout, a cancellation) it may be a late message of that
 * call, so for 30 seconds it belongs to none.
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

  /** `error`: why the call ended without a response; null with one. */
  delete(id: number, error: unknown): void {
    this.calls.delete(id);
    if (isGivenUp(error)) this.doubtfulUntil = performance.now() + DOUBT_MS;
  }

  /** The call to which a message belongs that names none. */
  only(): T | undefined {
    if (this.calls.size !== 1 || performance.now() < this.doubtfulUntil) return undefined;
    const [only] = this.calls.values();
    return only;
  }

  values(): Iterable<T> {
    return this.calls.values();
  }
}

/** Whether the server may still work at a call that ended with this error. */
const isGivenUp = (error: unknown): boolean =>
  error instanceof UpstreamError ? error.status === null && error.mayHaveExecuted : error !== null;
