import type { CacheUse } from './cache-use';
import type { RequestEmbeddings } from './request-embeddings';

/** Cache use of all attempts of one request. */
export class RequestCache {
  /** Embeddings calls of the request's attempts; null: none was made. */
  embeddings: RequestEmbeddings | null = null;
  /** Cache use of the attempt that started last; null when it used no cache. */
  use: CacheUse | null = null;
  /** Set when the plan retries a stored response: the retry skips the cache. */
  skips = false;

  attemptBegins(isRetry: boolean): void {
    this.skips = isRetry && (this.skips || this.use?.isHit === true);
    this.use = null;
  }
}

/** Reports that a call of an attempt is in flight, or that a stored response replaces it. */
export function noteCacheUse(context: { cache: RequestCache | null }, use: CacheUse | null): void {
  if (context.cache !== null) context.cache.use = use;
  else if (use !== null) requestCacheOf(context).use = use;
}

/** Returns the cache state of the request, and creates it when the request has none. */
export const requestCacheOf = (context: { cache: RequestCache | null }): RequestCache =>
  (context.cache ??= new RequestCache());
