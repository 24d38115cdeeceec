import type { CachedResponse } from '@gw/cache';
import type { FirstResponse } from './first-response';

/** Effect of the `Idempotency-Key` on one request. */
export class RequestIdempotency {
  /** Records the response for later requests with the same key. */
  first: FirstResponse | null = null;
  /** The stored response to replay; no attempt is made then. */
  replayed: CachedResponse | null = null;
  /** Milliseconds that the request waited for the first request under its key. */
  waitedMs = 0;
}
