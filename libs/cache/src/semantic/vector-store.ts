import type { Tenant } from '@gw/kernel';
import type { Neighbour } from './vectors';

export interface StoredVector {
  /** Key of the vector's entry. */
  readonly id: string;
  /** A vector of length 1; see `normalised`. */
  readonly vector: Float32Array;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

export const VECTOR_LIMITS = {
  /** Maximum vectors of one bucket; the oldest is dropped first. */
  perBucketMax: 1_000,
} as const;

/**
 * Stores vectors by bucket. A bucket's key is a digest that includes its tenant, so a search cannot
 * leave it. Never throws or rejects, for the same reason as `BlobStore`.
 */
export interface VectorStore {
  /**
   * Returns the most similar vector of the bucket, which belongs to the tenant. Vectors of other
   * dimensions are not compared.
   */
  nearest(
    tenant: Tenant,
    bucket: string,
    vector: Float32Array,
    nowMs: number,
  ): Neighbour | null | Promise<Neighbour | null>;
  add(tenant: Tenant, bucket: string, stored: StoredVector, nowMs: number): void;
}
