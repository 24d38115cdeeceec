import type { Usage } from '@gw/contracts';
import { BYTES_PER_TOKEN } from '@gw/limits';
import { OutboundError } from '@gw/outbound';
import type { StreamTap, StreamTranslator } from '@gw/providers';
import { errorEvent } from '../error-body';
import { isPlainEvents, type GatewayResponse } from '../../attempt/gateway-response';
import { type BodySink } from '../../core/upstream';
import { translationContext } from '../../attempt/response-shape';
import { brokenResponse } from '../../attempt/broken-response';
import type { OpenStream } from '../../attempt/request-attempts';
import type { RequestContext } from '../../core/request-context';
import { NO_USAGE } from '../../usage/use';
import type { KeepAlive, KeptAlive } from '../keep-alive';
import type { Flow, Reply } from '../reply';
import { ChatSplice } from '../splice/chat-splice';
import { Events } from '../splice/events';
import { MessagesSplice } from '../splice/messages-splice';
import { isWholeEvent, type Splice } from '../splice/splice';
import { AfterEnd } from './after-end';
import { DONE_EVENT, hasFinished } from './end-mark';
import { HiddenUsage } from './hidden-usage';

/** Pauses the current response of the request, including one that replaces it later. */
export class ResponseFlow implements Flow {
  private paused = false;

  constructor(private readonly context: RequestContext) {}

  pause(): void {
    this.paused = true;
    this.context.response?.call?.pause();
  }

  resume(): void {
    this.paused = false;
    this.context.response?.call?.resume();
  }

  /** Pauses a new response of the request if the previous one was paused. */
  applyToNewResponse(): void {
    if (this.paused) this.pause();
  }
}

export interface ContinuableStreamParts {
  readonly context: RequestContext;
  readonly reply: Reply;
  readonly flow: ResponseFlow;
  readonly keepAlive: KeepAlive;
  /** Called when the client has disconnected. */
  readonly abandon: (context: RequestContext, response: GatewayResponse, sink: BodySink) => void;
}

/**
 * Sends a stream that another response continues if it breaks (`on_stream_failure: continue`). The
 * client receives whole events of a single response: one id, one beginning, one end. If nothing can
 * continue it, the client receives the same error as in any other stream.
 */
export class ContinuableStream implements KeptAlive {
  lastWriteAt = 0;
  private readonly splice: Splice;
  private part: Part | null = null;
  private complete = false;
  /** Reads bytes that follow the end mark. */
  private after: AfterEnd | null = null;
  private readonly isChat: boolean;

  constructor(private readonly parts: ContinuableStreamParts) {
    const { context, keepAlive } = parts;
    this.isChat = context.route.kind === 'chat.completions';
    this.splice = context.route.kind === 'messages' ? new MessagesSplice() : new ChatSplice();
    context.reply.streams();
    keepAlive.add(this);
  }

  /** Sends this response: the first one, or one that continues a broken one. */
  take(response: GatewayResponse): void {
    const { context } = this.parts;
    const part = new Part(this, response, readerOf(context, response));
    this.part = part;
    context.reply.meteredBy({
      usage: () => part.tap.usage(),
      model: () => part.tap.model,
      initialUsage: () => part.tap.begun(),
      usageMayFollow: () => part.tap.usageMayFollow,
    });
    const sink = context.attempts.pace === null ? part : context.attempts.pace.measured(part);
    context.whenClientGone({ clientGone: () => this.leave(response, sink) });
    response.attach(sink);
  }

  beat(comment: Buffer): void {
    this.parts.reply.beat(comment);
  }

  /** Sends whole events in the client's dialect. */
  pass(part: Part, events: readonly Buffer[]): void {
    if (this.after !== null) {
      for (const event of events) this.after.data(event);
      return;
    }
    this.parts.reply.gather(() => this.passOn(part, events));
  }

  private passOn(part: Part, events: readonly Buffer[]): void {
    for (const event of events) {
      if (part !== this.part || this.complete) return;
      const fitted = this.splice.event(event);
      if (this.splice.failed) {
        this.broken(part, new OutboundError('interrupted', 'The provider ended the stream with an error.'));
        return;
      }
      if (fitted === null) continue;
      this.lastWriteAt = this.parts.keepAlive.now;
      if (this.splice.complete) this.finish(fitted);
      else this.parts.reply.write(fitted);
    }
  }

  ended(part: Part): void {
    if (part !== this.part) return;
    const { context } = this.parts;
    if (this.complete) this.after?.stop();
    else if (this.isChat && hasFinished(context, part.response, part.tap)) this.finish(DONE_EVENT);
    else this.broken(part, new OutboundError('interrupted', 'The stream ended without its end mark.'));
  }

