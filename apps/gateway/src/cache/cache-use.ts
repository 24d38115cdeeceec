import type { CacheEmbedding, DecisionRecord } from '@gw/contracts';
import type { Lookup, SharedCall } from '@gw/cache';
import { outcomeOf, type OutcomeFacts } from '../core/outcome';

/** The parts of a request that decide what its cache use does; `RequestContext` has them. */
interface CachingRequest {
  readonly settled: boolean;
  readonly reply: OutcomeFacts;
  readonly answer: { readonly cache: CacheUse | null } | null;
  readonly cache: { readonly use: CacheUse | null } | null;
}

/** What the cache did for one attempt. */
export class CacheUse {
  /** Set where the attempt may share its call with others. */
  shared: SharedCall | null = null;
  /** What asking the provider would have cost this request, 1e-8 USD. Null: nothing was saved, or it is not known. */
  savedCost: number | null = null;

  private keep: (() => void) | null = null;

  constructor(
    private readonly context: CachingRequest,
    private readonly lookup: Lookup,
    /** The call that the look-up by meaning took. */
    readonly embedding: CacheEmbedding | null,
  ) {}

  get status(): Lookup['status'] {
    return this.lookup.status;
  }

  /** The answer comes from the store: no provider was called. */
  get isHit(): boolean {
    return this.lookup.answer !== null;
  }

  /** The answer is of another request's call, which pays for it. Good once this request has ended. */
  get isShared(): boolean {
    return this.shared?.isOwner === false;
  }

  /** Nothing was used at the provider on behalf of this request. */
  get isFree(): boolean {
    return this.isHit || this.isShared;
  }

  /** Keeps the answer once it is known that the client was given it: not what can't be read, was denied, or lost to another one. */
  keepOnce(keep: () => void): void {
    this.keep = keep;
    if (this.context.settled) this.settle();
  }

  settle(): void {
    const { keep, context } = this;
    this.keep = null;
    // Not before the client's last byte.
    if (keep !== null && context.answer?.cache === this && outcomeOf(context.reply) === 'ok')
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

/** For the response; without one, for the attempt that was begun last. Null: no cache was used. */
export const cacheUseOf = ({ answer, cache }: Pick<CachingRequest, 'answer' | 'cache'>): CacheUse | null =>
  answer === null ? (cache?.use ?? null) : answer.cache;
