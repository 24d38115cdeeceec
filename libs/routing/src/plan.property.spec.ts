import type { GatewayConfig } from '@gw/config-schema';
import type { CompiledConfig, CompiledTarget } from './compile/compiled';
import { compileConfig, validateConfig } from './config-language';
import fc from 'fast-check';
import {
  createPlan,
  createRoutingState,
  simulate,
  WAIT_BUDGET_MS,
  type AttemptOutcome,
  type JsonObject,
  type RequestFacts,
  type RoutingState,
} from './index';
import { seededRandom, factsOf } from './spec-support/play';

const facts: RequestFacts = factsOf({ metadata: { plan: 'paid' }, params: () => ({ user: 'u1' }) });

const statuses = fc.constantFrom(200, 246, 400, 401, 404, 408, 429, 446, 500, 502, 503, 504);
const retry = fc.record(
  {
    attempts: fc.integer({ min: 0, max: 5 }),
    on_status_codes: fc.array(statuses, { maxLength: 4 }),
    use_retry_after_header: fc.boolean(),
  },
  { requiredKeys: ['attempts'] },
);
const breaker = fc.constantFrom(
  { consecutive_failures: 1, cooldown_interval: 1000 },
  { failure_threshold_percentage: 50, minimum_requests: 2, half_open_requests: 2 },
  { failure_threshold: 3, slow_call_duration: 9, slow_stream_speed: 0.5, window: 1000 },
);
const settings = fc.record(
  {
    retry,
    override_params: fc.dictionary(fc.constantFrom('a', 'b'), fc.integer()),
    default_params: fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue({ maxDepth: 2 })),
    drop_params: fc.subarray(['a', 'b.c', 'messages[*].name', 'tools[0].function.strict']),
    request_timeout: fc.integer({ min: 1, max: 999 }),
    forward_headers: fc.subarray(['x-a', 'X-B']),
    on_stream_failure: fc.constantFrom('fail' as const, 'restart' as const, 'continue' as const),
    input_guardrails: fc.subarray<string | JsonObject>(['one', { deny: true, wordCount: { maxWords: 9 } }]),
    cache: fc.record(
      {
        mode: fc.constantFrom('simple' as const, 'semantic' as const),
        max_age: fc.integer({ min: 1, max: 9_999 }),
        coalesce: fc.boolean(),
        embeddings: fc.constant({ provider: 'openai', model: 'e', dimensions: 8 }),
      },
      { requiredKeys: ['mode'] },
    ),
  },
  { requiredKeys: [] },
);
const query = fc.constantFrom(
  {},
  { 'metadata.plan': 'paid' },
  { 'metadata.plan': { $regex: '^fr' } },
  { $or: [{ model: 'other' }, { $not: { 'params.user': 'u1' } }] },
);

/** Configs of up to 100 targets on up to 8 levels, with all strategies mixed. */
const config: fc.Arbitrary<GatewayConfig> = fc
  .letrec<{ node: GatewayConfig }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      settings.map((own): GatewayConfig => ({ provider: 'openai', ...own })),
      strategyOver(tie('node')),
    ),
  }))
  .node.filter((value) => validateConfig(value).ok);

