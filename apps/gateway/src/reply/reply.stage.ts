import { GatewayError, isObject, jsonSize, type JsonSize } from '@gw/kernel';
import {
  readResponse,
  type HeaderList,
  type ProviderError,
  type TranslationContext,
  type Translator,
} from '@gw/providers';
import { errorBody, isInDialect, providerErrorBody } from './error-body';
import { removeHeader, setHeader } from '../http/header-rules';
import { parseTranslated } from '../bodies/json-body';
import { RESPONSE_READ_WHOLE, assertResponseReadable, unreadableResponse } from '../bodies/read-whole';
import { BatchOutputMeter, outputOfBatch } from '../usage/batch-output';
import { isEventStream, isFramed, isPlainEvents, type GatewayResponse } from '../attempt/gateway-response';
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

/**
 * Maximum size in bytes of a response that must be read whole: an error on a built-in route, or a
 * response to translate.
 */
const WHOLE_BODY_MAX = 16 * 1_048_576;
/**
 * Minimum bytes of a response that are kept to find its usage; the log keeps only as many as its
 * own setting allows.
 */
const KEEP_BYTES_MIN = 1_048_576;

/** Sends the response to the client, in the client's dialect, and settles before its last byte. */
export class ReplyStage implements Stage {
  constructor(
    private readonly settle: Settle,
    private readonly keepAlive: KeepAlive,
    private readonly logBodyBytes: number,
    private readonly pricer: Pick<TargetPricer, 'price'>,
  ) {}

  run(context: RequestContext): void {
    // A rendered prompt or a stored response has been sent already, or the client was upgraded.
    if (context.reply.writer !== null || context.session !== null) return;
    const { response } = context;
    if (response === null || context.clientGone) {
      context.reply.clientLeft();
      this.settle(context, () => undefined);
      return;
    }
    const headers = responseHeaders(response);
    addGatewayHeaders(headers, context);
    if (context.attempts.openStream !== null) {
      this.sendContinuable(context, response, headers);
      return;
    }
    const reply = this.replyTo(context, response, response.call);
    const sink = this.sinkFor(context, response, reply, headers);
    const { pace } = context.attempts;
    const paced = pace === null ? sink : pace.measured(sink);
    response.attach(paced);
    context.whenClientGone(new Leaving(context, response, paced, this.settle));
  }

  /** Sends a stream that another response may continue. */
  private sendContinuable(context: RequestContext, response: GatewayResponse, headers: HeaderList): void {
    const { keepAlive } = this;
    const flow = new ResponseFlow(context);
    const reply = this.replyTo(context, response, flow);
    removeHeader(headers, 'content-length');
    reply.start(response.status, headers);
    const abandon = (left: RequestContext, last: GatewayResponse, sink: BodySink): void =>
      new Leaving(left, last, sink, this.settle).clientGone();
    new ContinuableStream({ context, reply, flow, keepAlive, abandon }).take(response);
  }

  private replyTo(context: RequestContext, response: GatewayResponse, flow: Flow | null): Reply {
    const keepBytes = this.keepBytesFor(context, response);
    const { guarded } = response;
    return guarded instanceof GuardedStream || guarded instanceof WatchedResponse
      ? guarded.reply(context, this.settle, flow, keepBytes)
      : new Reply(context, this.settle, flow, keepBytes);
  }

  /**
   * Returns the number of bytes to keep of a response. A tap reads the usage of plain events while
   * they are forwarded, so only the log needs the bytes of a stream.
   */
  private keepBytesFor({ principal, gw }: RequestContext, response: GatewayResponse): number {
    if (!isPlainEvents(response)) return Math.max(this.logBodyBytes, KEEP_BYTES_MIN);
    return principal?.logBodies === true && gw.logBodies ? this.logBodyBytes : 0;
  }

  /** Sends an error of the gateway itself, in the client's dialect. */
  fail(context: RequestContext, error: GatewayError): void {
    context.reply.fail(error);
    const reply = new Reply(context, this.settle, null, KEEP_BYTES_MIN);
    reply.start(error.status, errorHeaders(error, context));
    reply.end(errorBody(error, context.route.dialect, context.id));
  }

  drop(context: RequestContext, error: GatewayError): void {
    context.reply.brokenBy(error);
    this.settle(context, () => context.res.destroy());
  }

  private sinkFor(
    context: RequestContext,
    response: GatewayResponse,
    reply: Reply,
    headers: HeaderList,
  ): BodySink {
    const { support } = response.upstream;
    if (response.guarded instanceof JudgedBody)
      return response.guarded.sink(context, reply, response.status, headers);
    if (support && response.status >= 400) return this.errorSink(context, response, reply, headers);
    if (support?.via === 'translated')
      return this.translatedSink(context, response, reply, headers, support.translator);
    if (response.status >= 400) return passedError(context, response, reply, headers);
    const isEvents = isPlainEvents(response);
    // Comments, a final error event or removed usage change the length that the provider announced.
    if (isEvents && support) removeHeader(headers, 'content-length');
    reply.start(response.status, headers);
    return isEvents
      ? new EventStreamSink(context, reply, response, this.keepAlive)
      : new PassingSink(context, reply, response, this.outputMeter(context, response));
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
    response: GatewayResponse,
    reply: Reply,
    headers: HeaderList,
    translator: Translator,
  ): BodySink {
    removeHeader(headers, 'content-length');
    removeHeader(headers, 'content-encoding');
    const translation = translationContext(context, response.upstream);
    if (!isEventStream(response))
      return translatedBody(context, response, reply, headers, translator, translation);
    // A provider's stream may be in another framing.
    if (isFramed(response)) setHeader(headers, 'content-type', 'text/event-stream');
    reply.start(response.status, headers);
    const stream = translator.stream(translation);
    const sink = new TranslatedStreamSink(context, reply, response, stream, this.keepAlive);
    return isPlainEvents(response) ? sink : decodedFor(sink, response);
  }

