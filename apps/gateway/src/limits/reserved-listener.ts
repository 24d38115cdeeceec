import type { Reservation } from '@gw/limits';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { AttemptListener } from '../attempt/gateway-response';
import type { RequestContext } from '../core/request-context';
import type { Accounts } from './accounts';

/** Gives back what was reserved for an attempt that got no answer. */
export class ReservedListener implements AttemptListener {
  constructor(
    private readonly context: RequestContext,
    private readonly accounts: Accounts,
    private readonly reservation: Reservation,
    private readonly listener: AttemptListener,
  ) {}

  get isApart(): boolean {
    return this.listener.isApart === true;
  }

  begun(answer: GatewayResponse): void {
    this.listener.begun(answer);
  }

  answered(answer: GatewayResponse): void {
    // A client that leaves is charged at the end of its request: the provider was called all the same.
    if (answer.status === 0 && !this.context.clientGone) this.accounts.release(this.reservation);
    this.listener.answered(answer);
  }

  refused(thrown: unknown): void {
    this.accounts.release(this.reservation);
    this.listener.refused(thrown);
  }
}
