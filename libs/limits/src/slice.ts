import type { Bucket } from './bucket';
import type { Balance, CounterAnswer } from './counter-store';

/** Of what is free after a round trip, the part that lasts until the next one is back. */
const LOW_DIVISOR = 4;

/**
 * What this process may spend of one counter in one period without asking. At any time `inFlight + free + (consumed − acknowledged)` is what
 * the store has set aside for this process, so the sum over all processes never passes the limit.
 */
export class Slice {
  /** All that was used here in the period. */
  consumed: number;
  /** How much of it the store has confirmed. */
  acknowledged: number;
  /** Reserved for requests under way. */
  inFlight = 0;
  /** Kept for the next requests; below 0 when requests used more than was reserved for them. */
  free = 0;
  /** Requests more once no more than this is free; 0: nothing was granted. */
  low = 0;
  /** Monotonic: until then `free` may be given out. */
  validUntil = -Infinity;
  /** Monotonic: until then the limit is known to refuse everything. */
  refusedUntil = -Infinity;
  /** Taken since the last statement; says how much to keep. */
  admitted = 0;
  /** The largest amount taken at once since the last statement. */
  largest = 0;
  /** Of all processes, at the last answer. */
  used = 0;
  held = 0;
  holders = 1;
  /** By the store's clock, Unix milliseconds; null: never. */
  endsAtMs: number | null = null;
  /** Lives on its local share, because the counters could not be reached, until they answer again. */
  onShare = false;
  /** What is left of that share, while an exchange says that it is given up: it is taken back where the exchange fails. */
  shelved = 0;
  /** Of concurrency: others were refused that hold less than their share. */
  crowded = false;
  /** The counters have answered for this period. */
  known = false;

  constructor(
    readonly period: number,
    /** The limit that the slice was given under. */
    public value: number,
    /** The name under which it is stated and recorded. */
    readonly holder: string,
    consumed = 0,
  ) {
    this.consumed = consumed;
    this.acknowledged = consumed;
  }

  /** What the counters say of all processes, and give to this one. */
  hear({ used, held, holders, extra, crowded }: CounterAnswer): void {
    this.known = true;
    this.onShare = false;
    this.shelved = 0;
    this.used = used;
    this.held = held;
    this.holders = holders;
    this.crowded = crowded;
    this.free += extra;
    this.low = extra > 0 ? Math.floor(this.free / LOW_DIVISOR) : 0;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.free <= 0 && this.consumed === this.acknowledged;
  }

  /** Whether taking so much may keep others from their share of concurrency: the counters decide that. */
  crowdsOut(amount: number): boolean {
    return this.crowded && this.inFlight + amount > Math.floor(this.value / this.holders);
  }

  get room(): number {
    return this.value - this.used - this.held;
  }
}

/** A counter's place in this process: its newest limit and the slice of the current period. */
export class Slot {
  slice: Slice;
  statedAt: number;
  usedAt: number;
  /** What one request takes, as far as was seen of late. */
  least = 1;
  /** The counters have lost it, or never had it. */
  missing = false;
  seed: Balance | null = null;
  /** Monotonic: the durable record could not be read; no attempt is made until then. */
  seedFailedUntil = -Infinity;
  seeding: Promise<void> | null = null;
  /** Part of a round trip that has not come back. */
  inExchange = false;
  /** Monotonic: its counter was lost, and until then others may still have to state what they hold of it. */
  lostUntil = -Infinity;

  constructor(
    public bucket: Bucket,
    nowMonotonicMs: number,
    holder: string,
  ) {
    this.slice = new Slice(-1, bucket.value, holder);
    this.statedAt = nowMonotonicMs;
    this.usedAt = nowMonotonicMs;
  }
}
