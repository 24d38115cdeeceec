import type { OutboundError } from '@gw/outbound';
import type { GatewayResponse } from '../../attempt/gateway-response';
import type { BodySink } from '../../core/upstream';
import type { RequestContext } from '../../core/request-context';

/**
 * Milliseconds that a provider may take to report the usage of a finished response after the client
 * has disconnected; in `BYTES_MAX`, bytes that it may send.
 */
const WAIT_MS = 2_000;
const BYTES_MAX = 65_536;

/** Whether only the usage of a stream is missing, so that the gateway should continue to read. */
export const lacksUsageOnly = ({ reply, settled }: RequestContext, response: GatewayResponse): boolean =>
  !settled &&
  !response.ended &&
  response.error === null &&
  reply.meter?.usageMayFollow?.() === true &&
  reply.meter.usage() === null;

/**
 * Continues to read for a limited time, to get the usage of a finished response whose client has
 * disconnected.
 */
export class LateUsage implements BodySink {
  private bytes = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly context: RequestContext,
    private readonly response: GatewayResponse,
    private readonly sink: BodySink,
    /** Called once, when the usage is known or the wait is over. */
    private readonly finished: () => void,
  ) {}

  begin(): void {
    this.context.reply.clientLeft();
    this.timer = setTimeout(() => {
      this.response.guard(() => this.finish());
    }, WAIT_MS).unref();
    this.response.attach(this);
    // The call may be paused because of a slow client.
    this.response.call?.resume();
  }

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.sink.data(chunk);
    const { settled, reply } = this.context;
    if (settled || this.bytes > BYTES_MAX || reply.meter?.usage() !== null) this.finish();
  }

  end(): void {
    this.sink.end();
    this.finish();
  }

  fail(error: OutboundError): void {
    this.sink.fail(error);
    this.finish();
  }

  private finish(): void {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.finished();
  }
}
