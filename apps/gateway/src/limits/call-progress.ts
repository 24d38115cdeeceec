import type { LimitedCall } from './limited-call';

/** How far the limited call of a request has come, which decides its charge when the request ends. */
export class CallProgress {
  /** The call that was admitted; null once it is charged. */
  private begun: LimitedCall | null = null;
  private sent: LimitedCall | null = null;

  /**
   * The call that its server or agent is processing; null before it is sent and once it is charged.
   */
  get atServer(): LimitedCall | null {
    return this.sent;
  }

  /** Records the call that will be sent. */
  callBegins(call: LimitedCall): void {
    this.begun = call;
  }

  /** Records that the call is sent. Has no effect for a request that is not limited. */
  callSent(): void {
    this.sent = this.begun;
  }

  /** Records that the call was charged. */
  callEnds(): void {
    this.begun = this.sent = null;
  }
}
