import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import type { StreamTap, StreamTranslator } from '@gw/providers';
import { errorEvent } from '../error-body';
import type { GatewayResponse } from '../../attempt/gateway-response';
import type { BodySink } from '../../core/upstream';
import { brokenResponse } from '../../attempt/broken-response';
import type { RequestContext } from '../../core/request-context';
import type { KeepAlive, KeptAlive } from '../keep-alive';
import type { Reply } from '../reply';
import { TapMeter } from '../tap-meter';
import { AfterEnd } from './after-end';

/**
 * Translates a provider's events into the client's dialect. The translator writes whole events
 * only.
 */
export class TranslatedStreamSink implements BodySink, KeptAlive {
  private readonly tap: StreamTap;
  lastWriteAt = 0;
  /** Reads bytes that follow the end mark. */
  private after: AfterEnd | null = null;

  constructor(
    private readonly context: RequestContext,
    private readonly reply: Reply,
    private readonly response: GatewayResponse,
    private readonly translator: StreamTranslator,
    private readonly keepAlive: KeepAlive,
  ) {
    this.tap = response.upstream.provider.tap();
    context.reply.meteredBy(new TapMeter(this.tap));
    context.reply.streams();
    keepAlive.add(this);
  }

  data(chunk: Buffer): void {
    if (this.after !== null) {
      this.after.data(chunk);
      return;
    }
    this.tap.write(chunk);
    const translated = this.translate(() => this.translator.write(chunk));
    if (translated === null || translated.length === 0) return;
    this.lastWriteAt = this.keepAlive.now;
    if (this.translator.complete || this.translator.failed) this.finish(translated);
    else this.reply.write(translated);
  }

  end(): void {
    this.keepAlive.delete(this);
    if (this.after !== null) {
      this.after.stop();
      return;
    }
    const rest = this.translate(() => this.translator.end());
    if (rest === null) return;
    if (this.translator.complete || this.translator.failed) {
      if (this.translator.failed) this.interrupted(null);
      this.reply.end(rest);
      return;
    }
    this.fail(new GatewayError('stream_interrupted'));
  }

  fail(error: OutboundError | GatewayError): void {
    this.keepAlive.delete(this);
    if (this.after !== null) {
      this.after.stop();
      return;
    }
    if (this.context.clientGone) {
      this.context.reply.clientLeft();
      this.reply.end(null);
      return;
    }
    const failure = this.interrupted(error);
    const { route, id } = this.context;
    this.reply.end(this.translator.failed ? null : errorEvent(failure, route.dialect, id, false));
  }

  beat(comment: Buffer): void {
    this.reply.beat(comment);
  }

  /**
   * Sends the end mark, or an error event instead: the client's response ends here, whatever the
   * provider sends afterwards.
   */
  private finish(last: Buffer): void {
    this.keepAlive.delete(this);
    if (this.translator.failed) this.interrupted(null);
    this.reply.end(last);
    this.after = new AfterEnd(this.response);
    this.after.begin();
  }

  private interrupted(error: OutboundError | GatewayError | null): GatewayError {
    const failure = failureOf(error);
    this.context.reply.cut(failure);
    return failure;
  }

  /**
   * Runs a step of the translation. Returns null when the provider's events could not be read; the
   * client has then received the error.
   */
  private translate(step: () => Buffer): Buffer | null {
    try {
      return step();
    } catch (cause) {
      this.fail(new GatewayError('provider_answer_invalid', { cause }));
      this.context.response?.call?.abort();
      return null;
    }
  }
}

function failureOf(error: OutboundError | GatewayError | null): GatewayError {
  if (error === null) return new GatewayError('stream_interrupted');
  return error instanceof GatewayError ? error : brokenResponse(error);
}
