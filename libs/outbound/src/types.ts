import type { Readable } from 'node:stream';

/** A request body that is not in memory. */
export interface BodySource {
  /** Bytes; sent as `content-length`. */
  readonly length: number;
  /**
   * Opens the body at its start, for one attempt. Never throws. The client reads it no faster than
   * the peer accepts it, and destroys it when the attempt ends.
   */
  open(): Readable;
}

/** One call to another host. */
export interface OutboundRequest {
  /** Scheme, host and port only, such as `https://api.openai.com` or `http://10.0.0.1:8000`. */
  readonly origin: string;
  /** Path with query, sent unchanged. */
  readonly path: string;
  readonly method: string;
  /**
   * Names and values in turn. The client sets `host`, `content-length` and `connection`.
   * `transfer-encoding`, `keep-alive`, `upgrade` and `expect` are refused as `unreachable`.
   */
  readonly headers: readonly string[];
  readonly body: Buffer | BodySource | null;
  /**
   * Connections are shared only within a class. Tenants or credentials that must not share one need
   * different classes.
   */
  readonly poolClass: string;
  /**
   * The owner of the call within its class, such as a model. A holder never uses more connections
   * of a pool than remain free. Absent or empty: only the size of the pool limits it.
   */
  readonly holder?: string;
  /** Milliseconds until the connection is open, including the wait for a free one; 0: no limit. */
  readonly connectTimeoutMs: number;
  /** Milliseconds from the start of the call to the status line; 0: no limit. */
  readonly headersTimeoutMs: number;
  /**
   * Milliseconds from the head to the first piece of the body, and between two pieces; 0: no limit.
   */
  readonly idleTimeoutMs: number;
  /** Milliseconds for the whole call; 0: no limit. */
  readonly totalTimeoutMs: number;
}

export type OutboundFailure =
  /** The address policy refused the URL or the resolved address. */
  | 'refused'
  /** DNS, connect, TLS or proxy failure: no byte of the response arrived. */
  | 'unreachable'
  | 'timeout'
  /**
   * The connection broke after the response began, its framing was invalid, or it was larger than
   * the call allows. Also when a handler threw, or the peer sent bytes before a request.
   */
  | 'interrupted'
  /** The response is a redirect, and the caller does not follow it. */
  | 'redirected'
  /** `abort()` was called, or the request body broke off. */
  | 'aborted'
  /** The client was closed because the process is shutting down. */
  | 'stopped';

/** Why no byte of a response arrived, for `unreachable`. */
export type UnreachableReason =
  | 'name_not_resolved'
  | 'connection_refused'
  | 'host_unreachable'
  | 'tls_failed'
  | 'proxy_failed'
  /**
   * All connections to the origin are in use, and either too many calls wait or none became free in
   * time.
   */
  | 'connections_exhausted'
  /** The peer closed the connection after the request was sent. */
  | 'connection_closed'
  /**
   * The same on a reused connection: the peer may have closed it because it was idle, or may have
   * acted on the request.
   */
  | 'reused_connection_closed';

export interface OutboundErrorOptions extends ErrorOptions {
  readonly reason?: UnreachableReason;
}

export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** Null for another failure, or for a failed connection without a specific reason. */
  readonly reason: UnreachableReason | null;

  constructor(
    readonly failure: OutboundFailure,
    message: string,
    /** The timeout that elapsed, for `timeout`. */
    readonly phase: 'connect' | 'headers' | 'idle' | 'total' | null = null,
    options?: OutboundErrorOptions,
  ) {
    super(message, options);
    this.reason = options?.reason ?? null;
  }
}

/** The response is larger than the call allows; the rest of it was not read. */
export class ResponseTooLarge extends OutboundError {
  constructor(
    bytesMax: number,
    /** Status of the response. */
    readonly status: number,
  ) {
    super('interrupted', `The response is larger than ${String(bytesMax)} bytes.`);
  }
}

/**
 * Receives the events of a call. Exactly one of `onEnd` and `onError` is called, once, as the last.
 */
export interface OutboundHandler {
  /** Names and values in turn, as received, with names in lower case. 1xx responses are skipped. */
  onHeaders(status: number, headers: readonly string[]): void;
  /**
   * The handler owns the buffer. It may share memory with others, so copy a small one before
   * keeping it for long.
   */
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: OutboundError): void;
}

export interface OutboundCall {
  /**
   * Stops `onData` and `onEnd` until `resume`. At most one socket buffer is held in the meantime.
   * The idle timeout is suspended.
   */
  pause(): void;
  resume(): void;
  /**
   * Cancels at once and closes the connection. `onError('aborted')` follows, unless the call has
   * ended.
   */
  abort(): void;
}
