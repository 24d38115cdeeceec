import { SharedEntries, type Tenant } from '@gw/kernel';
import { VectorSet, type Neighbour } from './vectors';
import { VECTOR_LIMITS, type StoredVector, type VectorStore } from './vector-store';

export interface MemoryVectorStoreOptions {
  /**
   * Maximum bytes of all buckets, shared by workspaces; each drops its least recently used buckets
   * first.
   */
  readonly bytesMax: number;
  readonly perBucketMax?: number;
}

/** Vectors of this process. The last added vector determines the dimensions of its bucket. */
export class MemoryVectorStore implements VectorStore {
  private readonly buckets: SharedEntries<VectorSet>;
  private readonly perBucketMax: number;

  constructor({ bytesMax, perBucketMax = VECTOR_LIMITS.perBucketMax }: MemoryVectorStoreOptions) {
    this.buckets = new SharedEntries({ bytesMax, sizeOf: ({ bytes }) => bytes });
    this.perBucketMax = perBucketMax;
  }

  get bytes(): number {
    return this.buckets.bytes;
  }

  has(bucket: string): boolean {
    return this.buckets.get(bucket) !== undefined;
  }

  nearest(_tenant: Tenant, bucket: string, vector: Float32Array, nowMs: number): Neighbour | null {
    const set = this.buckets.get(bucket);
    return set?.dimensions === vector.length ? set.nearest(vector, nowMs) : null;
  }

  add(tenant: Tenant, bucket: string, { id, vector, expiresAtMs }: StoredVector, nowMs: number): void {
    const held = this.buckets.get(bucket);
    const set = held?.dimensions === vector.length ? held : new VectorSet(vector.length, this.perBucketMax);
    set.add(id, vector, expiresAtMs);
    // Setting the bucket again updates its size. A bucket larger than the share is dropped.
    this.buckets.set(tenant, bucket, set, set.expiresAtMs - nowMs);
  }
}
