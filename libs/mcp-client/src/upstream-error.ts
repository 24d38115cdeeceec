import type { BearerChallenge, JsonObject, RpcError } from '@gw/mcp';

/** Kinds of failure of a call to an upstream MCP server. */
export type UpstreamErrorKind =
  /** The address policy refuses the URL or an address that it resolves to. */
  | 'refused_address'
  /** No connection could be opened, or it delivered no response. */
  | 'unreachable'
  | 'timeout'
  /** The connection closed before the response was complete. */
  | 'interrupted'
  /** The response is a redirect; redirects are not followed. */
  | 'redirected'
  /** Status 401 or 403: see `challenge`. */
  | 'unauthorized'
  /** A status other than success, without an error of JSON-RPC. */
  | 'http_status'
  /** The upstream responded with an error of JSON-RPC: see `rpc`. */
  | 'rpc_error'
  /** The upstream broke the protocol. */
  | 'protocol'
  /** A response, event, list or queue is larger than its bound. */
  | 'too_large'
  /** The upstream supports only revisions that this client does not support. */
  | 'unsupported'
  /** The upstream requested input that was refused, so that its call cannot end. */
  | 'input_refused'
  /** There is no memory for the response. */
  | 'no_memory'
  /** The maximum number of calls is in flight: see `most`. */
  | 'busy'
  /** The caller cancelled. */
  | 'cancelled'
  /** The upstream object or the HTTP client was closed. */
  | 'closed';

/** The time limit that a call exceeded. */
export type TimeoutPhase = 'connect' | 'headers' | 'idle' | 'total' | 'input';

export interface UpstreamErrorFacts extends ErrorOptions {
  /** Whether the upstream may have executed the call; false means that it certainly did not. */
  readonly mayHaveExecuted: boolean;
  /** HTTP status of the response that failed. */
  readonly status?: number;
  readonly rpc?: RpcError;
  /** Parsed body of a response with an error status, when it is a JSON object of at most 64 KiB. */
  readonly body?: JsonObject | null;
  readonly challenge?: BearerChallenge | null;
  readonly phase?: TimeoutPhase;
  /** Revisions that the upstream supports, for `unsupported`. */
  readonly supported?: readonly string[];
  /** Milliseconds that the upstream asks callers to wait (`Retry-After`); null for none. */
  readonly retryAfterMs?: number | null;
  /** The reached maximum, for `busy`. */
  readonly most?: number;
}

/**
 * A failed call to an upstream. The message contains no secret and no text of the upstream; `rpc`
 * and `body` contain its texts, which are not trusted.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly mayHaveExecuted: boolean;
  readonly status: number | null;
  readonly rpc: RpcError | null;
  readonly body: JsonObject | null;
  readonly challenge: BearerChallenge | null;
  readonly phase: TimeoutPhase | null;
  readonly supported: readonly string[];
  readonly retryAfterMs: number | null;
  readonly most: number | null;

  constructor(
    readonly kind: UpstreamErrorKind,
    message: string,
    facts: UpstreamErrorFacts,
  ) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.mayHaveExecuted = facts.mayHaveExecuted;
    this.status = facts.status ?? null;
    this.rpc = facts.rpc ?? null;
    this.body = facts.body ?? null;
    this.challenge = facts.challenge ?? null;
    this.phase = facts.phase ?? null;
    this.supported = facts.supported ?? [];
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.most = facts.most ?? null;
  }

  /**
   * Returns the same failure with another `mayHaveExecuted`, which depends on the other attempts of
   * the call.
   */
  withExecution(mayHaveExecuted: boolean): UpstreamError {
    if (mayHaveExecuted === this.mayHaveExecuted) return this;
    const { body, challenge, supported, retryAfterMs, status, rpc, phase, most } = this;
    return new UpstreamError(this.kind, this.message, {
      ...{ mayHaveExecuted, body, challenge, supported, retryAfterMs, cause: this },
      ...(status !== null && { status }),
      ...(rpc !== null && { rpc }),
      ...(phase !== null && { phase }),
      ...(most !== null && { most }),
    });
  }
}

/** Returns the error of an upstream that broke the protocol in a response to a call. */
export const protocolError = (message: string, facts: Partial<UpstreamErrorFacts> = {}): UpstreamError =>
  new UpstreamError('protocol', message, { mayHaveExecuted: true, ...facts });

/** Returns the error of a response, event or queue that is larger than its bound. */
export const tooLarge = (what: string, bytesMax: number): UpstreamError =>
  new UpstreamError('too_large', `${what} is larger than ${String(bytesMax)} bytes.`, {
    mayHaveExecuted: true,
  });

/** Returns the error of a response for which this process has no memory. */
export const noMemory = (): UpstreamError =>
  new UpstreamError('no_memory', 'There is no memory for the response of the upstream.', {
    mayHaveExecuted: true,
  });

/** Returns the error of a call or listener beyond the maximum of `most` at a time. */
export const busy = (most: number, what = 'calls in flight'): UpstreamError =>
  new UpstreamError('busy', `The upstream has ${String(most)} ${what} already.`, {
    mayHaveExecuted: false,
    most,
  });

/** Returns the error of a call that its caller cancelled. */
export const cancelled = (mayHaveExecuted: boolean): UpstreamError =>
  new UpstreamError('cancelled', 'The caller cancelled the call.', { mayHaveExecuted });

/** Returns the error of a call to a closed upstream. */
export const closed = (mayHaveExecuted: boolean): UpstreamError =>
  new UpstreamError('closed', 'The client of the upstream is closed.', { mayHaveExecuted });
