/** Amount held by all holders of one group. */
interface Group {
  held: number;
}

/** Number of holders from which those that hold nothing are removed. */
const HOLDERS_MAX = 10_000;

/**
 * Divides an amount (bytes, connections, look-ups) among holders, so that none of them can exhaust
 * it. A holder gets at most `weight` times the free amount, and its group at most twice that.
 * With a weight of 1, a single holder gets half; n busy holders of different groups get 1/(n+1)
 * each, and some is always free for the next one. These are the dynamic thresholds of shared packet
 * buffers (Choudhury and Hahne, 1998): no share needs to be configured, and a returned amount is
 * available to all holders immediately.
 */
export class Shares {
  /** Amount held by all holders. */
  held = 0;
  private readonly holders = new Map<string, Share>();
  private readonly groups = new Map<string, Group>();
  private pruneAt = HOLDERS_MAX;

  constructor(
    readonly total: number,
    private readonly weight = 1,
  ) {}

  /** Maximum amount of one holder when there is no other. */
  get largest(): number {
    return Math.max(1, Math.floor((this.total * this.weight) / (1 + this.weight)));
  }

  /** Returns the share of a holder, such as a workspace, in a group, such as its organisation. */
  of(holder: string, group: string): Share {
    const existing = this.holders.get(holder);
    if (existing) return existing;
    if (this.holders.size >= this.pruneAt) this.prune();
    let groupTotal = this.groups.get(group);
    if (!groupTotal) this.groups.set(group, (groupTotal = { held: 0 }));
    const share = new Share(this, groupTotal);
    this.holders.set(holder, share);
    return share;
  }

  /**
   * @internal Returns whether a holder and its group may hold these amounts after `amount` more was
   * taken.
   */
  allows(amount: number, ofHolder: number, ofGroup: number): boolean {
    const free = this.total - this.held - amount;
    if (free < 0) return false;
    const limit = this.weight * free;
    // If only few units exist, a share may be below one; a holder without any still gets one unit.
    return ofHolder <= Math.max(1, limit) && ofGroup <= Math.max(1, 2 * limit);
  }

  private prune(): void {
    for (const [name, share] of this.holders) if (share.held === 0) this.holders.delete(name);
    for (const [name, group] of this.groups) if (group.held === 0) this.groups.delete(name);
    this.pruneAt = Math.max(HOLDERS_MAX, 2 * this.holders.size);
  }
}

/** The share of one holder. */
export class Share {
  held = 0;

  /** @internal Use `Shares.of`. */
  constructor(
    private readonly shares: Shares,
    private readonly group: Group,
  ) {}

  /** Returns whether `take` would succeed now. */
  fits(amount: number): boolean {
    return this.shares.allows(amount, this.held + amount, this.group.held + amount);
  }

  /** Returns whether `take` would succeed after the holder returned everything that it holds. */
  fitsInPlace(amount: number): boolean {
    const more = amount - this.held;
    return this.shares.allows(more, amount, this.group.held + more);
  }

  /** Takes an amount; returns false and takes nothing if the share does not allow it. */
  take(amount: number): boolean {
    if (!this.fits(amount)) return false;
    this.held += amount;
    this.group.held += amount;
    this.shares.held += amount;
    return true;
  }

  /** Takes over an amount that another holder gives up, whatever the shares allow. */
  takeOver(amount: number, from: Share): void {
    from.give(amount);
    this.give(-amount);
  }

  give(amount: number): void {
    this.held -= amount;
    this.group.held -= amount;
    this.shares.held -= amount;
  }
}
