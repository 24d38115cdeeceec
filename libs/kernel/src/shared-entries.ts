import { Shares, type Share } from './shares';

/** Whose entry it is. */
export interface Tenant {
  readonly workspaceId: string;
  readonly organisationId: string;
}

export interface SharedEntriesOptions<Value> {
  /** All entries together. */
  readonly bytesMax: number;
  readonly sizeOf: (value: Value) => number;
  /**
   * Returns the part of a value that is kept when it is evicted; that part is evicted last. Absent:
   * nothing is kept.
   */
  readonly shrink?: (value: Value) => Value;
  /** Milliseconds on any scale that only goes forward. */
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
  /** Keys, those used least lately first. */
  readonly whole: Set<string>;
  readonly shrunk: Set<string>;
}

/** Entries that are looked at for their time at each write, so that those that nothing reads do not stay. */
const SWEPT_AT_ONCE = 4;
/** More owners than this are looked through for those without entries. */
const OWNERS_KEPT = 10_000;

/**
 * Entries of this process, bounded by their bytes, which workspaces share. One whose share is full loses its own entries, those used
 * least lately first, and never those of another.
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

  /** False when the workspace's share has no room, even without its other entries. */
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

  /** Whether `set` has room for a value of that size. */
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

  private forgetIdle(): void {
    for (const [name, { whole, shrunk }] of this.owners) {
      if (whole.size + shrunk.size === 0) this.owners.delete(name);
    }
  }

  private ownerOf(tenant: Tenant): Owner {
    const { workspaceId, organisationId } = tenant;
    let owner = this.owners.get(workspaceId);
    if (!owner) {
      if (this.owners.size >= OWNERS_KEPT) this.forgetIdle();
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
