import type { LimitState } from '@gw/contracts';
import type { Bucket } from './bucket';
import { limitState } from './denial';
import type { Lease } from './lease';

/** The maximum that a request is expected to use. */
export interface Estimate {
  /** 1e-8 USD; null when the model's price is unknown. */
  readonly cost: number | null;
  /** Null when unknown in advance. */
  readonly tokens: number | null;
}

/** Amounts used, as non-negative integers. */
export interface Charge {
  /** 1e-8 USD. Null means unpriced: it counts as 0 and must be flagged in the record. */
  readonly cost: number | null;
  readonly tokens: number;
  /** For request budgets: 1 for each request that got a response, from the cache or a provider. */
  readonly requests: number;
}

/**
 * Amounts that one attempt or request has reserved in all of its limits. The object is its own
 * identity: it is settled once, however often settle is called.
 */
export class Reservation {
  readonly admitted = true;
  /**
   * `abandoned`: neither charged nor settled in time; its amounts are free again, and a late charge
   * still counts. `forgotten`: abandoned for so long that the counters may never learn of a late
   * charge; the durable record does.
   */
  state: 'open' | 'abandoned' | 'forgotten' | 'settled' = 'open';
  /** Monotonic milliseconds: when it was admitted, or last charged while it was open. */
  usedAt: number;
  previous: Reservation | null = null;
  next: Reservation | null = null;

  constructor(
    readonly buckets: readonly Bucket[],
    /** Used by the ledger only. */
    readonly leases: readonly Lease[],
    readonly amounts: number[],
    /** Monotonic milliseconds. */
    readonly admittedAt: number,
  ) {
    this.usedAt = admittedAt;
  }

  /**
   * Returns the start of the period that the bucket's counter charges this to, in Unix
   * milliseconds.
   */
  periodOf(index: number): number {
    return this.leases[index]?.period ?? 0;
  }

  /** Returns the holder name under which the bucket's counter counts this. */
  holderOf(index: number): string {
    return this.leases[index]?.holder ?? '';
  }

  /**
   * Returns the usage of a bucket's counter as far as this process knows; for concurrency, what is
   * held.
   */
  usedOf(index: number): number {
    const lease = this.leases[index];
    if (this.buckets[index]?.window.kind === 'open') return lease?.held ?? 0;
    return lease === undefined ? 0 : lease.used + lease.consumed - lease.acknowledged;
  }

  /** Returns when the bucket's counter starts again, in Unix milliseconds; null for never. */
  endOf(index: number): number | null {
    return this.leases[index]?.endsAtMs ?? null;
  }

  /**
   * Returns the first limit that has been used up, as far as this process knows; null when all have
   * something left.
   */
  exhausted(): LimitState | null {
    for (let index = 0; index < this.buckets.length; index += 1) {
      const bucket = this.buckets[index];
      if (bucket === undefined || bucket.window.kind === 'open') continue;
      const used = this.usedOf(index);
      // Requests were counted at admission, so reaching their limit ends no in-flight
      // request.
      const counts = bucket.measure !== 'requests' && used >= bucket.value;
      if (counts) return limitState(bucket, used, this.endOf(index), 'refused');
    }
    return null;
  }

  /** Returns the state of every limit that was checked, for the decision record. */
  states(): LimitState[] {
    return this.buckets.map((bucket, index) =>
      limitState(bucket, this.usedOf(index), this.endOf(index), 'admitted'),
    );
  }
}

/**
 * Reserves `amount` of a lease and returns what is held of it. Requests of a rate limit count from
 * their admission on. The lease stays reported until `OpenReservations` lets go of the
 * reservation.
 */
export function takeFrom(lease: Lease, bucket: Bucket, amount: number): number {
  lease.chargeable += 1;
  lease.admitted += amount;
  if (amount > lease.largest) lease.largest = amount;
  if (bucket.measure === 'requests' && bucket.window.kind !== 'period') {
    lease.consumed += amount;
    return 0;
  }
  lease.inFlight += amount;
  return amount;
}
