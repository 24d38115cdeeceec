import type { CompiledTarget } from '@gw/config-schema';

/** What conditions read of a request. Called only when a condition asks, and possibly more than once. */
export interface RequestFacts {
  readonly metadata: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined when there is none. Called only if `CompiledConfig.needsParams`. */
  params(): unknown;
  /** By lower-case name. */
  header(name: string): string | undefined;
  /** Path of the request without its query. */
  readonly pathname: string;
  model(): string | null;
}

/** The clock and the dice, so that a plan can be replayed. */
export interface RoutingRuntime {
  /** 0 to below 1. */
  random(): number;
  /** Milliseconds. For strategies that are ruled by time; those that exist do not read it. */
  now(): number;
}

export type AttemptFailure =
  /** The target did not answer in time. `status` 408 (the config's `request_timeout`) or 504; null counts as 408. */
  | 'timeout'
  /** No byte of an answer came: DNS, connect, TLS, proxy. */
  | 'unreachable'
  /** The answer broke off before anything of it reached the client. */
  | 'interrupted'
  /** The gateway did not call the target: a limit, its credential, an address or a route that it does not serve. */
  | 'refused'
  /** A guardrail denied the request or the answer. */
  | 'denied';

export interface AttemptOutcome {
  /** Status of the provider's answer, or of the error that stands for it. */
  readonly status: number | null;
  /** Null: the provider answered, and `status` says how. */
  readonly failure: AttemptFailure | null;
  /** What the answer's Retry-After says, see `retryAfterMs`. */
  readonly retryAfterMs: number | null;
  readonly elapsedMs: number;
}

export type StopReason =
  /** The answer is final: 2xx, or a status that no strategy acts on. */
  | 'answered'
  /** The strategies have no further target for this outcome. */
  | 'targets_exhausted';

export type RoutingStep =
  | {
      readonly kind: 'try';
      readonly target: CompiledTarget;
      /** 0 is the first try of this target. */
      readonly retry: number;
      /** To be waited before the try, milliseconds. */
      readonly waitMs: number;
    }
  /** The answer of the last tried target is the reply. */
  | { readonly kind: 'stop'; readonly reason: StopReason };