function strategyOver(node: fc.Arbitrary<GatewayConfig>): fc.Arbitrary<GatewayConfig> {
  const targets = fc
    .array(fc.tuple(node, fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 4 })
    .map((list) => list.map(([target, weight], index) => ({ ...target, name: `t${String(index)}`, weight })));
  const name = fc.integer({ min: 0, max: 3 }).map((index) => `t${String(index)}`);
  const strategy = fc.oneof(
    fc.record({ mode: fc.constant('single' as const) }),
    fc.record(
      {
        mode: fc.constant('loadbalance' as const),
        algorithm: fc.constantFrom('weighted', 'least_latency', 'least_cost', 'least_busy', 'highest_speed'),
        cb_config: breaker,
      },
      { requiredKeys: ['mode'] },
    ),
    fc.record(
      {
        mode: fc.constant('loadbalance' as const),
        sticky: fc.constant({ enabled: true, hash_fields: ['params.user'] }),
        cb_config: breaker,
      },
      { requiredKeys: ['mode'] },
    ),
    fc.record(
      {
        mode: fc.constant('canary' as const),
        percentage: fc.integer({ min: 0, max: 100 }),
        cb_config: breaker,
      },
      { requiredKeys: ['mode', 'percentage'] },
    ),
    fc.record(
      { mode: fc.constant('hedge' as const), hedge_delay: fc.constant(50), cb_config: breaker },
      { requiredKeys: ['mode'] },
    ),
    fc.record(
      {
        mode: fc.constant('fallback' as const),
        on_status_codes: fc.array(statuses, { maxLength: 4 }),
        cb_config: breaker,
      },
      { requiredKeys: ['mode'] },
    ),
    fc.record(
      {
        mode: fc.constant('conditional' as const),
        conditions: fc.array(fc.record({ query, then: name }), { minLength: 1, maxLength: 3 }),
        default: name,
      },
      { requiredKeys: ['mode', 'conditions'] },
    ),
  );
  return fc.tuple(strategy, targets, settings).map(([mode, list, own]) => {
    // A canary needs exactly two targets and a hedge needs plain ones, so the drawn targets are
    // adjusted.
    const first = list[0] as GatewayConfig;
    if (mode.mode === 'canary') return { ...own, strategy: mode, targets: [first, list[1] ?? first] };
    const plain = list.filter((target) => !('strategy' in target)).slice(0, 2);
    const isHedge = mode.mode === 'hedge';
    return {
      ...own,
      strategy: mode,
      targets: isHedge ? (plain.length > 0 ? plain : [{ provider: 'x' }]) : list,
    };
  });
}

const report = fc.record({
  winner: fc.constantFrom('first' as const, 'second' as const),
  other: fc.record({
    status: fc.option(statuses),
    failure: fc.constant(null),
    elapsedMs: fc.constant(50),
    cancelled: fc.boolean(),
  }),
});
const outcome: fc.Arbitrary<AttemptOutcome> = fc.record(
  {
    status: fc.option(statuses),
    failure: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'timeout' as const,
          'unreachable' as const,
          'interrupted' as const,
          'cut' as const,
          'refused' as const,
          'denied' as const,
        ),
      },
    ),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 90_000 })),
    elapsedMs: fc.constant(1),
    hedge: report,
  },
  { requiredKeys: ['status', 'failure', 'retryAfterMs', 'elapsedMs'] },
);

interface Played {
  readonly attempted: readonly {
    readonly target: CompiledTarget;
    readonly retry: number;
    readonly waitMs: number;
    readonly hedge: { readonly target: CompiledTarget } | null;
  }[];
  readonly threw: boolean;
  readonly events: readonly string[];
}

/**
 * Plays a script. Once it is used up, every attempt fails in the way that allows most further
 * attempts.
 */
function play(
  value: GatewayConfig,
  script: readonly AttemptOutcome[],
  random: () => number,
  state: RoutingState = createRoutingState(),
): Played {
  const cursor = createPlan(compileConfig(value), facts, { random, now: () => 0, state });
  const worst: AttemptOutcome = { status: null, failure: 'unreachable', retryAfterMs: 0, elapsedMs: 1 };
  const attempted: Played['attempted'][number][] = [];
  const played = (threw: boolean): Played => {
    return { attempted, threw, events: cursor.routingEvents.map(({ event }) => event) };
  };
  try {
    let step = cursor.next(null);
    while (step.kind === 'attempt' && attempted.length < 1000) {
      attempted.push(step);
      step = cursor.next(script[attempted.length - 1] ?? worst);
    }
  } catch {
    return played(true);
  }
  return played(false);
}

const run = { seed: 4, numRuns: 400 };
const script = fc.array(outcome, { maxLength: 30 });

