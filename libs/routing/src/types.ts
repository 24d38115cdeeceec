import type { CompiledConfig, CompiledTarget } from '@gw/config-schema';
import type { RoutingEvent } from '@gw/contracts';
import type { HedgeBudgets, HedgeOffer, RetryBudgets } from './budgets';
import type { TargetHealth } from './health';
import type { TargetStatistics } from './statistics';

/** What routing reads of a request. Called only when something asks, and possibly more than once. */
export interface RequestFacts {
  readonly metadata: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined when there is none. Called only if `CompiledConfig.needsParams`. */
  params(): unknown;
  /** By lower-case name. */
  header(name: string): string | undefined;
  /** Path of the request without its query. */
  readonly pathname: string;
  model(): string | null;
  /** Who calls, such as the id of the API key: part of what sticky and canary choices hang on. */
  caller(): string;
  /** Who pays for retries: the id of the workspace. */
  workspace(): string;
  /** See `endpointKey`. */
  endpoint(target: CompiledTarget): string;
}

/** The clock and the dice, so that a plan can be replayed, and what was learnt from other requests. */
export interface RoutingRuntime {
  /** 0 to below 1. */
  random(): number;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly state: RoutingState;
}

/** What requests learn from each other; one for the whole process. */
export interface RoutingState {
  readonly health: TargetHealth;
  readonly statistics: TargetStatistics;
  readonly retries: RetryBudgets;
  readonly hedges: HedgeBudgets;
}

/** What choices are made from, and where they note what they took into account. */
export interface Situation {
  readonly compiled: CompiledConfig;
  readonly facts: RequestFacts;
  readonly runtime: RoutingRuntime;
  /** `facts.endpoint`, called once for each target. */
  endpoint(target: CompiledTarget): string;
  note(target: string, event: RoutingEvent['event']): void;
}

export type AttemptFailure =
  /** The target did not answer in time. `status` 408 (the config's `request_timeout`) or 504; null counts as 408. */
  | 'timeout'
  /** No byte of an answer came: DNS, connect, TLS, proxy. */
  | 'unreachable'
  /** The answer broke off before anything of it reached the client. */
  | 'interrupted'
  /** The answer is a redirect, which is never handed on: the same call would bring it again. */
  | 'redirected'
  /** The answer broke off after part of it reached the client; acted on only with `on_stream_failure: continue`. */
  | 'cut'
  /** The gateway did not call the target: a limit, its credential, an address or a route that it does not serve. */
  | 'refused'
  /** A guardrail denied the request or the answer. */
  | 'denied';

export interface AttemptOutcome {
  /** Status of the provider's answer, or of the error in its place. */
  readonly status: number | null;
  /** Null: the provider answered, and `status` says how. */
  readonly failure: AttemptFailure | null;
  /** What the answer's Retry-After says, see `retryAfterMs`. */
  readonly retryAfterMs: number | null;
  /** What a retry may wait at most, in milliseconds, for the time of the request; absent: no bound but the config's. */
  readonly waitMaxMs?: number;
  /** The request may make no further call: the outcome is its end, whatever it is. */
  readonly isLast?: boolean;
  /** Until the answer began, a stream that is over with its first event; or until it was no longer waited for. */
  readonly elapsedMs: number;
  /** The answer is of another request's call, which tells of it: nothing is learnt from it a second time. */
  readonly shared?: boolean;
  /** It is a stream that goes on: what it says of its target is reported once it is over, by `RoutingCursor.streamed`. */
  readonly goesOn?: boolean;
  /** Output tokens a second of a stream that is over. Null, or absent: not known. */
  readonly speed?: number | null;
  /** Set when a hedged try made its second request. */
  readonly hedge?: HedgeReport;
}

/** The outcome itself is that of the request that won: the first to end a hedge (`endsHedge`), else the last to fail. */
export interface HedgeReport {
  readonly winner: 'first' | 'second';
  readonly other: Pick<AttemptOutcome, 'status' | 'failure' | 'elapsedMs'> & {
    /** It was given up while it was under way. */
    readonly cancelled: boolean;
  };
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
      /** Tries that this one repeats, here or at the rate-limited target whose place it takes; 0 is a first try. */
      readonly retry: number;
      /** To be waited before the try, milliseconds. */
      readonly waitMs: number;
      /**
       * Null, as a rule: one request. Else: when the first has not answered after `delayMs` and `state.hedges.take(hedge)` agrees,
       * the same is sent to `hedge.target`, the first answer that `endsHedge` is taken, and the other request is cancelled.
       */
      readonly hedge: HedgeOffer | null;
    }
  /** The answer of the last tried target is the reply. */
  | { readonly kind: 'stop'; readonly reason: StopReason };
