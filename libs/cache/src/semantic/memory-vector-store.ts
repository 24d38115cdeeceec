import { LRUCache } from 'lru-cache';
import type { Tenant } from '@gw/kernel';
import { VectorSet, type Neighbour } from './vectors';
import { VECTOR_LIMITS, type StoredVector, type VectorStore } from './vector-store';

export interface MemoryVectorStoreOptions {
  /** All buckets together; the least recently used go first. */
  readonly bytesMax: number;
  readonly perBucketMax?: number;
}

/** Vectors of this process. A bucket takes the length of its vectors from the last one that was added. */
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

  /** The same, for a bucket whose tenant is not known: a copy of what is elsewhere. */
  keep(bucket: string, { id, vector, expiresAtMs }: StoredVector): void {
    const held = this.buckets.get(bucket);
    const set = held?.dimensions === vector.length ? held : new VectorSet(vector.length, this.perBucketMax);
    set.add(id, vector, expiresAtMs);
    // Setting it again makes the cache count what it has grown by. What grew past the whole bound is dropped.
    if (held === set) this.buckets.delete(bucket);
    this.buckets.set(bucket, set);
  }
}
