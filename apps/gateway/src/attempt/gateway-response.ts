import { handlerThrew, OutboundError, type OutboundCall, type OutboundHandler } from '@gw/outbound';
import { AWS_EVENTS, isEventStream as declaresEvents } from '@gw/cache';
import type { CacheUse } from '../cache/cache-use';
import { contentTypeOf, valueOf } from '../http/header-rules';
import { maskFor } from '../credentials/credential-echo';
import type { CredentialMask } from '../credentials/credential-mask';
import { redirectError } from './redirects';
import type { Guard } from '../core/faults';
import type { BodySink, Upstream } from '../core/upstream';

/** Called once, with the head of the response or with the error that replaces it. */
export interface HeadListener {
  responded(response: GatewayResponse): void;
}

/** Called once with the result of an attempt, never before `send` has returned. */
export interface AttemptListener extends HeadListener {
  /**
   * A call is in flight, and aborting `response` ends it. Called again for each call of an attempt
   * that makes several.
   */
  callStarted(response: GatewayResponse): void;
  /** True when the call must not be shared with identical requests. */
  readonly isApart?: boolean;
  /** The attempt could not be made; `thrown` is the reason. */
  refused(thrown: unknown): void;
}

/** A response after its guardrails: read whole, or judged while it is forwarded. */
export type GuardedResponse = { readonly kind: 'body'; readonly bytes: Buffer } | { readonly kind: 'stream' };

/**
 * A provider's response while it arrives. Chunks that arrive before a sink is attached are kept.
 * They are at most the bytes that one turn of the event loop delivers, because the plan decides as
 * soon as the status line or the first event arrives.
 */
export class GatewayResponse implements OutboundHandler {
  status = 0;
  headers: readonly string[] = NO_HEADERS;
  ended = false;
  error: OutboundError | null = null;
  call: OutboundCall | null = null;
  /** Cache use of the attempt; null when the target has no cache. */
  cache: CacheUse | null = null;
  /** The response after its guardrails; null when no guardrail judged it. */
  guarded: GuardedResponse | null = null;
  private sink: BodySink | null = null;
  /**
   * Masks the credential while the response is forwarded; null when there is none to mask. Error
   * responses are read whole instead.
   */
  private mask: CredentialMask | null = null;
  private kept: Buffer[] | null = null;

  constructor(
    readonly upstream: Upstream,
    private readonly listener: HeadListener,
    /** The request for which the response arrives. */
    private readonly context: Guard,
  ) {}

  /** Runs work that the response has to wait for; see `RequestContext.guard`. */
  guard(work: () => unknown): void {
    this.context.guard(work);
  }

  onHeaders(status: number, headers: readonly string[]): void {
    this.guard(() => this.begin(status, headers));
  }

  private begin(status: number, headers: readonly string[]): void {
    const redirect = redirectError(status);
    if (redirect !== null) {
      this.onError(redirect);
      this.call?.abort();
      return;
    }
    this.status = status;
    this.headers = headers;
    if (status < 400 && isPlain(headers)) this.mask = maskFor(this.upstream);
    this.listener.responded(this);
  }

  /** An exception of a receiver ends the response as if its provider had broken it off. */
  onData(chunk: Buffer): void {
    try {
      const { mask } = this;
      if (mask === null) this.deliver(chunk);
      else {
        const passed = mask.pass(chunk);
        if (passed.length > 0) this.deliver(passed);
      }
    } catch (thrown) {
      if (!(thrown instanceof OutboundError)) this.context.report(thrown);
      this.onError(handlerThrew(thrown));
      this.call?.abort();
    }
  }

  private deliver(chunk: Buffer): void {
    if (this.sink) this.sink.data(chunk);
    else if (this.kept) this.kept.push(chunk);
    else this.kept = [chunk];
  }

  /** Passes on the bytes that the mask held back. */
  private deliverRest(): void {
    const rest = this.mask?.rest() ?? null;
    if (rest !== null) this.deliver(rest);
  }

  onEnd(): void {
    this.guard(() => {
      this.deliverRest();
      this.ended = true;
      this.sink?.end();
    });
  }

  onError(error: OutboundError): void {
    // Ignores the abort that follows a refused redirect or a throw.
    if (this.error !== null) return;
    this.error = error;
    this.guard(() => {
      this.deliverRest();
      if (this.status === 0) this.listener.responded(this);
      else this.sink?.fail(error);
    });
  }

  clientGone(): void {
    this.call?.abort();
  }

  attach(sink: BodySink): void {
    this.sink = sink;
    const kept = this.kept;
    this.kept = null;
    if (kept) for (const chunk of kept) sink.data(chunk);
    if (this.ended) sink.end();
    else if (this.error) sink.fail(this.error);
  }

  /** Removes the sink; the next sink receives `pieces` first. */
  detach(pieces: Buffer[]): void {
    this.sink = null;
    this.kept = pieces;
  }

  /**
   * Attaches a reader for a response that does not go to the client; the reader may end the call.
   */
  discard(reader: BodySink): void {
    this.attach(reader);
  }
}

/**
 * Whether a response is a stream of events: server-sent events, AWS event-stream frames, or JSON
 * lines that the gateway translates.
 */
export const isEventStream = (response: GatewayResponse): boolean =>
  declaresEvents(response.headers) || isInLines(response);

/**
 * Whether a response consists of JSON lines that the gateway translates; it forwards any other body
 * of this type unchanged.
 */
const isInLines = ({ headers, upstream }: GatewayResponse): boolean =>
  upstream.support?.via === 'translated' &&
  contentTypeOf(headers)?.startsWith('application/x-ndjson') === true;

/** Whether a stream separates its events by something other than blank lines. */
export const isFramed = (response: GatewayResponse): boolean =>
  contentTypeOf(response.headers)?.startsWith(AWS_EVENTS) === true || isInLines(response);

/** Whether a response is an event stream without a content encoding. */
export const isPlainEvents = (response: GatewayResponse): boolean =>
  isEventStream(response) && valueOf(response.headers, 'content-encoding') === undefined;

const isPlain = (headers: readonly string[]): boolean => {
  const coding = valueOf(headers, 'content-encoding');
  return coding === undefined || coding.toLowerCase() === 'identity';
};

const NO_HEADERS: readonly string[] = [];