describe('RoutingCursor for any config and any outcomes', () => {
  it('ends after at most the configured attempts of each target and one hedge for each', () => {
    fc.assert(
      fc.property(
        config,
        fc.array(script, { minLength: 1, maxLength: 4 }),
        fc.integer(),
        (value, scripts, seed) => {
          const state = createRoutingState();
          for (const outcomes of scripts) {
            const { attempted } = play(value, outcomes, seededRandom(seed), state);
            const attempts = new Map<string, number>();
            attempted.forEach(({ target, retry: count, hedge }) => {
              expect(count).toBeLessThanOrEqual(5);
              if (count > 0) expect(hedge).toBeNull();
              attempts.set(target.path, (attempts.get(target.path) ?? 0) + 1);
            });
            const { targets } = compileConfig(value);
            for (const { path, retry: rules } of targets) {
              expect(attempts.get(path) ?? 0).toBeLessThanOrEqual(1 + rules.attempts);
            }
            expect(attempted.filter(({ hedge }) => hedge !== null).length).toBeLessThanOrEqual(
              targets.length,
            );
          }
        },
      ),
      run,
    );
  });

  it('attempts at least one target, or throws condition_unmatched', () => {
    fc.assert(
      fc.property(config, script, (value, outcomes) => {
        const { attempted, threw } = play(value, outcomes, seededRandom(1));
        expect(attempted.length > 0).toBe(!threw);
      }),
      run,
    );
  });

  it('visits targets in document order unless an event notes why not, and waits no longer than its budget', () => {
    fc.assert(
      fc.property(config, script, fc.integer(), (value, outcomes, seed) => {
        const { attempted, events } = play(value, outcomes, seededRandom(seed));
        const order = compileConfig(value).targets.map(({ path }) => path);
        const positions = attempted.map(({ target }) => order.indexOf(target.path));
        if (!events.includes('rotated') && !events.includes('credential_failing')) {
          const hedged = attempted.some(({ hedge }) => hedge !== null);
          if (!hedged) expect(positions).toEqual([...positions].sort((x, y) => x - y));
        }
        const waitedMs = attempted.reduce((sum, { waitMs }) => sum + waitMs, 0);
        expect(waitedMs).toBeLessThanOrEqual(WAIT_BUDGET_MS);
      }),
      run,
    );
  });

  it('returns the response of the target that was attempted last', () => {
    const request = { metadata: {}, headers: {}, pathname: '/', caller: 'key' };
    fc.assert(
      fc.property(config, script, (value, outcomes) => {
        const { decision } = simulate(compileConfig(value), request, outcomes, { nowMs: 0 });
        expect(decision.respondedBy).toBe(decision.attempts.at(-1)?.target ?? null);
        expect(decision.attempts.length > 0).toBe(decision.end !== 'condition_unmatched');
        // Every attempt but the last one had an outcome that a retry or a fallback acts on.
        for (const { status, failure, target } of decision.attempts.slice(0, -1)) {
          const lists = JSON.stringify(value).includes('on_status_codes');
          if (!lists) expect(failure !== null || (status ?? 0) > 299 || status === null).toBe(true);
          expect(target).toMatch(/^config/);
        }
      }),
      run,
    );
  });

  it('makes no attempt after the first success, unless a list of statuses includes it', () => {
    const ok: AttemptOutcome = { status: 201, failure: null, retryAfterMs: null, elapsedMs: 1 };
    fc.assert(
      fc.property(config, fc.integer({ min: 0, max: 10 }), (value, failures) => {
        const bad: AttemptOutcome = { status: 500, failure: 'unreachable', retryAfterMs: null, elapsedMs: 1 };
        const outcomes = [...Array.from({ length: failures }, () => bad), ok];
        const { attempted } = play(value, outcomes, seededRandom(1));
        expect(attempted.length).toBeLessThanOrEqual(failures + 1);
      }),
      run,
    );
  });

  it('ends when endsWith predicts it, and endsWith changes no state', () => {
    fc.assert(
      fc.property(config, script, fc.integer(), (value, outcomes, seed) => {
        const cursorOf = () =>
          createPlan(compileConfig(value), facts, {
            random: seededRandom(seed),
            now: () => 0,
            state: createRoutingState(),
          });
        const [requested, silent] = [cursorOf(), cursorOf()];
        let previous: AttemptOutcome | null = null;
        for (const next of [...outcomes, null]) {
          let step;
          try {
            step = silent.next(previous);
          } catch {
            return;
          }
          const ends = previous !== null && requested.endsWith(previous);
          expect(requested.next(previous)).toEqual(step);
          if (ends) expect(step.kind).toBe('stop');
          if (step.kind === 'stop' || next === null) return;
          previous = next;
        }
      }),
      run,
    );
  });

  it('compiles a config to the same result as its JSON text, without changing the config', () => {
    fc.assert(
      fc.property(config, (value) => {
        const text = JSON.stringify(value);
        const compiled = compileConfig(value);
        expect(JSON.stringify(value)).toBe(text);
        expect(compileConfig(JSON.parse(text) as GatewayConfig)).toEqual(compiled);
      }),
      run,
    );
  });
});

