import { GatewayError } from '@gw/kernel';

/**
 * The control plane is unreachable and nothing is known about the document. Becomes a 503
 * `unavailable`.
 */
export class ReadModelUnavailable extends GatewayError {
  constructor(cause?: unknown) {
    super('unavailable', {
      message:
        'The control plane is unreachable, and this credential or resource is not cached; retry later.',
      headers: { 'retry-after': '1' },
      cause,
    });
  }
}

/** Settles like the promise, or rejects with `ReadModelUnavailable` when it takes too long. */
export function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ReadModelUnavailable());
    }, timeoutMs);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
