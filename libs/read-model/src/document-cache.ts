import type { DocumentKey, ReadModelDocument } from '@gw/contracts';

/** Epoch of an entry that an event reported as changed; it equals no epoch of the model. */
export const CHANGED = -1;

/** Maximum number of keys that a search by prefix examines. */
export const EXAMINED_MAX = 5_000;

export interface CacheEntry {
  document: ReadModelDocument;
  /** Size of the document as JSON text, in characters. */
  readonly size: number;
  /** While this equals the model's epoch, the entry is as current as the event stream. */
  epoch: number;
  /** When it was last read from the source; -Infinity for an entry from disk. */
  verifiedAt: number;
  /** When an event reported its change; meaningful while `epoch` is `CHANGED`. */
  changedAt: number;
}

export interface CacheBounds {
  readonly documentsMax: number;
  /** In characters of JSON text; a character takes one byte of memory, or two outside Latin-1. */
  readonly sizeMax: number;
}

/**
 * Caches documents, bounded by their number and size. It uses two generations instead of an LRU
 * list: a hit in the young one costs a single Map lookup and no write. When the young generation
 * has filled half of the bounds, the old one is dropped, which contains the documents that were not
 * used since the last change of generations.
 */
export class DocumentCache {
  private young = new Map<DocumentKey, CacheEntry>();
  private old = new Map<DocumentKey, CacheEntry>();
  private youngSize = 0;

  constructor(private readonly bounds: CacheBounds) {}

  get entries(): number {
    return this.young.size + this.old.size;
  }

  get(key: DocumentKey): CacheEntry | undefined {
    const entry = this.young.get(key);
    if (entry !== undefined) return entry;
    const aged = this.old.get(key);
    if (aged === undefined) return undefined;
    this.old.delete(key);
    this.add(key, aged);
    return aged;
  }

  /** Like `get`, but does not count as a use. */
  peek(key: DocumentKey): CacheEntry | undefined {
    return this.young.get(key) ?? this.old.get(key);
  }

  set(key: DocumentKey, entry: CacheEntry): void {
    this.delete(key);
    this.add(key, entry);
  }

  delete(key: DocumentKey): void {
    this.old.delete(key);
    const entry = this.young.get(key);
    if (entry === undefined) return;
    this.young.delete(key);
    this.youngSize -= entry.size;
  }

  /** Returns all entries, recently used ones first. */
  *all(): Generator<[DocumentKey, CacheEntry]> {
    yield* this.young;
    yield* this.old;
  }

  /**
   * Returns documents whose keys start with the prefix, among the first `EXAMINED_MAX` entries.
   * Does not count as a use.
   */
  under(prefix: DocumentKey): readonly ReadModelDocument[] {
    const found: ReadModelDocument[] = [];
    let examined = 0;
    for (const [key, { document }] of this.all()) {
      examined += 1;
      if (examined > EXAMINED_MAX) break;
      if (key.startsWith(prefix)) found.push(document);
    }
    return found;
  }

  private add(key: DocumentKey, entry: CacheEntry): void {
    const { documentsMax, sizeMax } = this.bounds;
    if (this.young.size + 1 > documentsMax / 2 || this.youngSize + entry.size > sizeMax / 2) {
      this.old = this.young;
      this.young = new Map();
      this.youngSize = 0;
    }
    this.young.set(key, entry);
    this.youngSize += entry.size;
  }
}

/**
 * Keys known to have no document. They are stored apart from documents, so that a scan of random
 * keys evicts only other absent keys. The oldest is dropped when it is full.
 */
export class AbsentKeys {
  private readonly since = new Map<DocumentKey, number>();

  constructor(private readonly max: number) {}

  get size(): number {
    return this.since.size;
  }

  /** Returns when the key was found absent. */
  get(key: DocumentKey): number | undefined {
    return this.since.get(key);
  }

  set(key: DocumentKey, now: number): void {
    this.since.delete(key);
    this.since.set(key, now);
    if (this.since.size <= this.max) return;
    const oldest = this.since.keys().next();
    if (!oldest.done) this.since.delete(oldest.value);
  }

  delete(key: DocumentKey): void {
    this.since.delete(key);
  }

  clear(): void {
    this.since.clear();
  }
}
