import type { CompiledConfig, CompiledTarget } from './compile/compiled';
import type { RoutingEvent } from '@gw/contracts';
import type { HedgeBudgets, HedgeOffer, RetryBudgets } from './budgets';
import type { TargetHealth } from './health';
import type { TargetStatistics } from './statistics';

/**
 * Facts of a request that routing uses. Its methods are called only when needed, and possibly more
 * than once.
 */
export interface RequestFacts {
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * The parsed JSON body; undefined when there is none. Called only if
   * `CompiledConfig.needsParams`.
   */
  params(): unknown;
  /** Reads a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Path of the request without its query. */
  readonly pathname: string;
  model(): string | null;
  /**
   * Identity of the caller, such as the id of the API key. Sticky and canary choices depend on it.
   */
  caller(): string;
  /** Id of the workspace whose budget pays for retries. */
  workspace(): string;
  /** Returns the `endpointKey` of a target. */
  endpoint(target: CompiledTarget): string;
}

/**
 * The clock and the random numbers, which a replay can replace, and the state learnt from other
 * requests.
 */
export interface RoutingRuntime {
  /** Returns a number from 0 to below 1. */
  random(): number;
  /** Returns Unix milliseconds. */
  now(): number;
  readonly state: RoutingState;
}

/** State that requests share for routing; one per process. */
export interface RoutingState {
  readonly health: TargetHealth;
  readonly statistics: TargetStatistics;
  readonly retries: RetryBudgets;
  readonly hedges: HedgeBudgets;
}

/** The inputs of a choice, and where it notes what influenced it. */
export interface ChoiceContext {
  readonly compiled: CompiledConfig;
  readonly facts: RequestFacts;
  readonly runtime: RoutingRuntime;
  /** Like `facts.endpoint`, but called once per target. */
  endpoint(target: CompiledTarget): string;
  note(target: string, event: RoutingEvent['event']): void;
}

export type AttemptFailure =
  /**
   * The target did not respond in time. `status` is 408 (the config's `request_timeout`) or 504;
   * null counts as 408.
   */
  | 'timeout'
  /** No byte of a response arrived: DNS, connect, TLS or proxy failure. */
  | 'unreachable'
  /** The response broke off before any part of it reached the client. */
  | 'interrupted'
  /**
   * The response is a redirect, which is never returned to the client; the same call would give it
   * again.
   */
  | 'redirected'
  /**
   * The response broke off after a part of it reached the client; acted on only with
   * `on_stream_failure: continue`.
   */
  | 'cut'
  /**
   * The gateway did not call the target because of a limit, its credential, its address or an
   * unsupported route.
   */
  | 'refused'
  /** A guardrail denied the request or the response. */
  | 'denied';

export interface AttemptOutcome {
  /** Status of the provider's response, or of the error in its place. */
  readonly status: number | null;
  /** Null when the provider responded; `status` then says how. */
  readonly failure: AttemptFailure | null;
  /** Wait that the response asks for, in milliseconds; see `retryAfterMs`. */
  readonly retryAfterMs: number | null;
  /**
   * Maximum milliseconds that a retry may wait within the request's time; absent when only the
   * config bounds it.
   */
  readonly waitMaxMs?: number;
  /** The request may make no further call, so this outcome ends it. */
  readonly isLast?: boolean;
  /**
   * Milliseconds until the response began (for a finished stream: its first event), or until the
   * gateway stopped waiting for it.
   */
  readonly elapsedMs: number;
  /**
   * The response belongs to another request's call, which reports it, so nothing is learnt from it
   * again.
   */
  readonly shared?: boolean;
  /** The response is a stream that is not over; `RoutingCursor.streamed` reports its outcome. */
  readonly goesOn?: boolean;
  /** Output tokens per second of a finished stream; null or absent when unknown. */
  readonly speed?: number | null;
  /** Present when a hedged attempt made its second request. */
  readonly hedge?: HedgeReport;
}

/**
 * Describes the other request of a hedge. The outcome itself is that of the winner: the first to
 * end the hedge (`endsHedge`), else the last to fail.
 */
export interface HedgeReport {
  readonly winner: 'first' | 'second';
  readonly other: Pick<AttemptOutcome, 'status' | 'failure' | 'elapsedMs'> & {
    /** Whether it was cancelled while in flight. */
    readonly cancelled: boolean;
  };
}

export type StopReason =
  /** The response is final: 2xx, or a status that no strategy acts on. */
  | 'answered'
  /** The strategies have no further target for this outcome. */
  | 'targets_exhausted';

export type RoutingStep =
  | {
      readonly kind: 'attempt';
      readonly target: CompiledTarget;
      /**
       * Number of attempts that this one repeats, here or at the rate-limited target that it
       * replaces; 0 for a first attempt.
       */
      readonly retry: number;
      /** Milliseconds to wait before the attempt. */
      readonly waitMs: number;
      /**
       * Usually null: one request. Otherwise, when the first target has not responded after
       * `delayMs` and `state.hedges.take(hedge)` returns true, the same request is sent to
       * `hedge.target`. The first response that satisfies `endsHedge` is taken and the other
       * request is cancelled.
       */
      readonly hedge: HedgeOffer | null;
    }
  /** The response of the last attempted target is returned. */
  | { readonly kind: 'stop'; readonly reason: StopReason };
