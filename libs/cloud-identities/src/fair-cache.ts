import { LRUCache } from 'lru-cache';

export interface FairCacheOptions {
  /** Maximum entries of all owners. */
  readonly most: number;
  /** Maximum entries of one owner, so that none can evict those of the others. */
  readonly mostOfOne: number;
}

/**
 * A cache of entries that belong to owners. At a maximum it drops the least recently used entry, of
 * the owner or of all.
 */
export class FairCache<Value extends object> {
  private readonly entries: LRUCache<string, { readonly owner: string; readonly value: Value }>;
  /** Keys of each owner, the least recently used first. */
  private readonly keys = new Map<string, Set<string>>();

  constructor(private readonly options: FairCacheOptions) {
    this.entries = new LRUCache({
      max: options.most,
      dispose: ({ owner }, key) => this.forgotten(owner, key),
    });
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: string): Value | undefined {
    const found = this.entries.get(key);
    if (found === undefined) return undefined;
    const own = this.keys.get(found.owner);
    own?.delete(key);
    own?.add(key);
    return found.value;
  }

  set(key: string, owner: string, value: Value): void {
    this.entries.set(key, { owner, value });
    const own = this.keys.get(owner) ?? new Set();
    this.keys.set(owner, own.add(key));
    const [oldest] = own;
    if (own.size > this.options.mostOfOne && oldest !== undefined) this.entries.delete(oldest);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  private forgotten(owner: string, key: string): void {
    const own = this.keys.get(owner);
    own?.delete(key);
    if (own?.size === 0) this.keys.delete(owner);
  }
}
