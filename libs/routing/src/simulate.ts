import type { CompiledConfig } from '@gw/config-schema';
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
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly pathname: string;
  /** Absent: the `model` of the body. */
  readonly model?: string | null;
  /** Who calls: what sticky and canary choices hang on. */
  readonly caller: string;
}

export interface SimulationOptions {
  /** When it is, milliseconds since the epoch. */
  readonly nowMs: number;
  /** 0 to below 1: what balanced choices and back-off draw, again and again. 0.5 when absent. */
  readonly random?: number;
}

export interface SimulatedTry {
  readonly target: string;
  readonly name: string | null;
  readonly provider: string | null;
  /** 0 is the first try of this target. */
  readonly retry: number;
  readonly waitMs: number;
  /** Milliseconds after which a second request would follow, and where to. */
  readonly hedge: { readonly target: string; readonly delayMs: number } | null;
}

export interface Simulation {
  /** The way that the request takes while every try fails with 503: what the config has ready for it. */
  readonly plan: readonly SimulatedTry[];
  /** What the outcomes lead to. */
  readonly decision: {
    readonly attempts: readonly (SimulatedTry & {
      readonly status: number | null;
      readonly failure: string | null;
    })[];
    readonly end: StopReason | 'condition_unmatched';
    /** JSON path of the target whose answer is the reply; null when none was tried. */
    readonly answeredBy: string | null;
    readonly strategy: readonly string[];
    readonly matchedCondition: string | null;
    readonly routing: readonly RoutingEvent[];
    readonly retryCount: number;
  };
}

const FAILED: AttemptOutcome = { status: 503, failure: null, retryAfterMs: null, elapsedMs: 0 };
const ANSWERED: AttemptOutcome = { status: 200, failure: null, retryAfterMs: null, elapsedMs: 0 };

/**
 * Routes a request through a config without calling anyone. `outcomes` are what the tries end with, in order, such as those of a
 * log record; after the last one every try is answered with 200. Nothing that live requests have learnt takes part, and the same
 * arguments give the same result.
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
    decision: run(compiled, request, (index) => outcomes[index] ?? ANSWERED, options),
  };
}

/** Time passes as the tries and waits say. */
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

/** Null: no condition matched. */
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
  answeredBy: attempts.at(-1)?.target ?? null,
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
