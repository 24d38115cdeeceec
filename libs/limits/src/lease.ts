import type { Bucket } from './bucket';
import type { Balance, CounterReply } from './counter-store';

/**
 * A refill is requested once free / LOW_DIVISOR is left, which lasts until the round trip is back.
 */
const LOW_DIVISOR = 4;

/**
 * Amount of one counter that this process may spend in one period without a round trip. At any time
 * `inFlight + free + (consumed − acknowledged)` is what the store has set aside for this process,
 * so the sum over all processes never exceeds the limit.
 */
export class Lease {
  /** Everything used here in the period. */
  consumed: number;
  /** The part of `consumed` that the store has confirmed. */
  acknowledged: number;
  /** Reserved for in-flight requests. */
  inFlight = 0;
  /** Number of reservations that may still charge it, whatever they have left of their amounts. */
  chargeable = 0;
  /** Kept for the next requests; below 0 when requests used more than was reserved for them. */
  free = 0;
  /** A refill is requested when `free` falls to this value; 0 when nothing was granted. */
  low = 0;
  /** Monotonic: `free` may be spent until then. */
  validUntil = -Infinity;
  /** Monotonic: until then the limit is known to refuse everything. */
  refusedUntil = -Infinity;
  /** Amount taken since the last statement; determines how much to keep. */
  admitted = 0;
  /** The largest single amount taken since the last statement. */
  largest = 0;
  /** Usage of all processes, at the last reply. */
  used = 0;
  held = 0;
  holders = 1;
  /** End of the lease by the store's clock, in Unix milliseconds; null for never. */
  endsAtMs: number | null = null;
  /** Whether it uses its local outage share, which ends when the counters reply again. */
  onShare = false;
  /** The part of `free` that was added as the outage share, and what was spent of it. */
  share = 0;
  /** Unused outage share, set aside while a round trip is in flight; restored when that fails. */
  shelved = 0;
  /** For concurrency: a process that holds less than its share was refused recently. */
  crowded = false;
  /** Whether the counters have replied for this period. */
  known = false;

  constructor(
    readonly period: number,
    /** The limit under which the lease was granted. */
    public value: number,
    /** The name under which it is stated and recorded. */
    readonly holder: string,
    consumed = 0,
  ) {
    this.consumed = consumed;
    this.acknowledged = consumed;
  }

  /** Applies what a counter reports for all processes and grants to this one. */
  apply({ used, held, holders, extra, crowded }: CounterReply): void {
    this.known = true;
    // The counters have not set it aside; what was spent of it is reported as usage.
    this.free -= this.share;
    this.onShare = false;
    this.share = this.shelved = 0;
    this.used = used;
    this.held = held;
    this.holders = holders;
    this.crowded = crowded;
    this.free += extra;
    this.low = extra > 0 ? Math.floor(this.free / LOW_DIVISOR) : 0;
  }

  /** Whether nothing is held, left to report, or still to be charged. */
  get isIdle(): boolean {
    const { chargeable, inFlight, free, consumed, acknowledged } = this;
    return chargeable === 0 && inFlight === 0 && free <= 0 && consumed === acknowledged;
  }

  /**
   * Whether taking `amount` may keep others from their share of concurrency; then the counters
   * decide.
   */
  crowdsOut(amount: number): boolean {
    return this.crowded && this.inFlight + amount > Math.floor(this.value / this.holders);
  }

  get room(): number {
    return this.value - this.used - this.held;
  }
}

/** State of one counter in this process: its newest limit and the lease of the current period. */
export class CounterSlot {
  lease: Lease;
  statedAt: number;
  usedAt: number;
  /** Amount that one request takes, as recently seen. */
  least = 1;
  /** The counters have lost it or never had it. */
  missing = false;
  seed: Balance | null = null;
  /** Monotonic: the durable record was unreadable; it is not queried again until then. */
  seedFailedUntil = -Infinity;
  seeding: Promise<void> | null = null;
  /** Whether it is part of a round trip in flight. */
  inExchange = false;
  /**
   * Monotonic: the counter was lost, and until then others may still have to state what they hold.
   */
  lostUntil = -Infinity;

  constructor(
    public bucket: Bucket,
    nowMonotonicMs: number,
    holder: string,
  ) {
    this.lease = new Lease(-1, bucket.value, holder);
    this.statedAt = nowMonotonicMs;
    this.usedAt = nowMonotonicMs;
  }
}
