import { GatewayError, isObject } from '@gw/kernel';
import {
  readResponse,
  type HeaderList,
  type ProviderError,
  type TranslationContext,
  type Translator,
} from '@gw/providers';
import { errorBody, providerErrorBody } from './error-body';
import { removeHeader, setHeader } from '../http/header-rules';
import { parseExactResponse } from '../bodies/json-body';
import { RESPONSE_READ_WHOLE, assertResponseReadable, unreadableResponse } from '../bodies/read-whole';
import { BatchOutputMeter, outputOfBatch } from '../usage/batch-output';
import { isEventStream, isPlainEvents, type GatewayResponse } from '../attempt/gateway-response';
import { type BodySink } from '../core/upstream';
import { addGatewayHeaders, errorHeaders } from './response-headers';
import { translationContext } from '../attempt/response-shape';
import { responseHeaders, mayRepeatCredential, withoutCredential } from '../credentials/credential-echo';
import type { LeaveListener, RequestContext, Stage } from '../core/request-context';
import { GuardedStream } from '../guardrails/streams/guarded-stream';
import { JudgedBody } from '../guardrails/judged-body';
import { WatchedResponse } from '../guardrails/streams/watched-response';
import type { KeepAlive } from './keep-alive';
import { Reply, type Flow, type Settle } from './reply';
import { ResponseFlow, ContinuableStream } from './sinks/continuable-stream.sink';
import { linePricer } from '../usage/pricing';
import type { Meter } from './request-reply';
import { type TargetPricer } from '../usage/use';
import { EventStreamSink } from './sinks/event-stream.sink';
import { lacksUsageOnly, LateUsage } from './sinks/late-usage';
import { PassingSink } from './sinks/passing.sink';
import { TranslatedStreamSink } from './sinks/translated-stream.sink';
import { WholeBodySink } from './sinks/whole-body.sink';

/** Bytes of an answer that has to be read whole: an error of a built-in route, an answer to translate. */
const WHOLE_BODY_MAX = 16 * 1_048_576;
/** Bytes of an answer that usage is looked for in; the log keeps no more than its own setting of them. */
const KEEP_BYTES_MIN = 1_048_576;

/** Hands the answer to the client, in the client's dialect, and settles before its last byte. */
export class ReplyStage implements Stage {
  constructor(
    private readonly settle: Settle,
    private readonly keepAlive: KeepAlive,
    private readonly logBodyBytes: number,
    private readonly pricer: Pick<TargetPricer, 'price'>,
  ) {}

  run(context: RequestContext): void {
    // A rendered prompt or a stored response has been the reply, or the client was upgraded.
    if (context.reply.writer !== null || context.session !== null) return;
    const { answer } = context;
    if (answer === null || context.clientGone) {
      context.reply.clientLeft();
      this.settle(context, () => undefined);
      return;
    }
    const headers = responseHeaders(answer);
    addGatewayHeaders(headers, context);
    if (context.attempts.openStream !== null) {
      this.handOn(context, answer, headers);
      return;
    }
    const reply = this.replyTo(context, answer, answer.call);
    const sink = this.sinkFor(context, answer, reply, headers);
    const { pace } = context.attempts;
    const paced = pace === null ? sink : pace.through(sink);
    answer.attach(paced);
    context.whenClientGone(new Leaving(context, answer, paced, this.settle));
  }

  /** A stream that another answer may go on with. */
  private handOn(context: RequestContext, answer: GatewayResponse, headers: HeaderList): void {
    const { keepAlive } = this;
    const flow = new ResponseFlow(context);
    const reply = this.replyTo(context, answer, flow);
    removeHeader(headers, 'content-length');
    reply.start(answer.status, headers);
    const abandon = (left: RequestContext, last: GatewayResponse, sink: BodySink): void =>
      new Leaving(left, last, sink, this.settle).clientGone();
    new ContinuableStream({ context, reply, flow, keepAlive, abandon }).take(answer);
  }

