import { CheckError } from './check-error';

/** One call of a guardrail to another host. */
export interface GuardrailCall {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Names in lower case. They may contain credentials, so they must never be logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Aborts the call when the check's time is over or the request has ended. */
  readonly signal: AbortSignal;
  /** Maximum bytes of the response. The call rejects with `ResponseTooLong` for a longer one. */
  readonly responseBytesMax: number;
}

export interface GuardrailResponse {
  readonly status: number;
  /** Value of the header `content-type`, or empty. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** The response to a call of a guardrail is longer than the call allows. */
export class ResponseTooLong extends CheckError {
  constructor(
    bytesMax: number,
    /** Status of the response. */
    readonly status: number,
  ) {
    super(`The response of the service is longer than ${String(bytesMax)} bytes.`);
  }
}

/**
 * I/O that guardrails need.
 * The implementation checks every URL against the address policy, by host name and by resolved
 * address, and follows no redirects. When a call rejects, the check cannot decide.
 */
export interface GuardrailPort {
  call(call: GuardrailCall): Promise<GuardrailResponse>;
  /** Returns whether a host name resolves. */
  resolves(hostname: string, signal: AbortSignal): Promise<boolean>;
  /** Returns Unix milliseconds. */
  now(): number;
  /** Returns milliseconds that only increase, with fractions. */
  elapsed(): number;
}

/**
 * The target of a model call: a saved config of the caller's workspace, or one of its saved
 * providers (`@slug`).
 */
export type ModelTarget = { readonly config: string } | { readonly provider: string };

/** A request that a check sends to a model. */
export interface ModelCall {
  readonly route: 'chat.completions' | 'embeddings' | 'moderations';
  readonly target: ModelTarget;
  /** In the dialect of the route, as clients write it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborts the call when the check's time is over. */
  readonly signal: AbortSignal;
}

/**
 * Calls models for the checks of one request, with the saved credentials and routing of its
 * workspace, at the cost of its caller. Guardrails never judge these calls, so that none can cause
 * another. Rejects with `CheckError`.
 */
export interface ModelCaller {
  ask(call: ModelCall): Promise<Readonly<Record<string, unknown>>>;
}
