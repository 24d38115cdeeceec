import type { LimitState } from '@gw/contracts';
import type { Reservation } from '@gw/limits';

/** What limits have said of one request. */
export class RequestLimits {
  /** In the limits of the caller; null: none of them limits the request, or it was refused. */
  reservation: Reservation | null = null;
  /** Limits that refused the request or one of its attempts. */
  refusals: readonly LimitState[] = NO_REFUSALS;

  refuse(state: LimitState): void {
    this.refusals = [...this.refusals, state];
  }
}

/** The slot of a request that something limits. */
export const limitsOf = (context: { limits: RequestLimits | null }): RequestLimits =>
  (context.limits ??= new RequestLimits());

const NO_REFUSALS: readonly LimitState[] = Object.freeze([]);
