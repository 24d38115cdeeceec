import { LRUCache } from 'lru-cache';
import type { Tenant } from '@gw/kernel';
import { VectorSet, type Neighbour } from './vectors';
import { VECTOR_LIMITS, type StoredVector, type VectorStore } from './vector-store';

export interface MemoryVectorStoreOptions {
  /** Maximum bytes of all buckets; the least recently used ones are dropped first. */
  readonly bytesMax: number;
  readonly perBucketMax?: number;
}

/** Vectors of this process. The last added vector determines the dimensions of its bucket. */
export class MemoryVectorStore implements VectorStore {
  private readonly buckets: LRUCache<string, VectorSet>;
  private readonly perBucketMax: number;

  constructor({ bytesMax, perBucketMax = VECTOR_LIMITS.perBucketMax }: MemoryVectorStoreOptions) {
    this.buckets = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => Math.max(1, bytes) });
    this.perBucketMax = perBucketMax;
  }

  get bytes(): number {
    return this.buckets.calculatedSize;
  }

  has(bucket: string): boolean {
    return this.buckets.has(bucket);
  }

  nearest(bucket: string, vector: Float32Array, nowMs: number): Neighbour | null {
    const set = this.buckets.get(bucket);
    return set?.dimensions === vector.length ? set.nearest(vector, nowMs) : null;
  }

  add(_tenant: Tenant, bucket: string, stored: StoredVector): void {
    this.keep(bucket, stored);
  }

  /** Adds a vector to a bucket whose tenant is unknown: a copy of data stored elsewhere. */
  keep(bucket: string, { id, vector, expiresAtMs }: StoredVector): void {
    const held = this.buckets.get(bucket);
    const set = held?.dimensions === vector.length ? held : new VectorSet(vector.length, this.perBucketMax);
    set.add(id, vector, expiresAtMs);
    // Setting the bucket again makes the cache update its size. A bucket larger than the whole
    // bound is dropped.
    if (held === set) this.buckets.delete(bucket);
    this.buckets.set(bucket, set);
  }
}
