/** One call of a guardrail to another host. */
export interface GuardrailCall {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Names in lower case. May hold credentials: never to be logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Ends the call: the check's time is over, or the request is. */
  readonly signal: AbortSignal;
  /** A longer answer is a failure, not a shorter answer. */
  readonly answerBytesMax: number;
}

export interface GuardrailAnswer {
  readonly status: number;
  /** Of the header `content-type`, or empty. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

/**
 * What guardrails need of the world around them. The driver holds every address against the address policy, at its name and at
 * what it resolves to, and follows no redirects; whatever it rejects with counts as a check that could not decide.
 */
export interface GuardrailWorld {
  call(call: GuardrailCall): Promise<GuardrailAnswer>;
  /** Whether a host name has an address. */
  resolves(hostname: string, signal: AbortSignal): Promise<boolean>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only go forward, with fractions. */
  elapsed(): number;
}

/** The target of a call: a saved config of the caller's workspace, or one of its saved providers (`@slug`). */
export type ModelTarget = { readonly config: string } | { readonly provider: string };

/** A question that a check asks a model. */
export interface ModelCall {
  readonly route: 'chat.completions' | 'embeddings' | 'moderations';
  readonly target: ModelTarget;
  /** In the dialect of the route, as clients write it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Ends the call: the check's time is over. */
  readonly signal: AbortSignal;
}

/**
 * Asks models for the checks of one request, as that request would be sent: with the saved credentials and the routing of its workspace,
 * and at the cost of its caller. Guardrails never judge these calls, so that none can lead to another. Rejects with `CheckError`.
 */
export interface ModelCaller {
  ask(call: ModelCall): Promise<Readonly<Record<string, unknown>>>;
}
