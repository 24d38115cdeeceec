import type { Readable } from 'node:stream';

/** A body that is not in memory. */
export interface BodySource {
  /** Bytes; sent as `content-length`. */
  readonly length: number;
  /**
   * The body from its beginning, for one try. Never throws. The client reads it no faster than the peer takes it, and destroys it
   * when the try ends.
   */
  open(): Readable;
}

/** One call to another host. */
export interface OutboundRequest {
  /** `https://api.openai.com` or `http://10.0.0.1:8000`: scheme, host and port only. */
  readonly origin: string;
  /** Path with its query, sent as it is. */
  readonly path: string;
  readonly method: string;
  /**
   * Flat names and values; `host`, `content-length` and `connection` are set by the client. `transfer-encoding`, `keep-alive`,
   * `upgrade` and `expect` are refused as `unreachable`.
   */
  readonly headers: readonly string[];
  readonly body: Buffer | BodySource | null;
  /** Connections are shared only within a class: tenants or credentials that must not share one get different classes. */
  readonly poolClass: string;
  /**
   * Whose call it is within the class, such as a model: a holder never uses more connections of a pool than stay free. Absent or
   * empty: the whole of the pool is its bound.
   */
  readonly holder?: string;
  /** Until the connection is open, waiting for a free one included, milliseconds; 0: none. */
  readonly connectTimeoutMs: number;
  /** Until the status line, from the start of the call; 0: none. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of the body; 0: none. */
  readonly idleTimeoutMs: number;
  /** Whole call; 0: none. */
  readonly totalTimeoutMs: number;
}

export type OutboundFailure =
  /** The address policy said no: at the URL, or at the resolved address. */
  | 'refused'
  /** DNS, connect, TLS or proxy failure: no byte of the answer came. */
  | 'unreachable'
  | 'timeout'
  /** The connection broke after the status line, or the framing was invalid. */
  | 'interrupted'
  /** The answer is a redirect, where one is neither followed nor of use. */
  | 'redirected'
  /** `abort()` was called. */
  | 'aborted'
  /** The client was closed: the process is about to end. */
  | 'stopped';

/** Why no byte of an answer came, for `unreachable`. */
export type UnreachableReason =
  | 'name_not_resolved'
  | 'connection_refused'
  | 'host_unreachable'
  | 'tls_failed'
  | 'proxy_failed'
  /** All connections to the origin are in use, and so are the places for calls that wait for one, or none came free in time. */
  | 'connections_exhausted'
  /** The peer closed the connection after the request was sent on it. */
  | 'connection_closed'
  /**
   * The same on a connection that had carried a call before: the peer may have closed it because it was idle, or may have
   * acted on the request.
   */
  | 'reused_connection_closed';

export interface OutboundErrorOptions extends ErrorOptions {
  readonly reason?: UnreachableReason;
}

export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** Null: another failure, or a connection that failed in a way that has no name here. */
  readonly reason: UnreachableReason | null;

  constructor(
    readonly failure: OutboundFailure,
    message: string,
    /** Which bound ran out, for `timeout`. */
    readonly phase: 'connect' | 'headers' | 'idle' | 'total' | null = null,
    options?: OutboundErrorOptions,
  ) {
    super(message, options);
    this.reason = options?.reason ?? null;
  }
}

/** Exactly one of `onEnd` and `onError` is called, once, last. */
export interface OutboundHandler {
  /** Flat names and values as received, names lower-cased; 1xx answers are swallowed. */
  onHeaders(status: number, headers: readonly string[]): void;
  /** The buffer is the handler's own from then on. It may share memory with others: who keeps a small one for long copies it. */
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: OutboundError): void;
}

export interface OutboundCall {
  /** Stops `onData` and `onEnd` until `resume`; at most one socket buffer is held meanwhile. The idle timeout is suspended. */
  pause(): void;
  resume(): void;
  /** Cancels at once: the connection is closed unless it has ended. `onError('aborted')` follows, unless the call has ended. */
  abort(): void;
}
