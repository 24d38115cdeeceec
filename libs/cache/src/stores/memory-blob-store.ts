import type { BlobStore } from './blob-store';
import { SharedEntries, type Tenant } from '@gw/kernel';

export interface MemoryBlobStoreOptions {
  /**
   * Maximum bytes of all entries, shared by workspaces; each drops its least recently used entries
   * first.
   */
  readonly bytesMax: number;
  /** Maximum bytes of one entry; a larger one is not stored. */
  readonly entryBytesMax: number;
  /** Returns milliseconds on any scale that only increases. */
  readonly now?: () => number;
}

/** Bytes counted per entry in addition to its value: key, list and map nodes, buffer object. */
const ENTRY_OVERHEAD_BYTES = 512;

/** Stores entries in the memory of this process, bounded by their bytes. */
export class MemoryBlobStore implements BlobStore {
  private readonly entries: SharedEntries<Buffer>;
  private readonly entryBytesMax: number;

  constructor({ bytesMax, entryBytesMax, now }: MemoryBlobStoreOptions) {
    this.entries = new SharedEntries({
      bytesMax,
      sizeOf: (value) => value.length + ENTRY_OVERHEAD_BYTES,
      ...(now ? { now } : {}),
    });
    this.entryBytesMax = entryBytesMax;
  }

  /** Bytes held, including the overhead. */
  get bytes(): number {
    return this.entries.bytes;
  }

  get(key: string): Buffer | null {
    return this.entries.get(key) ?? null;
  }

  set(tenant: Tenant, key: string, value: Buffer, ttlMs: number): void {
    if (value.length <= this.entryBytesMax) this.entries.set(tenant, key, value, ttlMs);
    else this.entries.delete(key);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
