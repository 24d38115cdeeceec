import type { LimitState } from '@gw/contracts';
import type { Ledger, Reservation } from '@gw/limits';

/** Results of the limits for one request. */
export class RequestLimits {
  /** Reservation in the caller's limits; null: no limit applies, or the request was refused. */
  reservation: Reservation | null = null;
  /** Limits that refused the request or one of its attempts. */
  refusals: readonly LimitState[] = NO_REFUSALS;

  refuse(state: LimitState): void {
    this.refusals = [...this.refusals, state];
  }
}

/** Returns the feature slot of a request with limits, and creates it if needed. */
export const limitsOf = (context: { limits: RequestLimits | null }): RequestLimits =>
  (context.limits ??= new RequestLimits());

/**
 * Keeps the reservation of a request that waited for the counters; releases it if the request was
 * ended and settled meanwhile, because nothing else would.
 */
export function keepReservation(
  ledger: Pick<Ledger, 'release'>,
  context: { readonly settled: boolean; limits: RequestLimits | null },
  reservation: Reservation,
): void {
  if (context.settled) ledger.release(reservation);
  else limitsOf(context).reservation = reservation;
}

const NO_REFUSALS: readonly LimitState[] = Object.freeze([]);