  private replyTo(context: RequestContext, answer: GatewayResponse, flow: Flow | null): Reply {
    const keepBytes = this.keepBytesFor(context, answer);
    const { guarded } = answer;
    return guarded instanceof GuardedStream || guarded instanceof WatchedResponse
      ? guarded.reply(context, this.settle, flow, keepBytes)
      : new Reply(context, this.settle, flow, keepBytes);
  }

  /** A tap reads the usage of plain events as they go by, so a long stream keeps what the log wants and no more. */
  private keepBytesFor({ principal, gw }: RequestContext, answer: GatewayResponse): number {
    if (!isPlainEvents(answer)) return Math.max(this.logBodyBytes, KEEP_BYTES_MIN);
    return principal?.logBodies === true && gw.logBodies ? this.logBodyBytes : 0;
  }

  /** An error of the gateway itself, in the client's dialect. */
  fail(context: RequestContext, error: GatewayError): void {
    context.reply.fail(error);
    const reply = new Reply(context, this.settle, null, KEEP_BYTES_MIN);
    reply.start(error.status, errorHeaders(error, context));
    reply.end(errorBody(error, context.route.dialect, context.id));
  }

  private sinkFor(
    context: RequestContext,
    answer: GatewayResponse,
    reply: Reply,
    headers: HeaderList,
  ): BodySink {
    const { support } = answer.upstream;
    if (answer.guarded instanceof JudgedBody)
      return answer.guarded.sink(context, reply, answer.status, headers);
    if (support && answer.status >= 400) return this.errorSink(context, answer, reply, headers);
    if (support?.via === 'translated')
      return this.translatedSink(context, answer, reply, headers, support.translator);
    if (answer.status >= 400) return passedError(context, answer, reply, headers);
    const isEvents = isPlainEvents(answer);
    // Comments, an error event at its end, or usage that is left out make it another length than the provider's.
    if (isEvents && support) removeHeader(headers, 'content-length');
    reply.start(answer.status, headers);
    return isEvents
      ? new EventStreamSink(context, reply, answer, this.keepAlive)
      : new PassingSink(context, reply, answer, this.outputMeter(context, answer));
  }

  private outputMeter(
    context: RequestContext,
    { upstream, status }: GatewayResponse,
  ): BatchOutputMeter | null {
    const { method, startedWallMs } = context;
    if (method !== 'GET' || status >= 300 || outputOfBatch(context) === null) return null;
    return new BatchOutputMeter(upstream.provider, linePricer(this.pricer, upstream, startedWallMs));
  }

  private translatedSink(
    context: RequestContext,
    answer: GatewayResponse,
    reply: Reply,
    headers: HeaderList,
    translator: Translator,
  ): BodySink {
    removeHeader(headers, 'content-length');
    removeHeader(headers, 'content-encoding');
    const translation = translationContext(context, answer.upstream);
    if (!isEventStream(answer))
      return translatedBody(context, answer, reply, headers, translator, translation);
    reply.start(answer.status, headers);
    const stream = translator.stream(translation);
    const sink = new TranslatedStreamSink(context, reply, answer, stream, this.keepAlive);
    return isPlainEvents(answer) ? sink : decodedFor(sink, answer);
  }

  private errorSink(
    context: RequestContext,
    answer: GatewayResponse,
    reply: Reply,
    headers: HeaderList,
  ): BodySink {
    context.reply.providerFailed();
    const { provider } = answer.upstream;
    return new WholeBodySink(answer, KEEP_BYTES_MIN, (received, failure) => {
      context.reply.meteredBy(meterOf(answer, received));
      const body = received && withoutCredential(received, answer.upstream);
      const original = body === null ? null : readable(body);
      // An error that is already in the client's dialect needs no other shape.
      const same =
        context.route.dialect === 'anthropic' && isObject(original) && original['type'] === 'error';
      const bytes = same
        ? (body as Buffer)
        : providerErrorBody(
            isObject(original) ? provider.error(original) : errorOf(failure),
            original,
            provider.id,
            context.id,
          );
      removeHeader(headers, 'content-length');
      removeHeader(headers, 'content-encoding');
      setHeader(headers, 'content-type', 'application/json; charset=utf-8');
      reply.start(answer.status, headers);
      reply.end(bytes);
    });
  }
}

