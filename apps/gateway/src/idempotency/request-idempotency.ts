import type { CachedResponse } from '@gw/cache';
import type { FirstResponse } from './first-response';

/** What the `Idempotency-Key` of one request means for it. */
export class RequestIdempotency {
  /** Keeps the response for the requests that repeat this one. */
  first: FirstResponse | null = null;
  /** The stored response that this request gets; no attempt is made then. */
  replayed: CachedResponse | null = null;
  /** Time that it waited for the first request under its key. */
  waitedMs = 0;
}
