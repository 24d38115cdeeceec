import type { OutboundError } from '@gw/outbound';
import type { GatewayResponse } from '../../attempt/gateway-response';
import type { BodySink } from '../../core/upstream';
import type { RequestContext } from '../../core/request-context';

/** How long a provider may take to say what a finished answer has used, and how much it may send, once the client has left. */
const WAIT_MS = 2_000;
const BYTES_MAX = 65_536;

/** Whether nothing but the usage of a stream is missing, so that it is worth to read on for it. */
export const lacksUsageOnly = ({ reply, settled }: RequestContext, answer: GatewayResponse): boolean =>
  !settled &&
  !answer.ended &&
  answer.error === null &&
  reply.meter?.finished?.() === true &&
  reply.meter.usage() === null;

/** Reads on, for a bounded time, for the usage of a finished answer whose client has left. */
export class LateUsage implements BodySink {
  private bytes = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly context: RequestContext,
    private readonly answer: GatewayResponse,
    private readonly sink: BodySink,
    /** Called once, when the usage is known or the wait is over. */
    private readonly over: () => void,
  ) {}

  begin(): void {
    this.context.reply.clientLeft();
    this.timer = setTimeout(() => {
      this.finish();
    }, WAIT_MS).unref();
    this.answer.attach(this);
    // It may be paused for a client that reads slowly.
    this.answer.call?.resume();
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
    this.over();
  }
}
