import type { CompiledConfig } from './compile/compiled';
import type { RoutingEvent } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { endpointKey } from './identity';
import { createPlan, type RoutingCursor } from './plan';
import { createRoutingState } from './state';
import type { AttemptOutcome, RequestFacts, StopReason } from './types';

export interface SimulatedRequest {
  readonly metadata: Readonly<Record<string, string>>;
  /** The JSON body, if there is one. */
  readonly params?: unknown;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly pathname: string;
  /** The `model` of the body when absent. */
  readonly model?: string | null;
  /** Identity of the caller, which sticky and canary choices depend on. */
  readonly caller: string;
}

export interface SimulationOptions {
  /** The simulated time, in Unix milliseconds. */
  readonly nowMs: number;
  /**
   * The constant random number from 0 to below 1 for balanced choices and back-off; 0.5 when
   * absent.
   */
  readonly random?: number;
}

export interface SimulatedAttemptStep {
  readonly target: string;
  readonly name: string | null;
  readonly provider: string | null;
  /** 0 for the first attempt of this target. */
  readonly retry: number;
  readonly waitMs: number;
  /** The second request of a hedge: its target, and the milliseconds after which it is sent. */
  readonly hedge: { readonly target: string; readonly delayMs: number } | null;
}

export interface Simulation {
  /** The attempts that the config makes when every one of them fails with 503. */
  readonly plan: readonly SimulatedAttemptStep[];
  /** The decision for the given outcomes. */
  readonly decision: {
    readonly attempts: readonly (SimulatedAttemptStep & {
      readonly status: number | null;
      readonly failure: string | null;
    })[];
    readonly end: StopReason | 'condition_unmatched';
    /** JSON path of the target whose response is returned; null when none was attempted. */
    readonly respondedBy: string | null;
    readonly strategy: readonly string[];
    readonly matchedCondition: string | null;
    readonly routing: readonly RoutingEvent[];
    readonly retryCount: number;
  };
}

const FAILED: AttemptOutcome = { status: 503, failure: null, retryAfterMs: null, elapsedMs: 0 };
const SUCCEEDED: AttemptOutcome = { status: 200, failure: null, retryAfterMs: null, elapsedMs: 0 };

/**
 * Routes a request through a config without calling a provider.
 * `outcomes` are the results of the attempts in order, for example those of a log record; further
 * attempts get 200. Nothing learnt from live requests is used, and equal arguments give equal
 * results.
 */
export function simulate(
  compiled: CompiledConfig,
  request: SimulatedRequest,
  outcomes: readonly AttemptOutcome[],
  options: SimulationOptions,
): Simulation {
  return {
    plan: run(compiled, request, () => FAILED, options).attempts.map(
      ({ status: _, failure: __, ...step }) => step,
    ),
    decision: run(compiled, request, (index) => outcomes[index] ?? SUCCEEDED, options),
  };
}

/**
 * Routes the request. The simulated clock advances by the waits and the durations of the attempts.
 */
function run(
  compiled: CompiledConfig,
  request: SimulatedRequest,
  outcomeOf: (index: number) => AttemptOutcome,
  { nowMs, random = 0.5 }: SimulationOptions,
): Simulation['decision'] {
  let now = nowMs;
  const runtime = { random: () => random, now: () => now, state: createRoutingState() };
  const cursor = createPlan(compiled, factsOf(request), runtime);
  const attempts: Simulation['decision']['attempts'][number][] = [];
  let outcome: AttemptOutcome | null = null;
  for (;;) {
    const step = nextOf(cursor, outcome);
    if (step === null) return decisionOf(cursor, attempts, 'condition_unmatched');
    if (step.kind === 'stop') return decisionOf(cursor, attempts, step.reason);
    outcome = outcomeOf(attempts.length);
    const { target, retry, waitMs, hedge } = step;
    attempts.push({
      target: target.path,
      name: target.name,
      provider: target.provider ?? (target.virtualKey === null ? null : `@${target.virtualKey}`),
      retry,
      waitMs,
      hedge: hedge && { target: hedge.target.path, delayMs: hedge.delayMs },
      status: outcome.status,
      failure: outcome.failure,
    });
    now += waitMs + outcome.elapsedMs;
  }
}

/** Returns null when no condition matched. */
function nextOf(
  cursor: RoutingCursor,
  outcome: AttemptOutcome | null,
): ReturnType<RoutingCursor['next']> | null {
  try {
    return cursor.next(outcome);
  } catch (error) {
    if (error instanceof GatewayError && error.type === 'condition_unmatched') return null;
    throw error;
  }
}

const decisionOf = (
  cursor: RoutingCursor,
  attempts: Simulation['decision']['attempts'],
  end: Simulation['decision']['end'],
): Simulation['decision'] => ({
  attempts,
  end,
  respondedBy: attempts.at(-1)?.target ?? null,
  strategy: cursor.strategyTrail,
  matchedCondition: cursor.matchedCondition,
  routing: cursor.routingEvents,
  retryCount: cursor.retryCount,
});

function factsOf({ metadata, params, headers, pathname, model, caller }: SimulatedRequest): RequestFacts {
  return {
    metadata,
    params: () => params,
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    pathname,
    model: () => (model === undefined ? modelOf(params) : model),
    caller: () => caller,
    workspace: () => '',
    endpoint: (target) => endpointKey('simulation', target, ''),
  };
}

function modelOf(params: unknown): string | null {
  if (typeof params !== 'object' || params === null) return null;
  const { model } = params as { readonly model?: unknown };
  return typeof model === 'string' ? model : null;
}