const choiceOf = (config: CompiledConfig, caller: string, nowMs = 0): string => {
  const runtime = { random: () => 0.5, now: () => nowMs, state: createRoutingState() };
  const own = factsOf({ metadata: { _user: caller } });
  const step = createPlan(config, own, runtime).next(null);
  return step.kind === 'attempt' ? step.target.path : '';
};

describe('loadbalance', () => {
  it('picks a target with a weight above 0, or validation refuses the weights', () => {
    const weight = fc.oneof(
      fc.constantFrom<unknown>(0, -0, -1, -1e-9, null, '', '1', [], {}, true, Infinity, 1e308, 5e-324),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.constant(undefined),
    );
    const nested = fc.boolean();
    fc.assert(
      fc.property(
        fc.array(weight, { maxLength: 5 }),
        nested,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (weights, isNested, random) => {
          const targets = weights.map((given) => ({ provider: 'openai', weight: given }));
          const balance = { strategy: { mode: 'loadbalance' }, targets };
          // Configs arrive as JSON text, in which Infinity becomes null.
          const text = JSON.stringify(
            isNested ? { strategy: { mode: 'fallback' }, targets: [balance] } : balance,
          );
          const read = JSON.parse(text.replaceAll('"weight":null', '"weight":1e999')) as GatewayConfig;
          const given = weights.map((one) => (one === undefined ? 1 : one));
          const isSound = given.every((one) => typeof one === 'number' && Number.isFinite(one) && one >= 0);
          const verdict = validateConfig(read);
          if (!isSound || given.every((one) => one === 0)) {
            expect(verdict.ok).toBe(false);
            return;
          }
          if (!verdict.ok) {
            // The only other reason is the maximum weight.
            expect(Math.max(...(given as number[]))).toBeGreaterThan(1e6);
            return;
          }
          const runtime = { random: () => random, now: () => 0, state: createRoutingState() };
          const step = createPlan(compileConfig(verdict.config), facts, runtime).next(null);
          const path = step.kind === 'attempt' ? step.target.path : '';
          const index = Number(/(\d+)\]$/.exec(path)?.[1] ?? 0);
          expect(given[index]).toBeGreaterThan(0);
        },
      ),
      run,
    );
  });

  it('sends each target its share of 20,000 requests, within five standard deviations', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1, maxLength: 6 }),
        fc.integer(),
        (weights, seed) => {
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          fc.pre(total > 0.01);
          const compiled = compileConfig({
            strategy: { mode: 'loadbalance' },
            targets: weights.map((weight) => ({ provider: 'openai', weight })),
          });
          const picks = new Map<string, number>();
          const runtime = { random: seededRandom(seed), now: () => 0, state: createRoutingState() };
          const requests = 20_000;
          for (let request = 0; request < requests; request++) {
            const step = createPlan(compiled, facts, runtime).next(null);
            if (step.kind === 'attempt') picks.set(step.target.path, (picks.get(step.target.path) ?? 0) + 1);
          }
          compiled.targets.forEach(({ path, weight }) => {
            const share = weight / total;
            const deviation = Math.sqrt(requests * share * (1 - share));
            expect(Math.abs((picks.get(path) ?? 0) - requests * share)).toBeLessThanOrEqual(
              5 * deviation + 1,
            );
          });
        },
      ),
      { seed: 8, numRuns: 20 },
    );
  });

  it('keeps callers on one target by weighted shares, and moves callers only to an added target', () => {
    const sticky = (weights: readonly number[]): CompiledConfig =>
      compileConfig({
        strategy: { mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['metadata._user'] } },
        targets: weights.map((weight) => ({ provider: 'openai', weight })),
      });
    const callers = Array.from({ length: 4000 }, (_, index) => `user ${String(index)}`);
    const choices = (config: CompiledConfig): string[] => callers.map((caller) => choiceOf(config, caller));
    const before = choices(sticky([3, 1, 0]));
    expect(choices(sticky([3, 1, 0]))).toEqual(before);
    const first = before.filter((path) => path === 'config.targets[0]').length;
    expect(Math.abs(first - 3000)).toBeLessThan(5 * Math.sqrt(4000 * 0.75 * 0.25));
    expect(before).not.toContain('config.targets[2]');
    const after = choices(sticky([3, 1, 1]));
    after.forEach((path, index) => {
      if (path !== before[index]) expect(path).toBe('config.targets[2]');
    });
  });

  it("chooses a caller's target again after the ttl, at a different time for each caller", () => {
    const config = compileConfig({
      strategy: { mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['metadata._user'], ttl: 10 } },
      targets: [{ provider: 'a' }, { provider: 'b' }],
    });
    const callers = Array.from({ length: 500 }, (_, index) => `user ${String(index)}`);
    const at = (nowMs: number): string[] => callers.map((caller) => choiceOf(config, caller, nowMs));
    const movedUntil = (nowMs: number): number => {
      const start = at(0);
      return at(nowMs).filter((path, index) => path !== start[index]).length;
    };
    expect(movedUntil(1)).toBeLessThan(5);
    expect(movedUntil(5000)).toBeGreaterThan(75);
    expect(movedUntil(5000)).toBeLessThan(175);
    expect(movedUntil(10_000)).toBeGreaterThan(200);
  });
});

