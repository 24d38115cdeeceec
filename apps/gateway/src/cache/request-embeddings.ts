import type { CacheEmbedding } from '@gw/contracts';
import { OutboundError } from '@gw/outbound';

/**
 * Maximum number of embeddings calls of one request, over all its attempts; a further lookup finds
 * no vector.
 */
const CALLS_MAX = 4;

export type Vectors = readonly ArrayLike<number>[];

/** One embeddings call of a request. */
export interface RequestEmbeddingsCall {
  readonly vectors: Promise<Vectors>;
  /** Null until the response has arrived. */
  readonly record: CacheEmbedding | null;
  /** Charges an estimate and aborts the call; does nothing once the call has ended. */
  cut(): void;
}

interface Known {
  readonly call: RequestEmbeddingsCall;
  isOver: boolean;
}

/**
 * Embeddings calls of one request. Its attempts compare the same text, so the vector of the first
 * call is kept for all of them; a call that failed is not repeated.
 */
export class RequestEmbeddings {
  /** Calls by embeddings target and text; at most `CALLS_MAX`. */
  private readonly known = new Map<string, Known>();
  private readonly inFlight = new Set<RequestEmbeddingsCall>();
  private calls = 0;

  /**
   * Returns the call for `key`, and starts it if there is none. `isApart`: a call in flight is not
   * shared, because this attempt must not wait for another one.
   */
  of(key: string, isApart: boolean, start: () => RequestEmbeddingsCall): RequestEmbeddingsCall {
    const known = this.known.get(key);
    if (known !== undefined && (known.isOver || !isApart)) return known.call;
    if (this.calls >= CALLS_MAX)
      throw new OutboundError('aborted', 'The request has made its maximum number of embeddings calls.');
    this.calls += 1;
    const call = start();
    this.follow(key, call);
    return call;
  }

  /** Aborts the calls in flight, because the request has ended. */
  cutAll(): void {
    for (const call of this.inFlight) call.cut();
  }

  private follow(key: string, call: RequestEmbeddingsCall): void {
    const own: Known = { call, isOver: false };
    this.inFlight.add(call);
    if (!this.known.has(key)) this.known.set(key, own);
    const over = (): void => {
      own.isOver = true;
      this.inFlight.delete(call);
    };
    call.vectors.then(() => {
      over();
      // If two calls were concurrent, one that succeeded serves the next attempts.
      this.known.set(key, own);
    }, over);
  }
}
