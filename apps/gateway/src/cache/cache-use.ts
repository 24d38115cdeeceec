import type { CacheEmbedding, DecisionRecord } from '@gw/contracts';
import type { Lookup, SharedCall } from '@gw/cache';
import { outcomeOf, type OutcomeFacts } from '../core/outcome';

/** The parts of a request that its cache use depends on; `RequestContext` has them. */
interface CachingRequest {
  readonly settled: boolean;
  readonly reply: OutcomeFacts;
  readonly response: { readonly cache: CacheUse | null } | null;
  readonly cache: { readonly use: CacheUse | null } | null;
}

/** Cache lookup of one attempt. */
export class CacheUse {
  /** Set when the attempt may share its provider call with other requests. */
  shared: SharedCall | null = null;
  /**
   * Cost of the provider call that the cache saved, in units of 1e-8 USD. Null when nothing was
   * saved or the cost is unknown.
   */
  savedCost: number | null = null;

  private keep: (() => void) | null = null;

  constructor(
    private readonly context: CachingRequest,
    private readonly lookup: Lookup,
    /** The embedding call of the semantic look-up; null when there was none. */
    readonly embedding: CacheEmbedding | null,
  ) {}

  get status(): Lookup['status'] {
    return this.lookup.status;
  }

  /** True when the response comes from the store and no provider was called. */
  get isHit(): boolean {
    return this.lookup.response !== null;
  }

  /**
   * True when the response comes from another request's call, which pays for it. Final once this
   * request has ended.
   */
  get isShared(): boolean {
    return this.shared?.isOwner === false;
  }

  /** True when the provider used nothing on behalf of this request. */
  get isFree(): boolean {
    return this.isHit || this.isShared;
  }

  /**
   * Stores the response once the client has received it completely. A response that is unreadable,
   * denied, or lost a hedge is not stored.
   */
  keepOnce(keep: () => void): void {
    this.keep = keep;
    if (this.context.settled) this.settle();
  }

  settle(): void {
    const { keep, context } = this;
    this.keep = null;
    // Only after the client has received the last byte.
    if (keep !== null && context.response?.cache === this && outcomeOf(context.reply) === 'ok')
      setImmediate(keep);
  }

  record(): DecisionRecord['cache'] {
    const { status, key, similarity, failure } = this.lookup;
    return {
      status,
      key,
      ...(similarity !== null && { similarity }),
      ...(failure !== null && { failure }),
      ...(this.isShared && { shared: true as const }),
      ...(this.savedCost !== null && { savedCost: this.savedCost }),
      ...(this.embedding !== null && { embedding: this.embedding }),
    };
  }
}

/**
 * Cache use of the response; without a response, of the attempt that started last. Null when no
 * cache was used.
 */
export const cacheUseOf = ({
  response,
  cache,
}: Pick<CachingRequest, 'response' | 'cache'>): CacheUse | null =>
  response === null ? (cache?.use ?? null) : response.cache;