describe('canary', () => {
  const canary = (percentage: number): CompiledConfig =>
    compileConfig({
      strategy: { mode: 'canary', percentage, hash_fields: ['metadata._user'] },
      targets: [{ provider: 'old' }, { provider: 'new' }],
    });

  it('sends its percentage of 20,000 requests without hash fields to the new target, within five standard deviations', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100, noNaN: true }), fc.integer(), (percentage, seed) => {
        const compiled = canary(percentage);
        const runtime = { random: seededRandom(seed), now: () => 0, state: createRoutingState() };
        const own = factsOf();
        const requests = 20_000;
        let taken = 0;
        for (let request = 0; request < requests; request++) {
          const step = createPlan(compiled, own, runtime).next(null);
          if (step.kind === 'attempt' && step.target.path === 'config.targets[1]') taken++;
        }
        const share = percentage / 100;
        const deviation = Math.sqrt(requests * share * (1 - share));
        expect(Math.abs(taken - requests * share)).toBeLessThanOrEqual(5 * deviation + 1);
      }),
      { seed: 9, numRuns: 10 },
    );
  });

  it('sends a fixed set of callers to the new target, and keeps them there as the percentage grows', () => {
    const callers = Array.from({ length: 5000 }, (_, index) => `user ${String(index)}`);
    let before: string[] = [];
    for (const percentage of [0, 1, 5, 20, 60, 100]) {
      const config = canary(percentage);
      const taken = callers.filter((caller) => choiceOf(config, caller) === 'config.targets[1]');
      const share = percentage / 100;
      const deviation = Math.sqrt(5000 * share * (1 - share));
      expect(Math.abs(taken.length - 5000 * share)).toBeLessThanOrEqual(5 * deviation);
      const kept = new Set(taken);
      expect(before.filter((caller) => !kept.has(caller))).toEqual([]);
      before = taken;
    }
  });
});
