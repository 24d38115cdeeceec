import { Shares, type Share } from './shares';

/** Owner of an entry. */
export interface Tenant {
  readonly workspaceId: string;
  readonly organisationId: string;
}

export interface SharedEntriesOptions<Value> {
  /** Maximum size of all entries together. */
  readonly bytesMax: number;
  readonly sizeOf: (value: Value) => number;
  /**
   * Returns the part of a value that stays when the value is evicted; these parts are evicted last.
   * When absent, eviction deletes the entry.
   */
  readonly shrink?: (value: Value) => Value;
  /** Monotonic clock in milliseconds; `performance.now` when absent. */
  readonly now?: () => number;
}

interface Entry<Value> {
  value: Value;
  size: number;
  readonly owner: Owner;
  readonly expiresAt: number;
  isShrunk: boolean;
}

interface Owner {
  readonly share: Share;
  /** Keys of entries that are not shrunk, the least recently used first. */
  readonly whole: Set<string>;
  readonly shrunk: Set<string>;
}

/**
 * Number of entries whose expiry each write checks, so that expired entries are deleted although
 * nothing reads them.
 */
const SWEPT_AT_ONCE = 4;
/** Number of owners from which those without entries are removed. */
const OWNERS_MAX = 10_000;

/**
 * A cache in memory that workspaces share, bounded by its size in bytes. A workspace whose share is
 * full loses its own least recently used entries, never those of another workspace.
 */
export class SharedEntries<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private readonly owners = new Map<string, Owner>();
  private readonly shares: Shares;
  private readonly now: () => number;
  private sweeping: Iterator<[string, Entry<Value>]> | null = null;

  constructor(private readonly options: SharedEntriesOptions<Value>) {
    this.shares = new Shares(options.bytesMax);
    this.now = options.now ?? (() => performance.now());
  }

  get bytes(): number {
    return this.shares.held;
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt !== Infinity && entry.expiresAt <= this.now()) {
      this.delete(key);
      return undefined;
    }
    const keys = keysOf(entry);
    keys.delete(key);
    keys.add(key);
    return entry.value;
  }

  /**
   * Stores an entry for `ttlMs` milliseconds. Returns false if it does not fit the workspace's
   * share, even without the workspace's other entries.
   */
  set(tenant: Tenant, key: string, value: Value, ttlMs: number): boolean {
    this.delete(key);
    this.sweep();
    const owner = this.ownerOf(tenant);
    const size = this.options.sizeOf(value);
    if (!this.makeRoom(owner, size)) return false;
    owner.share.take(size);
    const expiresAt = this.now() + ttlMs;
    this.entries.set(key, { value, size, owner, expiresAt, isShrunk: false });
    owner.whole.add(key);
    return true;
  }

  /** Returns whether `set` would store a value of this size. */
  hasRoom(tenant: Tenant, size: number): boolean {
    return this.ownerOf(tenant).share.fitsInPlace(size);
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    keysOf(entry).delete(key);
    entry.owner.share.give(entry.size);
  }

  private makeRoom(owner: Owner, size: number): boolean {
    if (!owner.share.fitsInPlace(size)) return false;
    while (!owner.share.fits(size)) {
      const [key] = owner.whole.size > 0 ? owner.whole : owner.shrunk;
      if (key === undefined) return false;
      this.evict(key, this.entries.get(key) as Entry<Value>);
    }
    return true;
  }

  private evict(key: string, entry: Entry<Value>): void {
    const { shrink, sizeOf } = this.options;
    if (shrink === undefined || entry.isShrunk) {
      this.delete(key);
      return;
    }
    const { owner, size } = entry;
    entry.value = shrink(entry.value);
    entry.size = sizeOf(entry.value);
    entry.isShrunk = true;
    owner.share.give(size - entry.size);
    owner.whole.delete(key);
    owner.shrunk.add(key);
  }

  private sweep(): void {
    const now = this.now();
    for (let count = 0; count < SWEPT_AT_ONCE; count += 1) {
      this.sweeping ??= this.entries.entries();
      const next = this.sweeping.next();
      if (next.done === true) {
        this.sweeping = null;
        return;
      }
      const [key, { expiresAt }] = next.value;
      if (expiresAt <= now) this.delete(key);
    }
  }

  private removeIdleOwners(): void {
    for (const [name, { whole, shrunk }] of this.owners) {
      if (whole.size + shrunk.size === 0) this.owners.delete(name);
    }
  }

  private ownerOf(tenant: Tenant): Owner {
    const { workspaceId, organisationId } = tenant;
    let owner = this.owners.get(workspaceId);
    if (!owner) {
      if (this.owners.size >= OWNERS_MAX) this.removeIdleOwners();
      owner = {
        share: this.shares.of(workspaceId, organisationId),
        whole: new Set(),
        shrunk: new Set(),
      };
      this.owners.set(workspaceId, owner);
    }
    return owner;
  }
}

const keysOf = <Value>({ owner, isShrunk }: Entry<Value>): Set<string> =>
  isShrunk ? owner.shrunk : owner.whole;
