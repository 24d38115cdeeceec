import type { LimitState } from '@gw/contracts';
import type { Reservation } from '@gw/limits';

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

const NO_REFUSALS: readonly LimitState[] = Object.freeze([]);
