import { Shares, type Share } from '@gw/kernel';
import { createHmac, randomBytes } from 'node:crypto';

export interface PolicyValuesOptions {
  /** Values that one policy counts apart at a time. */
  readonly perPolicy: number;
  /** Of all policies of the process, shared among them and their organisations. */
  readonly total: number;
}

/** Policies that are kept before those without a live value are looked for. */
const POLICIES_KEPT = 1_000;

/**
 * The values that policies count apart in this process, so that callers who invent values (of metadata, of models) make no more
 * than a bounded number of counters. A value is forgotten once its counter has expired. It lives longer than a compiled policy:
 * a change of the workspace does not start the count anew.
 */
export class PolicyValues {
  /** Requests that were counted by the counter that the further values of a policy share. */
  shared = 0;
  private readonly policies = new Map<string, LiveValues>();
  private readonly shares: Shares;
  private readonly key = randomBytes(32);
  private pruneAt = POLICIES_KEPT;

  constructor(private readonly options: PolicyValuesOptions) {
    this.shares = new Shares(options.total);
  }

  /** `lifeMs`: after so long without a request the counter of a value is gone. */
  of(tenant: string, policyId: string, lifeMs: number): LiveValues {
    const known = this.policies.get(policyId);
    if (known) {
      known.lifeMs = lifeMs;
      return known;
    }
    if (this.policies.size >= this.pruneAt) this.prune(Date.now());
    const share = this.shares.of(policyId, tenant);
    const made = new LiveValues(this.key, share, this.options.perPolicy, lifeMs);
    this.policies.set(policyId, made);
    return made;
  }

  private prune(nowMs: number): void {
    for (const [id, values] of this.policies) if (values.isOver(nowMs)) this.policies.delete(id);
    this.pruneAt = Math.max(POLICIES_KEPT, 2 * this.policies.size);
  }
}

/** The live values of one policy, in two generations: what has not been used for a whole one is forgotten. */
export class LiveValues {
  /** Begins anew with each generation. */
  generation = 0;
  private current = new Set<number>();
  private former = new Set<number>();
  private turnsAt = 0;

  constructor(
    private readonly key: Buffer,
    private readonly share: Share,
    private readonly most: number,
    public lifeMs: number,
  ) {}

  /** Begins another generation when it is time. Call it before `generation` is compared. */
  turn(nowMs: number): void {
    if (nowMs < this.turnsAt) return;
    // Nothing was used for two generations: what both hold has expired.
    const isLate = nowMs >= this.turnsAt + this.lifeMs;
    this.share.give(this.former.size + (isLate ? this.current.size : 0));
    this.former = isLate ? new Set() : this.current;
    this.current = new Set();
    this.turnsAt = nowMs + this.lifeMs;
    this.generation += 1;
  }

  /** Whether the value has a counter of its own; notes its use. */
  admits(value: string): boolean {
    // Keyed, so that an attacker cannot find values that collide.
    const digest = createHmac('sha256', this.key).update(value).digest().readUIntBE(0, 6);
    if (this.current.has(digest)) return true;
    if (!this.former.delete(digest)) {
      if (this.current.size + this.former.size >= this.most || !this.share.take(1)) return false;
    }
    this.current.add(digest);
    return true;
  }

  /** True when all that it holds has expired. It holds nothing from then on. */
  isOver(nowMs: number): boolean {
    this.turn(nowMs);
    return this.current.size + this.former.size === 0;
  }
}
