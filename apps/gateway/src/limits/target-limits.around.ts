import type { Reservation } from '@gw/limits';
import type { AroundStage, AttemptCall, Next } from '../attempt/attempt-call';
import type { Accounts } from './accounts';
import { ReservedListener } from './reserved-listener';

/** Reserves in the limits of an attempt's target, if it has any. */
export class TargetLimitsAround implements AroundStage {
  constructor(private readonly accounts: Accounts) {}

  around(call: AttemptCall, next: Next): void {
    const reserved = this.accounts.reserve(call.context, call.upstream);
    if (reserved === null) next.begin(call);
    else if (reserved instanceof Promise)
      reserved.then(
        (reservation) => this.goOn(call, reservation, next),
        (denied: unknown) => call.listener.refused(denied),
      );
    else this.goOn(call, reserved, next);
  }

  /** Never throws: the listener releases the reservation if the attempt cannot be made. */
  private goOn(call: AttemptCall, reservation: Reservation, next: Next): void {
    const listener = new ReservedListener(call.context, this.accounts, reservation, call.listener);
    call.upstream = { ...call.upstream, reservation };
    call.listener = listener;
    try {
      next.begin(call);
    } catch (thrown) {
      listener.refused(thrown);
    }
  }
}
