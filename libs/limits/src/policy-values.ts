import { Shares, type Share } from '@gw/kernel';
import { createHmac, randomBytes } from 'node:crypto';

export interface PolicyValuesOptions {
  /** Maximum number of values that one policy counts separately. */
  readonly perPolicy: number;
  /** Maximum for all policies of the process, shared among them and their organisations. */
  readonly total: number;
}

/** Number of policies kept before those without a live value are pruned. */
const POLICIES_KEPT = 1_000;

/**
 * Bounds the values that policies count separately in this process, so that callers who invent
 * values (of metadata, of models) cannot create an unbounded number of counters.
 * A value is forgotten once its counter has expired. This object outlives compiled policies, so a
 * change in the workspace does not restart the count.
 */
export class PolicyValues {
  /** Requests that were counted by the shared counter of a policy's overflow values. */
  overflowRequests = 0;
  private readonly policies = new Map<string, LiveValues>();
  private readonly shares: Shares;
  private readonly key = randomBytes(32);
  private pruneAt = POLICIES_KEPT;

  constructor(private readonly options: PolicyValuesOptions) {
    this.shares = new Shares(options.total);
  }

  /**
   * Returns the live values of a policy; `lifeMs` is how long the counter of a value lives without
   * a request.
   */
  of(tenant: string, policyId: string, lifeMs: number): LiveValues {
    const known = this.policies.get(policyId);
    if (known) {
      known.lifeMs = lifeMs;
      return known;
    }
    if (this.policies.size >= this.pruneAt) this.prune(Date.now());
    const share = this.shares.of(policyId, tenant);
    const values = new LiveValues(this.key, share, this.options.perPolicy, lifeMs);
    this.policies.set(policyId, values);
    return values;
  }

  private prune(nowMs: number): void {
    for (const [id, values] of this.policies) if (values.isOver(nowMs)) this.policies.delete(id);
    this.pruneAt = Math.max(POLICIES_KEPT, 2 * this.policies.size);
  }
}

/**
 * The live values of one policy in two generations; a value not used for a whole generation is
 * forgotten.
 */
export class LiveValues {
  /** Increases with each generation. */
  generation = 0;
  private current = new Set<number>();
  private former = new Set<number>();
  /** When the next generation begins, in Unix milliseconds. */
  private nextGenerationAtMs = 0;

  constructor(
    private readonly key: Buffer,
    private readonly share: Share,
    private readonly valuesMax: number,
    /** How long the counter of a value lives without a request. */
    public lifeMs: number,
  ) {}

  /** Starts the next generation when it is due. Call it before comparing `generation`. */
  advance(nowMs: number): void {
    if (nowMs < this.nextGenerationAtMs) return;
    // Nothing was used for two generations, so everything in both has expired.
    const isLate = nowMs >= this.nextGenerationAtMs + this.lifeMs;
    this.share.give(this.former.size + (isLate ? this.current.size : 0));
    this.former = isLate ? new Set() : this.current;
    this.current = new Set();
    this.nextGenerationAtMs = nowMs + this.lifeMs;
    this.generation += 1;
  }

  /** Whether the value has its own counter; marks it as used. */
  admits(value: string): boolean {
    // Keyed, so that an attacker cannot find values that collide.
    const digest = createHmac('sha256', this.key).update(value).digest().readUIntBE(0, 6);
    if (this.current.has(digest)) return true;
    if (!this.former.delete(digest)) {
      if (this.current.size + this.former.size >= this.valuesMax || !this.share.take(1)) return false;
    }
    this.current.add(digest);
    return true;
  }

  /** Returns true when everything has expired; the object is empty from then on. */
  isOver(nowMs: number): boolean {
    this.advance(nowMs);
    return this.current.size + this.former.size === 0;
  }
}
