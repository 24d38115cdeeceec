/** Sum of the holders of one group. */
interface Group {
  held: number;
}

/** More holders than this are looked through for those that hold nothing. */
const HOLDERS_KEPT = 10_000;

/**
 * One amount (bytes, connections, look-ups) that many holders share, so that none of them can take it from the others. A holder
 * never has more than `weight` times what stays free, and its group never more than twice that. With a weight of 1 a holder that
 * is alone gets half, and n busy holders of different groups get 1/(n+1) each; something is always free for the next one. These
 * are the dynamic thresholds of shared packet buffers (Choudhury and Hahne, 1998): there is no share to configure, and what is
 * given back counts for everybody at once.
 */
export class Shares {
  /** Amount held by all holders. */
  held = 0;
  private readonly holders = new Map<string, Share>();
  private readonly groups = new Map<string, Group>();
  private pruneAt = HOLDERS_KEPT;

  constructor(
    readonly total: number,
    private readonly weight = 1,
  ) {}

  /** The most that one holder can have, when it is alone. */
  get largest(): number {
    return Math.max(1, Math.floor((this.total * this.weight) / (1 + this.weight)));
  }

  /** `holder`: a workspace, for example; `group`: its organisation. */
  of(holder: string, group: string): Share {
    const known = this.holders.get(holder);
    if (known) return known;
    if (this.holders.size >= this.pruneAt) this.prune();
    let together = this.groups.get(group);
    if (!together) this.groups.set(group, (together = { held: 0 }));
    const share = new Share(this, together);
    this.holders.set(holder, share);
    return share;
  }

  /** @internal Whether a holder and its group may have so much after `amount` more was taken. */
  allows(amount: number, ofHolder: number, ofGroup: number): boolean {
    const free = this.total - this.held - amount;
    if (free < 0) return false;
    const most = this.weight * free;
    // Of things that are counted one by one, there may be too few for shares: a holder of none gets one.
    return ofHolder <= Math.max(1, most) && ofGroup <= Math.max(1, 2 * most);
  }

  private prune(): void {
    for (const [name, share] of this.holders) if (share.held === 0) this.holders.delete(name);
    for (const [name, group] of this.groups) if (group.held === 0) this.groups.delete(name);
    this.pruneAt = Math.max(HOLDERS_KEPT, 2 * this.holders.size);
  }
}

/** The part of one holder. */
export class Share {
  held = 0;

  /** @internal Made by `Shares.of`. */
  constructor(
    private readonly shares: Shares,
    private readonly group: Group,
  ) {}

  /** Whether `take` would succeed now. */
  fits(amount: number): boolean {
    return this.shares.allows(amount, this.held + amount, this.group.held + amount);
  }

  /** Whether `take` would succeed if all that it holds were given back first. */
  fitsInPlace(amount: number): boolean {
    const more = amount - this.held;
    return this.shares.allows(more, amount, this.group.held + more);
  }

  /** False when the share does not allow it; nothing is taken then. */
  take(amount: number): boolean {
    if (!this.fits(amount)) return false;
    this.held += amount;
    this.group.held += amount;
    this.shares.held += amount;
    return true;
  }

  give(amount: number): void {
    this.held -= amount;
    this.group.held -= amount;
    this.shares.held -= amount;
  }
}
