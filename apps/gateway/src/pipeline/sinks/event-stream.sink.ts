import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import type { StreamTap } from '@gw/providers';
import { errorEvent } from '../../http/error-body';
import type { Answer, BodySink } from '../answer';
import type { Exchange } from '../exchange';
import type { KeepAlive, KeptAlive } from '../keep-alive';
import type { Reply } from '../reply';
import { HiddenUsage } from './hidden-usage';

/**
 * Passes server-sent events on as bytes, while a tap looks for usage and the end mark. On a built-in route a stream that ends
 * early gets a terminal error event and no end mark; on passthrough nothing is added, and a broken one is broken here too.
 */
export class EventStreamSink implements BodySink, KeptAlive {
  private readonly tap: StreamTap;
  private readonly hidden: HiddenUsage | null;
  private complete = false;
  lastWriteAt = 0;
  private lastChunk: Buffer | null = null;

  constructor(
    private readonly exchange: Exchange,
    private readonly reply: Reply,
    answer: Answer,
    private readonly keepAlive: KeepAlive,
  ) {
    this.tap = answer.upstream.provider.tap();
    this.hidden = exchange.hidesUsage ? new HiddenUsage() : null;
    const { tap } = this;
    exchange.meter = { usage: () => tap.usage(), model: () => tap.model };
    exchange.streamed = true;
    if (this.isBuiltIn()) keepAlive.add(this);
  }

  data(bytes: Buffer): void {
    this.tap.write(bytes);
    const chunk = this.hidden === null ? bytes : this.hidden.write(bytes);
    this.lastChunk = chunk;
    this.lastWriteAt = this.keepAlive.now;
    if (!this.tap.complete || this.complete) {
      this.reply.write(chunk);
      return;
    }
    this.complete = true;
    this.keepAlive.delete(this);
    if (this.tap.failed) this.exchange.outcome = 'interrupted';
    this.reply.seal(chunk);
  }

  end(): void {
    this.keepAlive.delete(this);
    this.release();
    if (this.complete) {
      this.reply.end(null);
      return;
    }
    this.exchange.outcome = 'interrupted';
    this.exchange.failure = new GatewayError('stream_interrupted');
    this.reply.end(this.isBuiltIn() && !this.tap.failed ? this.terminalEvent(this.exchange.failure) : null);
  }

  fail(error: OutboundError): void {
    this.keepAlive.delete(this);
    this.release();
    if (this.complete) {
      this.reply.end(null);
      return;
    }
    if (this.exchange.clientGone) {
      this.exchange.outcome = 'client_closed';
      this.reply.end(null);
      return;
    }
    this.exchange.outcome = 'interrupted';
    this.exchange.failure =
      error.failure === 'timeout'
        ? new GatewayError('provider_timeout', { cause: error })
        : new GatewayError('stream_interrupted', { cause: error });
    if (this.isBuiltIn()) this.reply.end(this.terminalEvent(this.exchange.failure));
    else this.reply.break();
  }

  /** A comment between events; inside one it would break it. */
  beat(comment: Buffer): void {
    if (!this.isInsideEvent()) this.reply.write(comment);
  }

  /** What was kept back of an event that will not be whole. */
  private release(): void {
    if (this.hidden) this.reply.write(this.hidden.flush());
  }

  private isBuiltIn(): boolean {
    return this.exchange.route.kind !== 'passthrough';
  }

  private terminalEvent(error: GatewayError): Buffer {
    const { route, id } = this.exchange;
    return errorEvent(error, route.dialect, id, this.isInsideEvent());
  }

  private isInsideEvent(): boolean {
    if (this.hidden) return this.hidden.isInsideEvent;
    const chunk = this.lastChunk;
    if (chunk === null) return false;
    const tail = chunk.toString('latin1', Math.max(0, chunk.length - 4));
    return !(tail.endsWith('\n\n') || tail.endsWith('\r\n\r\n') || tail.endsWith('\r\r'));
  }
}
