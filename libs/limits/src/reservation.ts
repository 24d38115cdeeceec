import type { LimitState } from '@gw/contracts';
import type { Bucket } from './bucket';
import { limitState } from './denial';
import type { Slice } from './slice';

/** What a request is expected to use at most. */
export interface Estimate {
  /** 1e-8 USD; null: the model's price is not known. */
  readonly cost: number | null;
  /** Null: not known before. */
  readonly tokens: number | null;
}

/** What was used. Non-negative integers. */
export interface Charge {
  /** 1e-8 USD; null, for what has no price, counts as 0 and must be flagged in the record. */
  readonly cost: number | null;
  readonly tokens: number;
  /** For budgets of requests: 1 for each request that was answered, from the cache or by a provider. */
  readonly requests: number;
}

/** What one attempt or one request has set aside in all of its limits. It is its own id: it is settled once, however often settle is called. */
export class Reservation {
  readonly admitted = true;
  /** `abandoned`: not settled in time; what was reserved is free again, and a late charge still counts. */
  state: 'open' | 'abandoned' | 'settled' = 'open';
  previous: Reservation | null = null;
  next: Reservation | null = null;

  constructor(
    readonly buckets: readonly Bucket[],
    /** For the ledger only. */
    readonly slices: readonly Slice[],
    readonly amounts: number[],
    /** Monotonic milliseconds. */
    readonly admittedAt: number,
  ) {}

  /** Unix milliseconds: when the period began that a bucket's counter charges this to. */
  periodOf(index: number): number {
    return this.slices[index]?.period ?? 0;
  }

  /** The name under which a bucket's counter counts it. */
  holderOf(index: number): string {
    return this.slices[index]?.holder ?? '';
  }

  /** What the counter of a bucket has counted, as far as this process knows; of concurrency, what is held. */
  usedOf(index: number): number {
    const slice = this.slices[index];
    if (this.buckets[index]?.window.kind === 'open') return slice?.held ?? 0;
    return slice === undefined ? 0 : slice.used + slice.consumed - slice.acknowledged;
  }

  /** Unix milliseconds: when the counter of a bucket starts again; null: never. */
  endOf(index: number): number | null {
    return this.slices[index]?.endsAtMs ?? null;
  }

  /** The first limit that is reached by what was used, as far as this process knows; null: there is something left in each. */
  exhausted(): LimitState | null {
    for (let index = 0; index < this.buckets.length; index += 1) {
      const bucket = this.buckets[index];
      if (bucket === undefined || bucket.window.kind === 'open') continue;
      const used = this.usedOf(index);
      // Requests of a window were counted when they were admitted: reaching their limit ends nothing that is under way.
      const counts = bucket.measure !== 'requests' && used >= bucket.value;
      if (counts) return limitState(bucket, used, this.endOf(index), 'refused');
    }
    return null;
  }

  /** Every limit that was looked at, for the decision record. */
  states(): LimitState[] {
    return this.buckets.map((bucket, index) =>
      limitState(bucket, this.usedOf(index), this.endOf(index), 'admitted'),
    );
  }
}

/** Reserves `amount` of a slice. Requests of a rate limit count from their admission on. */
export function takeFrom(slice: Slice, bucket: Bucket, amount: number): number {
  slice.admitted += amount;
  if (amount > slice.largest) slice.largest = amount;
  if (bucket.measure === 'requests' && bucket.window.kind !== 'period') {
    slice.consumed += amount;
    return 0;
  }
  slice.inFlight += amount;
  return amount;
}

/** Oldest first, so that those which were never settled are found without a search. */
export class OpenReservations {
  private first: Reservation | null = null;
  private last: Reservation | null = null;
  size = 0;

  add(reservation: Reservation): void {
    reservation.previous = this.last;
    if (this.last) this.last.next = reservation;
    else this.first = reservation;
    this.last = reservation;
    this.size += 1;
  }

  remove(reservation: Reservation): void {
    const { previous, next } = reservation;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
    reservation.previous = null;
    reservation.next = null;
    this.size -= 1;
  }

  oldest(): Reservation | null {
    return this.first;
  }
}
