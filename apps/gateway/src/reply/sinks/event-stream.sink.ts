import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import type { StreamTap } from '@gw/providers';
import { errorEvent } from '../error-body';
import type { GatewayResponse } from '../../attempt/gateway-response';
import type { BodySink } from '../../core/upstream';
import { brokenResponse } from '../../attempt/broken-response';
import type { RequestContext } from '../../core/request-context';
import type { KeepAlive, KeptAlive } from '../keep-alive';
import type { Reply } from '../reply';
import { TapMeter } from '../tap-meter';
import { isWholeEvent } from '../splice/splice';
import { AfterEnd } from './after-end';
import { endsAtMarker, hasFinished, missingMark } from './end-mark';
import { HiddenUsage } from './hidden-usage';
import { WholeEvents } from './whole-events';

/**
 * Forwards server-sent events, while a tap reads usage and the end mark. On a built-in route the
 * client receives whole events, and its response ends with the end mark; a stream that ends early
 * gets a terminal error event and no end mark. On passthrough the bytes are forwarded as they
 * arrive, nothing is added, and a broken stream breaks the response.
 */
export class EventStreamSink implements BodySink, KeptAlive {
  private readonly tap: StreamTap;
  /** Null on passthrough. */
  private readonly events: WholeEvents | null;
  private complete = false;
  lastWriteAt = 0;
  /** Reads bytes that follow the end mark, after the client's response has ended there. */
  private after: AfterEnd | null = null;

  constructor(
    private readonly context: RequestContext,
    private readonly reply: Reply,
    private readonly response: GatewayResponse,
    private readonly keepAlive: KeepAlive,
  ) {
    this.tap = response.upstream.provider.tap();
    const isBuiltIn = context.route.kind !== 'passthrough';
    this.events = isBuiltIn ? (context.attempts.hidesUsage ? new HiddenUsage() : new WholeEvents()) : null;
    context.reply.meteredBy(new TapMeter(this.tap));
    context.reply.streams();
    if (isBuiltIn) keepAlive.add(this);
  }

  data(bytes: Buffer): void {
    if (this.after !== null) {
      this.after.data(bytes);
      return;
    }
    this.tap.write(bytes);
    const chunk = this.events === null ? bytes : this.events.write(bytes);
    if (!this.tap.complete || this.complete) {
      if (chunk.length === 0) return;
      this.lastWriteAt = this.keepAlive.now;
      this.reply.write(chunk);
      return;
    }
    this.complete = true;
    this.keepAlive.delete(this);
    if (this.tap.failed) this.context.reply.cut(null);
    // The mark itself may arrive without its blank line.
    this.reply.seal(Buffer.concat([chunk, this.rest()]));
    if (this.events === null || !endsAtMarker(this.context)) return;
    this.reply.end(null);
    this.after = new AfterEnd(this.response);
    this.after.begin();
  }

  end(): void {
    if (this.isOver()) return;
    this.reply.write(this.rest());
    if (hasFinished(this.context, this.response, this.tap) && !this.tap.failed) {
      this.reply.end(this.events === null ? null : missingMark(this.context));
      return;
    }
    const failure = new GatewayError('stream_interrupted');
    this.context.reply.cut(failure);
    this.reply.end(this.events !== null && !this.tap.failed ? this.terminalEvent(failure) : null);
  }

  fail(error: OutboundError): void {
    if (this.isOver()) return;
    if (this.context.clientGone) {
      this.context.reply.clientLeft();
      this.reply.end(null);
      return;
    }
    this.reply.write(this.rest());
    const failure = brokenResponse(error);
    this.context.reply.cut(failure);
    if (this.events !== null) this.reply.end(this.terminalEvent(failure));
    else this.reply.break();
  }

  /** Writes a comment between events; inside an event it would corrupt the event. */
  beat(comment: Buffer): void {
    if (this.events?.isInsideEvent !== true) this.reply.beat(comment);
  }

  /**
   * Stops the timers and returns whether the response had its end mark; later events do not change
   * it then.
   */
  private isOver(): boolean {
    this.keepAlive.delete(this);
    this.after?.stop();
    if (this.complete) this.reply.end(null);
    return this.complete;
  }

  /**
   * Returns the held event if only its blank line is missing, and otherwise an empty buffer: a
   * partial event is not forwarded.
   */
  private rest(): Buffer {
    const rest = this.events?.rest() ?? EMPTY;
    return isWholeEvent(rest) ? Buffer.concat([rest, BLANK_LINE]) : EMPTY;
  }

  private terminalEvent(error: GatewayError): Buffer {
    const { route, id } = this.context;
    return errorEvent(error, route.dialect, id, this.events?.isInsideEvent === true);
  }
}

const EMPTY = Buffer.alloc(0);
const BLANK_LINE = Buffer.from('\n\n');
