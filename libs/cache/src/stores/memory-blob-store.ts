import { LRUCache } from 'lru-cache';
import type { BlobStore } from './blob-store';

export interface MemoryBlobStoreOptions {
  /** All entries together; the least recently used go first. */
  readonly bytesMax: number;
  /** One entry; bigger ones are not stored. */
  readonly entryBytesMax: number;
  /** Milliseconds on any scale that only goes forward. */
  readonly now?: () => number;
}

/** Counted for each entry besides its value: key, list and map nodes, buffer object. */
const ENTRY_OVERHEAD_BYTES = 512;

/** Entries of this process, bounded by their bytes. */
export class MemoryBlobStore implements BlobStore {
  private readonly entries: LRUCache<string, Buffer>;

  constructor({ bytesMax, entryBytesMax, now }: MemoryBlobStoreOptions) {
    this.entries = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: Math.min(bytesMax, entryBytesMax + ENTRY_OVERHEAD_BYTES),
      sizeCalculation: (value) => value.length + ENTRY_OVERHEAD_BYTES,
      ...(now ? { perf: { now }, ttlResolution: 0 } : {}),
    });
  }

  /** Bytes held, the overhead included. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }

  get(key: string): Buffer | null {
    return this.entries.get(key) ?? null;
  }

  set(key: string, value: Buffer, ttlMs: number): void {
    this.entries.set(key, value, { ttl: Math.max(1, Math.ceil(ttlMs)) });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
