import type { GatewayConfig } from '@gw/config-schema';
import type { CompiledConfig } from '../compile/compiled';
import { compileConfig, validateConfig } from '../config-language';
import {
  createPlan,
  createRoutingState,
  type AttemptFailure,
  type AttemptOutcome,
  type RequestFacts,
  type RoutingCursor,
  type RoutingRuntime,
} from '../index';

/** Returns facts of a request; `overrides` replaces members. */
export const factsOf = (overrides: Partial<RequestFacts> = {}): RequestFacts => ({
  metadata: {},
  params: () => ({}),
  header: () => undefined,
  pathname: '/v1/chat/completions',
  model: () => 'gpt-x',
  caller: () => 'key',
  workspace: () => 'w',
  // Each target is its own endpoint, so that specs need not invent credentials.
  endpoint: ({ path }) => path,
  ...overrides,
});

export interface TestRuntime extends RoutingRuntime {
  nowMs: number;
  drawn: number;
}

export const runtimeOf = (drawn = 0, nowMs = 1_000_000): TestRuntime => {
  const runtime = {
    nowMs,
    drawn,
    random: () => runtime.drawn,
    now: () => runtime.nowMs,
    state: createRoutingState(),
  };
  return runtime;
};

export function compiled(config: GatewayConfig): CompiledConfig {
  const result = validateConfig(config);
  if (!result.ok) throw new Error(JSON.stringify(result.details));
  return compileConfig(config);
}

export const responded = (
  status: number,
  retryAfterMs: number | null = null,
  elapsedMs = 1,
): AttemptOutcome => ({
  status,
  failure: null,
  retryAfterMs,
  elapsedMs,
});

export const failed = (failure: AttemptFailure, status: number | null = null): AttemptOutcome => ({
  status,
  failure,
  retryAfterMs: null,
  elapsedMs: 1,
});

/**
 * Plays outcomes and returns the attempts as `path` or `path+retry@wait`, and the stop reason if it
 * was reached.
 */
export function play(cursor: RoutingCursor, outcomes: readonly AttemptOutcome[]): string[] {
  const reported: string[] = [];
  let previous: AttemptOutcome | null = null;
  for (const outcome of [...outcomes, null]) {
    const step = cursor.next(previous);
    if (step.kind === 'stop') return [...reported, step.reason];
    const path = step.target.path.replaceAll('targets', 't');
    reported.push(step.retry === 0 ? path : `${path}+${String(step.retry)}@${String(step.waitMs)}`);
    previous = outcome;
  }
  return reported;
}

/** Plays one request through a config. */
export const request = (
  config: CompiledConfig,
  runtime: RoutingRuntime,
  outcomes: readonly AttemptOutcome[],
  overrides: Partial<RequestFacts> = {},
): { readonly reported: string[]; readonly cursor: RoutingCursor } => {
  const cursor = createPlan(config, factsOf(overrides), runtime);
  return { reported: play(cursor, outcomes), cursor };
};

/** Creates a seeded pseudo-random number generator, so that a failure can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
