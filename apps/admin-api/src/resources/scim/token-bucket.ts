import { LRUCache } from 'lru-cache';

/**
 * Maximum number of buckets. The least recently used are dropped first, which can only admit too
 * many requests.
 */
const BUCKETS_MAX = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Admits `perSecond` requests of each organisation on average, and bursts of `burst` requests, in
 * this process.
 */
export class TokenBuckets {
  private readonly buckets = new LRUCache<string, Bucket>({ max: BUCKETS_MAX });

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
  ) {}

  /**
   * Takes tokens while any are left; a large request may leave a debt. Returns the seconds to wait;
   * 0 when the request is admitted.
   */
  take(organisationId: string, tokens = 1, now = Date.now()): number {
    const bucket = this.buckets.get(organisationId) ?? { tokens: this.burst, at: now };
    const earned = ((now - bucket.at) / 1_000) * this.perSecond;
    const left = Math.min(this.burst, bucket.tokens + Math.max(0, earned));
    const isAdmitted = left >= 1;
    const after = isAdmitted ? left - tokens : left;
    this.buckets.set(organisationId, { tokens: after, at: now });
    return isAdmitted ? 0 : Math.max(1, Math.ceil((1 - left) / this.perSecond));
  }
}