  broken(part: Part, error: OutboundError): void {
    if (part !== this.part) return;
    const { context, reply, keepAlive } = this.parts;
    if (this.complete) {
      this.after?.stop();
      return;
    }
    if (context.clientGone) {
      keepAlive.delete(this);
      context.reply.clientLeft();
      reply.end(null);
      return;
    }
    this.part = null;
    part.response.call?.abort();
    const { openStream } = context.attempts;
    const text = this.splice.partial();
    if (openStream === null || text === null) {
      openStream?.lost(error.message);
      this.giveUp(error);
      return;
    }
    openStream.continueFrom(text, error.message, () => this.continueWithNext(part, error, openStream));
  }

  private finish(last: Buffer): void {
    const { context, reply, keepAlive } = this.parts;
    this.complete = true;
    keepAlive.delete(this);
    context.attempts.openStream?.completed();
    reply.seal(last);
    reply.end(null);
    if (this.part === null) return;
    this.after = new AfterEnd(this.part.response);
    this.after.begin();
  }

  /** Continues with the next response, or gives up if there is none. */
  private continueWithNext(before: Part, error: OutboundError, stream: OpenStream): void {
    const { context, flow, reply, keepAlive } = this.parts;
    const { response } = context;
    if (context.clientGone) {
      keepAlive.delete(this);
      context.reply.clientLeft();
      reply.end(null);
    } else if (response === null || response === before.response) {
      this.giveUp(error);
    } else if (response.status >= 300 || !isPlainEvents(response)) {
      stream.refuse(response, before.response);
      this.giveUp(error);
    } else {
      this.noteUse(before);
      stream.drop(before.response);
      this.splice.continueWithNext(before.tap.usage() ?? before.tap.begun());
      flow.applyToNewResponse();
      this.take(response);
    }
  }

  /**
   * Records the usage of a broken part. Without reported usage it is estimated: its input, and one
   * output token per three bytes received.
   */
  private noteUse({ tap, response, bytes }: Part): void {
    const { context } = this.parts;
    const { upstream } = response;
    const reported = tap.usage();
    const usage = reported ?? usageOfCut(context.body.length, bytes, tap.begun());
    context.usage.addExtra({ upstream, model: tap.model, usage, isEstimate: reported === null });
  }

  private giveUp(error: OutboundError): void {
    const { context, reply, keepAlive } = this.parts;
    const { route, id } = context;
    keepAlive.delete(this);
    const failure = brokenResponse(error);
    context.reply.cut(failure);
    reply.end(errorEvent(failure, route.dialect, id, false));
  }

  private leave(response: GatewayResponse, sink: BodySink): void {
    const { context, keepAlive, abandon } = this.parts;
    this.part = null;
    keepAlive.delete(this);
    context.attempts.openStream?.clientLeft();
    abandon(context, response, sink);
  }
}

/** The stream of one response, in the provider's dialect. */
class Part implements BodySink {
  readonly tap: StreamTap;
  bytes = 0;
  private readonly events = new Events();

  constructor(
    private readonly stream: ContinuableStream,
    readonly response: GatewayResponse,
    private readonly reader: Reader,
  ) {
    this.tap = response.upstream.provider.tap();
  }

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.tap.write(chunk);
    this.pass(() => this.reader.write(chunk));
  }

  /** Some providers omit the blank line after their last event. */
  end(): void {
    this.pass(() => this.reader.end());
    if (isWholeEvent(this.events.rest())) this.pass(() => BLANK_LINE);
    this.stream.ended(this);
  }

  fail(error: OutboundError): void {
    this.stream.broken(this, error);
  }

  private pass(read: () => Buffer): void {
    try {
      const events = this.events.write(read());
      if (events === null) throw new OutboundError('interrupted', 'An event of the stream is too long.');
      this.stream.pass(this, events);
    } catch (cause) {
      const odd = new OutboundError('interrupted', 'The stream could not be read.', null, { cause });
      this.stream.broken(this, cause instanceof OutboundError ? cause : odd);
    }
  }
}

/** `begun` is the usage that the part reported at its start; its output count is incomplete. */
const usageOfCut = (requestBytes: number, bytes: number, begun: Usage | null): Usage => ({
  ...(begun ?? { ...NO_USAGE, inputTokens: Math.ceil(requestBytes / BYTES_PER_TOKEN) }),
  outputTokens: Math.ceil(bytes / BYTES_PER_TOKEN),
});

const BLANK_LINE = Buffer.from('\n\n');

/** Translates the provider's bytes into the client's dialect. */
type Reader = Pick<StreamTranslator, 'write' | 'end'>;

function readerOf(context: RequestContext, { upstream }: GatewayResponse): Reader {
  const { support } = upstream;
  if (support?.via === 'translated') return support.translator.stream(translationContext(context, upstream));
  if (!context.attempts.hidesUsage) return UNCHANGED;
  const hidden = new HiddenUsage();
  return { write: (chunk) => hidden.write(chunk), end: () => hidden.rest() };
}

const UNCHANGED: Reader = { write: (chunk) => chunk, end: () => Buffer.alloc(0) };
