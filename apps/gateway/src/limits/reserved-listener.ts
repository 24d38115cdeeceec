import type { Reservation } from '@gw/limits';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { AttemptListener } from '../attempt/gateway-response';
import type { RequestContext } from '../core/request-context';
import type { Accounts } from './accounts';

/** Releases the reservation of an attempt that got no response. */
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

  callStarted(response: GatewayResponse): void {
    this.listener.callStarted(response);
  }

  responded(response: GatewayResponse): void {
    // A disconnected client is charged at the end of its request if the provider was called.
    const isCharged = this.context.clientGone && response.call !== null;
    if (response.status === 0 && !isCharged) this.accounts.release(this.reservation);
    this.listener.responded(response);
  }

  refused(thrown: unknown): void {
    this.accounts.release(this.reservation);
    this.listener.refused(thrown);
  }
}
