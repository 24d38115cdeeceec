import type { GatewayResponse } from '../../attempt/gateway-response';

/**
 * Milliseconds that a provider may take to end its response after the end mark; in
 * `LINGER_BYTES_MAX`, bytes that it may send. Beyond them, its connection is not reused.
 */
const LINGER_MS = 1_000;
const LINGER_BYTES_MAX = 65_536;

/**
 * Reads bytes that a provider sends after the end mark of a stream; no client receives them. It
 * reads for a limited time, so that the connection can be reused, and then cancels the call.
 */
export class AfterEnd {
  private timer: NodeJS.Timeout | null = null;
  private bytes = 0;

  constructor(private readonly response: GatewayResponse) {}

  begin(): void {
    const { response } = this;
    if (response.ended || response.error !== null || this.timer !== null) return;
    this.timer = setTimeout(() => response.call?.abort(), LINGER_MS).unref();
    // The call may be paused because of a slow client.
    response.call?.resume();
  }

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > LINGER_BYTES_MAX) this.response.call?.abort();
  }

  /** Stops the timer, because the response has ended. */
  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }
}
