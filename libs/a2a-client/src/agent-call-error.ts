import type { OutboundError } from '@gw/outbound';

/** Kinds of failure of a call of an agent. */
export type AgentCallErrorKind =
  /** The address policy refuses the URL or an address that it resolves to. */
  | 'refused_address'
  /** No connection could be opened, or it delivered no response. */
  | 'unreachable'
  | 'timeout'
  /** The connection closed before the response was complete. */
  | 'interrupted'
  /** The response is a redirect; redirects are not followed. */
  | 'redirected'
  /** Status 401 or 403. */
  | 'unauthorized'
  /** A status other than success, without an error of A2A. */
  | 'http_status'
  /** The agent responded with an error of A2A: see `error`. */
  | 'agent_error'
  /** The agent broke the protocol. */
  | 'protocol'
  /** A response or event is larger than its bound. */
  | 'too_large'
  /** There is no memory for the response. */
  | 'no_memory'
  /** The caller ended the call. */
  | 'cancelled'
  /** The HTTP client was closed. */
  | 'closed';

export interface AgentCallErrorFacts extends ErrorOptions {
  /** HTTP status of the response that failed. */
  readonly status?: number;
  /** The member `error` of JSON-RPC as the agent sent it; not trusted. */
  readonly error?: unknown;
  /** Milliseconds that the agent asks callers to wait (`Retry-After`), at most an hour. */
  readonly retryAfterMs?: number | null;
}

/** A failed call of an agent. The message contains no secret and no text of the agent. */
export class AgentCallError extends Error {
  override readonly name = 'AgentCallError';
  readonly status: number | null;
  readonly error: unknown;
  readonly retryAfterMs: number | null;

  constructor(
    readonly kind: AgentCallErrorKind,
    message: string,
    facts: AgentCallErrorFacts = {},
  ) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.status = facts.status ?? null;
    this.error = facts.error;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

const KINDS: Readonly<Record<OutboundError['failure'], AgentCallErrorKind>> = {
  refused: 'refused_address',
  unreachable: 'unreachable',
  timeout: 'timeout',
  interrupted: 'interrupted',
  redirected: 'redirected',
  aborted: 'cancelled',
  stopped: 'closed',
};

export const fromOutbound = (error: OutboundError): AgentCallError =>
  new AgentCallError(KINDS[error.failure], error.message, { cause: error });

export const protocolError = (message: string, facts: AgentCallErrorFacts = {}): AgentCallError =>
  new AgentCallError('protocol', message, facts);

export const tooLarge = (what: string, bytesMax: number): AgentCallError =>
  new AgentCallError('too_large', `${what} is larger than ${String(bytesMax)} bytes.`);

/** Returns the error of a response for which this process has no memory. */
export const noMemory = (): AgentCallError =>
  new AgentCallError('no_memory', 'There is no memory for the response of the agent.');

/** Returns the reason with which callers abort the signal of a call. */
export const cancelled = (): AgentCallError => new AgentCallError('cancelled', 'The caller ended the call.');