/** Ends a reply whose client leaves while the response is on its way. */
class Leaving implements LeaveListener {
  constructor(
    private readonly context: RequestContext,
    private readonly answer: GatewayResponse,
    private readonly sink: BodySink,
    private readonly settle: Settle,
  ) {}

  clientGone(): void {
    const { context, answer, sink } = this;
    if (!lacksUsageOnly(context, answer)) this.abandon();
    else new LateUsage(context, answer, sink, () => this.abandon()).begin();
  }

  private abandon(): void {
    const { context, answer } = this;
    answer.call?.abort();
    if (context.settled) return;
    context.reply.clientLeft();
    this.settle(context, () => undefined);
  }
}

/** An error of passthrough, as it came but for its coding and for the credential that the provider was sent. */
function passedError(
  context: RequestContext,
  answer: GatewayResponse,
  reply: Reply,
  headers: HeaderList,
): BodySink {
  const { upstream, status } = answer;
  if (context.method === 'HEAD' || !mayRepeatCredential(upstream)) {
    reply.start(status, headers);
    return new PassingSink(context, reply, answer);
  }
  return new WholeBodySink(answer, KEEP_BYTES_MIN, (received, failure) => {
    context.reply.meteredBy(meterOf(answer, received));
    removeHeader(headers, 'content-length');
    removeHeader(headers, 'content-encoding');
    if (received === null) setHeader(headers, 'content-type', 'application/json; charset=utf-8');
    if (answer.error !== null) context.reply.cut(failure);
    reply.start(status, headers);
    reply.end(
      received === null
        ? providerErrorBody(errorOf(failure), null, upstream.provider.id, context.id)
        : withoutCredential(received, upstream),
    );
  });
}

/** An error may report a use: it is charged whether it is the last answer or one that was tried again. */
function meterOf({ upstream }: GatewayResponse, body: Buffer | null): Meter | null {
  if (body === null) return null;
  const { usage, model } = readResponse(upstream.provider, body);
  return { usage: () => usage, model: () => model };
}

/** What takes the place of an error that could not be read. */
const errorOf = (failure: GatewayError | null): ProviderError | null =>
  failure === null ? null : { message: failure.message, type: null, code: null };

/** A stream with a coding, which is not asked for, is undone of it as a whole. */
const decodedFor = (sink: TranslatedStreamSink, answer: GatewayResponse): BodySink =>
  new WholeBodySink(answer, WHOLE_BODY_MAX, (body, failure) => {
    if (body === null) sink.fail(failure ?? new GatewayError('provider_answer_invalid'));
    else {
      sink.data(body);
      sink.end();
    }
  });

function translatedBody(
  context: RequestContext,
  answer: GatewayResponse,
  reply: Reply,
  headers: HeaderList,
  translator: Translator,
  translation: TranslationContext,
): BodySink {
  const { provider } = answer.upstream;
  return new WholeBodySink(answer, WHOLE_BODY_MAX, (body, failure) => {
    try {
      if (body === null) throw failure ?? new GatewayError('provider_answer_invalid');
      const parsed = parseExactResponse(body);
      context.reply.meteredBy({
        usage: () => provider.usage(parsed),
        model: () => stringOf(parsed['model']),
      });
      const translated = translator.response(parsed, translation);
      setHeader(headers, 'content-type', 'application/json; charset=utf-8');
      reply.start(answer.status, headers);
      reply.end(Buffer.from(JSON.stringify(translated)));
    } catch (cause) {
      const error = failure ?? unreadableResponse(provider.id, cause);
      context.reply.fail(error);
      reply.start(error.status, errorHeaders(error, context));
      reply.end(errorBody(error, context.route.dialect, context.id));
    }
  });
}

const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A provider's error body as JSON, else as text of at most 4 KiB. */
function readable(body: Buffer): unknown {
  try {
    assertResponseReadable(body, RESPONSE_READ_WHOLE);
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return body.toString('utf8', 0, 4_096);
  }
}
