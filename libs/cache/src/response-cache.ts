import { bucketKey, cacheKey, type CacheRequest } from './cache-request';
import type { CachePolicy, CacheStatus } from './cache-policy';
import { comparedText, type ComparedText } from './semantic/compared-text';
import type { VectorStore } from './semantic/vector-store';
import { normalised } from './semantic/vectors';
import { decodeResponse, encodeResponse, type CachedResponse } from './cached-response';
import { UNAVAILABLE, type BlobStore } from './stores/blob-store';
import type { Tenant } from '@gw/kernel';

/** Creates vectors of texts; the gateway provides one for an embeddings target of the config. */
export interface Embedder {
  /** Provider and model. Vectors of different embedders are never compared. */
  readonly id: string;
  /**
   * Returns one vector per text. Must reject quickly when it cannot, because a request waits for
   * it.
   */
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}

/** Embedder and threshold of a semantic lookup; null for the exact cache only. */
export interface SemanticSource {
  readonly embedder: Embedder;
  /** Returns the parsed body; called only after an exact miss. */
  body(): unknown;
}

export interface Lookup {
  readonly status: Exclude<CacheStatus, 'DISABLED'>;
  /**
   * Key of the exact-match entry. It is part of the decision record, and identifies the flight of
   * coalesced requests.
   */
  readonly key: string;
  /** Present on a hit. */
  readonly response: CachedResponse | null;
  /** Cosine similarity of a semantic hit, else null. */
  readonly similarity: number | null;
  /** The tenant whose share a stored response uses. */
  readonly tenant: Tenant;
  /** Bucket and vector under which a fresh response is stored; null when it has no vector. */
  readonly place: { readonly bucket: string; readonly vector: Float32Array } | null;
  /** Failure because of which the lookup may have missed a hit; null when nothing failed. */
  readonly failure: LookupFailure | null;
}

export type LookupFailure = 'store_unavailable' | 'embeddings_failed';

type Frame = Buffer | null | typeof UNAVAILABLE;

export interface ResponseCacheOptions {
  /** Returns Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Cache of earlier responses. The exact entry is looked up first; a semantic lookup follows if the
 * policy has a threshold.
 * No method throws or rejects: a failing cache, embedder or store is a miss.
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

  /**
   * Looks up a response. Returns synchronously when the store does and no semantic lookup follows.
   */
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

  /** Stores a complete response for the policy's `maxAgeMs`, counted from its creation. */
  keep(lookup: Lookup, policy: CachePolicy, response: CachedResponse): void {
    const nowMs = this.now();
    const expiresAtMs = response.createdAtMs + policy.maxAgeMs;
    if (expiresAtMs <= nowMs) return;
    this.entries.set(lookup.tenant, lookup.key, encodeResponse(response), expiresAtMs - nowMs);
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
    const response = this.fresh(frame, policy);
    if (response !== null) {
      return {
        status: 'HIT',
        key,
        tenant: tenantOf(request),
        response,
        similarity: null,
        place: null,
        failure: null,
      };
    }
    const { threshold } = policy;
    // A store that failed is not queried a second time for the same request.
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
    const withoutHit = missed(
      missOf(policy, true),
      request,
      key,
      vector === null ? 'embeddings_failed' : null,
    );
    if (vector === null) return withoutHit;
    const bucket = bucketKey(request, embedder.id, compared.rest);
    const miss = { ...withoutHit, place: { bucket, vector } };
    if (policy.refresh) return miss;
    const found = await this.vectors.nearest(tenantOf(request), bucket, vector, this.now());
    if (found === null || found.similarity < threshold) return miss;
    const response = this.fresh(await this.entries.get(found.id), policy);
    if (response === null) return miss;
    return { ...withoutHit, status: 'SEMANTIC HIT', response, similarity: found.similarity };
  }

  /**
   * Returns the response of an entry; null when it is missing, damaged, or older than this request
   * allows.
   */
  private fresh(frame: Frame, policy: CachePolicy): CachedResponse | null {
    const response = Buffer.isBuffer(frame) ? decodeResponse(frame) : null;
    return response !== null && this.now() - response.createdAtMs < policy.maxAgeMs ? response : null;
  }
}

/**
 * Copies the tenant instead of keeping the request, because a lookup lives as long as its response.
 */
const tenantOf = ({ workspaceId, organisationId }: CacheRequest): Tenant => ({ workspaceId, organisationId });

/** Returns the status of a miss. `compared` means that a semantic lookup was possible. */
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
  response: null,
  similarity: null,
  place: null,
  failure,
});

/** Returns the text to compare; null when there is none, or the body is not JSON. */
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