  private errorSink(
    context: RequestContext,
    response: GatewayResponse,
    reply: Reply,
    headers: HeaderList,
  ): BodySink {
    context.reply.providerFailed();
    const { provider } = response.upstream;
    return new WholeBodySink(response, KEEP_BYTES_MIN, (received, failure) => {
      context.reply.meteredBy(meterOf(response, received));
      const body = received && withoutCredential(received, response.upstream);
      const original = body === null ? null : readable(body);
      // An error that is already in the client's dialect stays unchanged.
      const same = isObject(original) && isInDialect(context.route.dialect, original);
      const bytes = same
        ? (body as Buffer)
        : providerErrorBody(isObject(original) ? provider.error(original) : errorOf(failure), original, {
            status: response.status,
            provider: provider.id,
            requestId: context.id,
            dialect: context.route.dialect,
          });
      removeHeader(headers, 'content-length');
      removeHeader(headers, 'content-encoding');
      setHeader(headers, 'content-type', 'application/json; charset=utf-8');
      reply.start(response.status, headers);
      reply.end(bytes);
    });
  }
}

/** Ends a reply whose client disconnects during the response. */
class Leaving implements LeaveListener {
  constructor(
    private readonly context: RequestContext,
    private readonly response: GatewayResponse,
    private readonly sink: BodySink,
    private readonly settle: Settle,
  ) {}

  clientGone(): void {
    const { context, response, sink } = this;
    if (!lacksUsageOnly(context, response)) this.abandon();
    else new LateUsage(context, response, sink, () => this.abandon()).begin();
  }

  private abandon(): void {
    const { context, response } = this;
    response.call?.abort();
    if (context.settled) return;
    context.reply.clientLeft();
    this.settle(context, () => undefined);
  }
}

/**
 * Forwards a passthrough error unchanged, except that it is decoded and a credential in it is
 * masked.
 */
function passedError(
  context: RequestContext,
  response: GatewayResponse,
  reply: Reply,
  headers: HeaderList,
): BodySink {
  const { upstream, status } = response;
  if (context.method === 'HEAD' || !mayRepeatCredential(upstream)) {
    reply.start(status, headers);
    return new PassingSink(context, reply, response);
  }
  return new WholeBodySink(response, KEEP_BYTES_MIN, (received, failure) => {
    context.reply.meteredBy(meterOf(response, received));
    removeHeader(headers, 'content-length');
    removeHeader(headers, 'content-encoding');
    if (received === null) setHeader(headers, 'content-type', 'application/json; charset=utf-8');
    if (response.error !== null) context.reply.cut(failure);
    reply.start(status, headers);
    reply.end(
      received === null
        ? providerErrorBody(errorOf(failure), null, {
            status: response.status,
            provider: upstream.provider.id,
            requestId: context.id,
            dialect: context.route.dialect,
          })
        : withoutCredential(received, upstream),
    );
  });
}

/**
 * Reads the usage that an error response reports, which is charged for a final error as for a
 * retried one; null when there is no body.
 */
function meterOf({ upstream }: GatewayResponse, body: Buffer | null): Meter | null {
  if (body === null) return null;
  const { usage, model } = readResponse(upstream.provider, body);
  return { usage: () => usage, model: () => model };
}

/** The error to send instead of one that could not be read. */
const errorOf = (failure: GatewayError | null): ProviderError | null =>
  failure === null ? null : { message: failure.message, type: null, code: null };

/**
 * Decodes an encoded stream as a whole; the gateway did not request the encoding, so this is rare.
 */
const decodedFor = (sink: TranslatedStreamSink, response: GatewayResponse): BodySink =>
  new WholeBodySink(response, WHOLE_BODY_MAX, (body, failure) => {
    if (body === null) sink.fail(failure ?? new GatewayError('provider_answer_invalid'));
    else {
      sink.data(body);
      sink.end();
    }
  });

function translatedBody(
  context: RequestContext,
  response: GatewayResponse,
  reply: Reply,
  headers: HeaderList,
  translator: Translator,
  translation: TranslationContext,
): BodySink {
  const { provider } = response.upstream;
  return new WholeBodySink(response, WHOLE_BODY_MAX, (body, failure) => {
    try {
      if (body === null) throw failure ?? new GatewayError('provider_answer_invalid');
      const parsed = parseTranslated(translator, body);
      context.reply.meteredBy({
        usage: () => provider.usage(parsed),
        model: () => stringOf(parsed['model']),
      });
      const translated = translator.response(parsed, translation);
      setHeader(headers, 'content-type', 'application/json; charset=utf-8');
      reply.start(response.status, headers);
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

/** Maximum nesting of an error body that is written again, which JSON does by recursion. */
const ERROR_DEPTH_MAX = 64;

const isTooDeep = ({ depth }: JsonSize): boolean => depth > ERROR_DEPTH_MAX;

/**
 * Parses a provider's error body as JSON. Returns its text, up to 4 KiB, if it is not JSON or is
 * nested too deeply.
 */
function readable(body: Buffer): unknown {
  try {
    if (isTooDeep(jsonSize(body, isTooDeep))) return body.toString('utf8', 0, 4_096);
    assertResponseReadable(body, RESPONSE_READ_WHOLE);
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return body.toString('utf8', 0, 4_096);
  }
}
