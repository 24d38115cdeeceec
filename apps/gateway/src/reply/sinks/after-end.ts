import type { GatewayResponse } from '../../attempt/gateway-response';

/** How long a provider may take to end its answer after the end mark, and how much it may send, for its connection to be kept. */
const LINGER_MS = 1_000;
const LINGER_BYTES_MAX = 65_536;

/**
 * What a provider sends after the end mark of a stream, which no client gets. It is read for a bounded time, so that the connection
 * can be used again; then the call is given up.
 */
export class AfterEnd {
  private timer: NodeJS.Timeout | null = null;
  private bytes = 0;

  constructor(private readonly answer: GatewayResponse) {}

  begin(): void {
    const { answer } = this;
    if (answer.ended || answer.error !== null || this.timer !== null) return;
    this.timer = setTimeout(() => answer.call?.abort(), LINGER_MS).unref();
    // It may be paused for a client that reads slowly.
    answer.call?.resume();
  }

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > LINGER_BYTES_MAX) this.answer.call?.abort();
  }

  /** The answer has ended. */
  over(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }
}
