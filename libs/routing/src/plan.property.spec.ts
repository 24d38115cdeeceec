import { compileConfig, validateConfig, type CompiledTarget, type GatewayConfig } from '@gw/config-schema';
import fc from 'fast-check';
import { createPlan, WAIT_BUDGET_MS, type AttemptOutcome, type RequestFacts } from './index';

const facts: RequestFacts = {
  metadata: { plan: 'paid' },
  params: () => ({ user: 'u1' }),
  header: () => undefined,
  pathname: '/v1/chat/completions',
  model: () => 'gpt-x',
};

const statuses = fc.constantFrom(200, 246, 400, 404, 408, 429, 446, 500, 502, 503, 504);
const retry = fc.record(
  {
    attempts: fc.integer({ min: 0, max: 5 }),
    on_status_codes: fc.array(statuses, { maxLength: 4 }),
    use_retry_after_header: fc.boolean(),
  },
  { requiredKeys: ['attempts'] },
);
const settings = fc.record(
  {
    retry,
    override_params: fc.dictionary(fc.constantFrom('a', 'b'), fc.integer()),
    request_timeout: fc.integer({ min: 1, max: 999 }),
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
    fc.record({ mode: fc.constant('loadbalance' as const) }),
    fc.record(
      { mode: fc.constant('fallback' as const), on_status_codes: fc.array(statuses, { maxLength: 4 }) },
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
  return fc
    .tuple(strategy, targets, settings)
    .map(([mode, list, own]) => ({ ...own, strategy: mode, targets: list }));
}

const outcome: fc.Arbitrary<AttemptOutcome> = fc.record({
  status: fc.option(statuses),
  failure: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'timeout' as const,
        'unreachable' as const,
        'interrupted' as const,
        'refused' as const,
        'denied' as const,
      ),
    },
  ),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 90_000 })),
  elapsedMs: fc.constant(1),
});

interface Played {
  readonly tried: readonly {
    readonly target: CompiledTarget;
    readonly retry: number;
    readonly waitMs: number;
  }[];
  readonly threw: boolean;
}

/** Plays a script; once it is used up, every try fails in the way that keeps execution going longest. */
function play(value: GatewayConfig, script: readonly AttemptOutcome[], random: () => number): Played {
  const cursor = createPlan(compileConfig(value), facts, { random, now: () => 0 });
  const worst: AttemptOutcome = { status: null, failure: 'unreachable', retryAfterMs: 0, elapsedMs: 1 };
  const tried: Played['tried'][number][] = [];
  try {
    let step = cursor.next(null);
    while (step.kind === 'try' && tried.length < 1000) {
      tried.push(step);
      step = cursor.next(script[tried.length - 1] ?? worst);
    }
  } catch {
    return { tried, threw: true };
  }
  return { tried, threw: false };
}

/** Small and seeded, so that a failure can be repeated. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const run = { seed: 4, numRuns: 400 };
const script = fc.array(outcome, { maxLength: 30 });

describe('any config with any outcomes', () => {
  it('ends, tries no target more often than its attempts allow, and enters none twice', () => {
    fc.assert(
      fc.property(config, script, fc.integer(), (value, outcomes, seed) => {
        const { tried } = play(value, outcomes, dice(seed));
        const tries = new Map<string, number>();
        tried.forEach(({ target, retry: count }) => {
          const before = tries.get(target.path) ?? 0;
          expect(count).toBe(before);
          expect(count).toBeLessThanOrEqual(target.retry.attempts);
          tries.set(target.path, before + 1);
        });
        const allowed = compileConfig(value).targets.reduce(
          (sum, target) => sum + 1 + target.retry.attempts,
          0,
        );
        expect(tried.length).toBeLessThanOrEqual(allowed);
      }),
      run,
    );
  });

  it('tries at least one target, or says that no condition matched', () => {
    fc.assert(
      fc.property(config, script, (value, outcomes) => {
        const { tried, threw } = play(value, outcomes, dice(1));
        expect(tried.length > 0).toBe(!threw);
      }),
      run,
    );
  });

  it('goes through targets in document order and never waits longer than its budget', () => {
    fc.assert(
      fc.property(config, script, fc.integer(), (value, outcomes, seed) => {
        const { tried } = play(value, outcomes, dice(seed));
        const order = compileConfig(value).targets.map(({ path }) => path);
        const positions = tried.map(({ target }) => order.indexOf(target.path));
        expect(positions).toEqual([...positions].sort((x, y) => x - y));
        const waitedMs = tried.reduce((sum, { waitMs }) => sum + waitMs, 0);
        expect(waitedMs).toBeLessThanOrEqual(WAIT_BUDGET_MS);
      }),
      run,
    );
  });

  it('stops at the first success, unless a list asks to go on from it', () => {
    const ok: AttemptOutcome = { status: 201, failure: null, retryAfterMs: null, elapsedMs: 1 };
    fc.assert(
      fc.property(config, fc.integer({ min: 0, max: 10 }), (value, failures) => {
        const bad: AttemptOutcome = { status: 500, failure: 'unreachable', retryAfterMs: null, elapsedMs: 1 };
        const outcomes = [...Array.from({ length: failures }, () => bad), ok];
        const { tried } = play(value, outcomes, dice(1));
        expect(tried.length).toBeLessThanOrEqual(failures + 1);
      }),
      run,
    );
  });

  it('compiles to the same as its reparsed text, and is not changed by compiling', () => {
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

describe('loadbalance', () => {
  it('gives each target its share of 20,000 requests, within five standard deviations', () => {
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
          const runtime = { random: dice(seed), now: () => 0 };
          const requests = 20_000;
          for (let request = 0; request < requests; request++) {
            const step = createPlan(compiled, facts, runtime).next(null);
            if (step.kind === 'try') picks.set(step.target.path, (picks.get(step.target.path) ?? 0) + 1);
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
});
