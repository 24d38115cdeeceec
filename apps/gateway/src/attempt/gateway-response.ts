import type { OutboundCall, OutboundError, OutboundHandler } from '@gw/outbound';
import type { CacheUse } from '../cache/cache-use';
import { valueOf } from '../http/header-rules';
import { maskFor } from '../credentials/credential-echo';
import type { CredentialMask } from '../credentials/credential-mask';
import { redirectError } from './redirects';
import type { BodySink, Upstream } from '../core/upstream';

/** Called once: with the head of the answer, or with the error that came instead. */
export interface HeadListener {
  answered(answer: GatewayResponse): void;
}

/** Called once with the end of an attempt, never before `send` has returned. */
export interface AttemptListener extends HeadListener {
  /** A call is in flight, and `answer` can end it. Called again for each call of an attempt that needs several. */
  begun(answer: GatewayResponse): void;
  /** Set where the call must be one of its own: it may not wait for another request's like it. */
  readonly isApart?: boolean;
  /** The attempt could not be made. */
  refused(thrown: unknown): void;
}

/** An answer as its guardrails have left it: read whole, or judged while it is handed on. */
export type GuardedResponse = { readonly kind: 'body'; readonly bytes: Buffer } | { readonly kind: 'stream' };

/**
 * A provider's answer while it comes in. Pieces that arrive before a sink is attached are kept: that is at most what one turn
 * of the event loop brings, since the decision follows the status line at once, or the first event of a stream.
 */
export class GatewayResponse implements OutboundHandler {
  status = 0;
  headers: readonly string[] = NO_HEADERS;
  ended = false;
  error: OutboundError | null = null;
  call: OutboundCall | null = null;
  /** What the cache did for it; null where the target has none. */
  cache: CacheUse | null = null;
  /** What its guardrails have made of it; null where none has looked at it. */
  guarded: GuardedResponse | null = null;
  private sink: BodySink | null = null;
  /** Null: nothing is hidden in it as it goes by; errors are read whole where they are handed on. */
  private mask: CredentialMask | null = null;
  private kept: Buffer[] | null = null;

  constructor(
    readonly upstream: Upstream,
    private readonly listener: HeadListener,
  ) {}

  onHeaders(status: number, headers: readonly string[]): void {
    const redirect = redirectError(status);
    if (redirect !== null) {
      this.onError(redirect);
      this.call?.abort();
      return;
    }
    this.status = status;
    this.headers = headers;
    if (status < 400 && isPlain(headers)) this.mask = maskFor(this.upstream);
    this.listener.answered(this);
  }

  onData(chunk: Buffer): void {
    const { mask } = this;
    if (mask === null) this.hand(chunk);
    else {
      const passed = mask.pass(chunk);
      if (passed.length > 0) this.hand(passed);
    }
  }

  private hand(chunk: Buffer): void {
    if (this.sink) this.sink.data(chunk);
    else if (this.kept) this.kept.push(chunk);
    else this.kept = [chunk];
  }

  /** What the mask has held back. */
  private handRest(): void {
    const rest = this.mask?.rest() ?? null;
    if (rest !== null) this.hand(rest);
  }

  onEnd(): void {
    this.handRest();
    this.ended = true;
    this.sink?.end();
  }

  onError(error: OutboundError): void {
    // A redirect has failed already when its call is given up.
    if (this.error !== null) return;
    this.handRest();
    this.error = error;
    if (this.status === 0) this.listener.answered(this);
    else this.sink?.fail(error);
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

  /** Takes the sink away again; the next one gets `pieces` first. */
  detach(pieces: Buffer[]): void {
    this.sink = null;
    this.kept = pieces;
  }

  /** The answer does not go to the client; the reader may end its call. */
  discard(reader: BodySink): void {
    this.attach(reader);
  }
}

export const isEventStream = ({ headers }: GatewayResponse): boolean =>
  valueOf(headers, 'content-type')?.startsWith('text/event-stream') === true;

/** Events that can be read as they are. */
export const isPlainEvents = (answer: GatewayResponse): boolean =>
  isEventStream(answer) && valueOf(answer.headers, 'content-encoding') === undefined;

const isPlain = (headers: readonly string[]): boolean => {
  const coding = valueOf(headers, 'content-encoding');
  return coding === undefined || coding === 'identity';
};

const NO_HEADERS: readonly string[] = [];
