import type { Tenant } from '@gw/kernel';
import type { Neighbour } from './vectors';

export interface StoredVector {
  /** Key of the entry of the vector. */
  readonly id: string;
  /** `normalised` */
  readonly vector: Float32Array;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

export const VECTOR_LIMITS = {
  /** Vectors of one bucket; the oldest goes first. */
  perBucketMax: 1_000,
} as const;

/**
 * Vectors by bucket. A bucket is a digest that holds its tenant, so a search cannot leave it. Never throws and never rejects, for
 * the same reason as `BlobStore`.
 */
export interface VectorStore {
  /** The most similar vector of the bucket. Vectors of another length are not compared. */
  nearest(bucket: string, vector: Float32Array, nowMs: number): Neighbour | null | Promise<Neighbour | null>;
  add(tenant: Tenant, bucket: string, stored: StoredVector, nowMs: number): void;
}
