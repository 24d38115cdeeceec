import { GatewayError } from '@gw/kernel';

/** The control plane cannot be reached, and nothing is known of the document. Answered as 503 `unavailable`. */
export class ReadModelUnavailable extends GatewayError {
  constructor(cause?: unknown) {
    super('unavailable', {
      message: 'The control plane cannot be reached, and this credential or resource was not seen before.',
      headers: { 'retry-after': '1' },
      cause,
    });
  }
}

/** Settles as the promise does, or rejects with `ReadModelUnavailable` when that takes too long. */
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
