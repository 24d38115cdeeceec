import type { Bucket } from './bucket';
import type { Claim } from './counter-store';
import type { AdmissionOutcome, Pending } from './batcher-parts';
import { Reservation } from './reservation';
import type { Lease } from './lease';

/** A request that the local leases could not cover. */
export interface Waiter {
  readonly buckets: readonly Bucket[];
  /** Null when the request only reads the state of its limits. */
  readonly amounts: readonly number[] | null;
  resolve: ((outcome: AdmissionOutcome) => void) | null;
  outcome: AdmissionOutcome | null;
  attempts: number;
}

export function finish(waiter: Waiter, outcome: AdmissionOutcome): void {
  waiter.outcome = outcome;
  waiter.resolve?.(outcome);
}

/**
 * Builds the claim of a waiter; `index` is the position of each counter's statement in the round
 * trip.
 */
export function claimOf({ buckets, amounts }: Waiter, index: ReadonlyMap<string, number>): Claim | null {
  if (amounts === null) return null;
  return { counters: buckets.map(({ key }) => index.get(key) ?? 0), amounts };
}

/** Sums what the waiters need, by counter key. */
export function pendingOf(waiters: readonly Waiter[]): ReadonlyMap<string, Pending> {
  const pending = new Map<string, Pending>();
  for (const { buckets, amounts } of waiters) {
    if (amounts === null) continue;
    for (const [at, { key }] of buckets.entries()) {
      const amount = Math.max(1, amounts[at] ?? 0);
      const known = pending.get(key);
      pending.set(key, {
        sum: (known?.sum ?? 0) + amount,
        largest: Math.max(known?.largest ?? 0, amount),
      });
    }
  }
  return pending;
}

/** Returns a reservation that holds nothing and only carries the state of the limits. */
export function informed(buckets: readonly Bucket[], leases: readonly Lease[]): Reservation {
  const reservation = new Reservation(buckets, leases, [], 0);
  reservation.state = 'settled';
  return reservation;
}
