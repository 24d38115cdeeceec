import { bucketKey, cacheKey, type CacheRequest } from './cache-request';
import type { CachePolicy, CacheStatus } from './cache-policy';
import { comparedText, type ComparedText } from './semantic/compared-text';
import type { VectorStore } from './semantic/vector-store';
import { normalised } from './semantic/vectors';
import { decodeAnswer, encodeAnswer, type StoredAnswer } from './stored-answer';
import { UNAVAILABLE, type BlobStore } from './stores/blob-store';
import type { Tenant } from '@gw/kernel';

/** Makes vectors of texts; the gateway gives one for an embeddings target of the config. */
export interface Embedder {
  /** Provider and model: vectors of different embedders are never compared. */
  readonly id: string;
  /** One vector for each text. Rejects when it cannot, and soon: a request waits for it. */
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}

/** What a look-up by meaning needs besides the request. Null in its place: exact only. */
export interface SemanticSource {
  readonly embedder: Embedder;
  /** The parsed body; called only after an exact miss. */
  body(): unknown;
}

export interface Lookup {
  readonly status: Exclude<CacheStatus, 'DISABLED'>;
  /** Of the exact entry; goes into the decision record, and names the flight of coalesced requests. */
  readonly key: string;
  /** Set on a hit. */
  readonly answer: StoredAnswer | null;
  /** Cosine of a hit by meaning, else null. */
  readonly similarity: number | null;
  /** Whose entries an answer to it is kept among. */
  readonly tenant: Tenant;
  /** Where a fresh answer's vector goes. Null: it has none. */
  readonly place: { readonly bucket: string; readonly vector: Float32Array } | null;
  /** Why the look-up is a miss that might have been a hit. Null: nothing failed. */
  readonly failure: LookupFailure | null;
}

export type LookupFailure = 'store_unavailable' | 'embeddings_failed';

type Frame = Buffer | null | typeof UNAVAILABLE;

export interface ResponseCacheOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Answers that were given before. The exact entry comes first; a look-up by meaning follows when the policy has a threshold.
 * Nothing here throws or rejects: a cache, an embedder or a store that fails is a miss.
 */
export class ResponseCache {
  private readonly now: () => number;

  constructor(
    private readonly entries: BlobStore,
    private readonly vectors: VectorStore,
    { now = Date.now }: ResponseCacheOptions = {},
  ) {
    this.now = now;
  }

  /** Gives its result at once where store and policy allow, so that a request in one process waits for no promise. */
  lookUp(
    request: CacheRequest,
    policy: CachePolicy,
    semantic: SemanticSource | null,
  ): Lookup | Promise<Lookup> {
    const key = cacheKey(request);
    const frame = policy.refresh ? null : this.entries.get(key);
    if (frame instanceof Promise) {
      return frame.then((bytes) => this.afterExact(request, policy, semantic, key, bytes));
    }
    return this.afterExact(request, policy, semantic, key, frame);
  }

  /** Keeps a whole answer for as long as the policy says, from when it was made. */
  keep(lookup: Lookup, policy: CachePolicy, answer: StoredAnswer): void {
    const nowMs = this.now();
    const expiresAtMs = answer.createdAtMs + policy.maxAgeMs;
    if (expiresAtMs <= nowMs) return;
    this.entries.set(lookup.tenant, lookup.key, encodeAnswer(answer), expiresAtMs - nowMs);
    const { place } = lookup;
    if (place !== null) {
      const stored = { id: lookup.key, vector: place.vector, expiresAtMs };
      this.vectors.add(lookup.tenant, place.bucket, stored, nowMs);
    }
  }

  private afterExact(
    request: CacheRequest,
    policy: CachePolicy,
    semantic: SemanticSource | null,
    key: string,
    frame: Frame,
  ): Lookup | Promise<Lookup> {
    const answer = this.fresh(frame, policy);
    if (answer !== null) {
      return {
        status: 'HIT',
        key,
        tenant: tenantOf(request),
        answer,
        similarity: null,
        place: null,
        failure: null,
      };
    }
    const { threshold } = policy;
    // A store that does not answer now is not tried a second time by the same request.
    const failure = frame === UNAVAILABLE ? 'store_unavailable' : null;
    if (threshold === null || semantic === null || failure !== null) {
      return missed(missOf(policy, threshold !== null && semantic !== null), request, key, failure);
    }
    return this.searched(request, policy, threshold, semantic, key);
  }

  private async searched(
    request: CacheRequest,
    policy: CachePolicy,
    threshold: number,
    semantic: SemanticSource,
    key: string,
  ): Promise<Lookup> {
    const { embedder } = semantic;
    const compared = textOf(request, semantic);
    if (compared === null) return missed(missOf(policy, false), request, key, null);
    const vector = await vectorOf(embedder, compared.text);
    const plain = missed(missOf(policy, true), request, key, vector === null ? 'embeddings_failed' : null);
    if (vector === null) return plain;
    const bucket = bucketKey(request, embedder.id, compared.rest);
    const miss = { ...plain, place: { bucket, vector } };
    if (policy.refresh) return miss;
    const found = await this.vectors.nearest(bucket, vector, this.now());
    if (found === null || found.similarity < threshold) return miss;
    const answer = this.fresh(await this.entries.get(found.id), policy);
    if (answer === null) return miss;
    return { ...plain, status: 'SEMANTIC HIT', answer, similarity: found.similarity };
  }

  /** An entry may have been kept for longer than this request wants it. */
  private fresh(frame: Frame, policy: CachePolicy): StoredAnswer | null {
    const answer = Buffer.isBuffer(frame) ? decodeAnswer(frame) : null;
    return answer !== null && this.now() - answer.createdAtMs < policy.maxAgeMs ? answer : null;
  }
}

/** Not the request itself: a lookup lives as long as its answer. */
const tenantOf = ({ workspaceId, organisationId }: CacheRequest): Tenant => ({ workspaceId, organisationId });

/** What a request without a hit is called; `compared`: it could have been found by its meaning. */
const missOf = ({ refresh }: CachePolicy, compared: boolean): Lookup['status'] =>
  refresh ? 'REFRESH' : compared ? 'SEMANTIC MISS' : 'MISS';

const missed = (
  status: Lookup['status'],
  request: CacheRequest,
  key: string,
  failure: LookupFailure | null,
): Lookup => ({
  status,
  key,
  tenant: tenantOf(request),
  answer: null,
  similarity: null,
  place: null,
  failure,
});

/** A body that is no JSON has nothing to compare. */
function textOf({ route }: CacheRequest, semantic: SemanticSource): ComparedText | null {
  try {
    return comparedText(route, semantic.body());
  } catch {
    return null;
  }
}

async function vectorOf(embedder: Embedder, text: string): Promise<Float32Array | null> {
  try {
    const [vector] = await embedder.embed([text]);
    return vector === undefined ? null : normalised(vector);
  } catch {
    return null;
  }
}
