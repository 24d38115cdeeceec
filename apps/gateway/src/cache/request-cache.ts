import type { CacheUse } from './cache-use';

/** What the cache did for the attempts of one request. */
export class RequestCache {
  /** For the attempt that was begun last; null: it used no cache. */
  use: CacheUse | null = null;
  /** A stored response was not good enough for the plan, so its repetition skips the cache. */
  skips = false;

  attemptBegins(isRetry: boolean): void {
    this.skips = isRetry && (this.skips || this.use?.isHit === true);
    this.use = null;
  }
}

/** A call of an attempt is in flight, or a stored response takes its place. */
export function noteCacheUse(context: { cache: RequestCache | null }, use: CacheUse | null): void {
  if (context.cache !== null) context.cache.use = use;
  else if (use !== null) (context.cache = new RequestCache()).use = use;
}
