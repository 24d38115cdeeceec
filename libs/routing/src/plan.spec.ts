import type { GatewayConfig } from '@gw/config-schema';
import { compileConfig } from './config-language';
import {
  createPlan,
  createRoutingState,
  type AttemptFailure,
  type RequestFacts,
  type RoutingCursor,
} from './index';
import type { AttemptOutcome } from './types';
import { responded, compiled, factsOf, failed, play, runtimeOf } from './spec-support/play';

const plan = (config: GatewayConfig, random = 0, metadata: Record<string, string> = {}): RoutingCursor =>
  createPlan(compiled(config), factsOf({ metadata }), runtimeOf(random));

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

const a = { name: 'a', provider: 'openai' };
const b = { name: 'b', provider: 'anthropic' };
const fallback = (targets: readonly GatewayConfig[], onStatusCodes?: number[]): GatewayConfig => ({
  strategy: { mode: 'fallback', ...(onStatusCodes ? { on_status_codes: onStatusCodes } : {}) },
  targets,
});

describe('createPlan', () => {
  it('routes by mode: fallback in order, loadbalance by weight, conditional by its query [SVC-05]', () => {
    expect(play(plan(fallback([a, b])), [responded(500), responded(200)])).toEqual([
      'config.t[0]',
      'config.t[1]',
      'answered',
    ]);
    const balanced: GatewayConfig = { strategy: { mode: 'loadbalance' }, targets: [a, b] };
    expect(play(plan(balanced, 0.25), [responded(200)])).toEqual(['config.t[0]', 'answered']);
    expect(play(plan(balanced, 0.75), [responded(200)])).toEqual(['config.t[1]', 'answered']);
    const conditional: GatewayConfig = {
      strategy: {
        mode: 'conditional',
        conditions: [{ query: { 'metadata.plan': 'paid' }, then: 'b' }],
        default: 'a',
      },
      targets: [a, b],
    };
    expect(play(plan(conditional, 0, { plan: 'paid' }), [responded(200)])).toEqual([
      'config.t[1]',
      'answered',
    ]);
    expect(play(plan(conditional), [responded(200)])).toEqual(['config.t[0]', 'answered']);
  });

  it('attempts a single target once, whatever the outcome', () => {
    expect(play(plan(a), [responded(503)])).toEqual(['config', 'answered']);
    expect(play(plan(a), [failed('unreachable')])).toEqual(['config', 'answered']);
    expect(play(plan({ strategy: { mode: 'single' }, targets: [a, b] }), [responded(500)])).toEqual([
      'config.t[0]',
      'answered',
    ]);
  });
});

describe('fallback', () => {
  it.each([200, 201, 246, 299])('stops at %d without a list', (status) => {
    expect(play(plan(fallback([a, b])), [responded(status)])).toEqual(['config.t[0]', 'answered']);
  });

  it.each([400, 401, 404, 408, 429, 446, 500, 529])('moves on from %d without a list', (status) => {
    expect(play(plan(fallback([a, b])), [responded(status)])).toEqual(['config.t[0]', 'config.t[1]']);
  });

  it('moves on only from its listed statuses, 2xx and guardrail verdicts included', () => {
    expect(play(plan(fallback([a, b], [429])), [responded(500)])).toEqual(['config.t[0]', 'answered']);
    expect(play(plan(fallback([a, b], [429])), [responded(429)])).toEqual(['config.t[0]', 'config.t[1]']);
    expect(play(plan(fallback([a, b], [246])), [responded(246)])).toEqual(['config.t[0]', 'config.t[1]']);
    expect(play(plan(fallback([a, b], [])), [responded(500)])).toEqual(['config.t[0]', 'answered']);
  });

  it.each<AttemptFailure>(['timeout', 'unreachable', 'interrupted', 'redirected', 'refused'])(
    'moves on from a target that failed as %s, with a list and without',
    (failure) => {
      for (const list of [undefined, [429]]) {
        expect(play(plan(fallback([a, b], list)), [failed(failure, 400)])).toEqual([
          'config.t[0]',
          'config.t[1]',
        ]);
      }
    },
  );

  describe('after a guardrail denial', () => {
    const deny = { deny: true, contains: { words: ['bomb'], operator: 'none' as const } };
    const guarded = { ...a, input_guardrails: [deny] };
    const afterDenial = (config: GatewayConfig): readonly string[] =>
      play(plan(config), [failed('denied', 446)]);
    const MOVES = ['config.t[0]', 'config.t[1]'];
    const ENDS = ['config.t[0]', 'answered'];

    it('moves on with a list only when the list has 446', () => {
      expect(afterDenial(fallback([a, b], [429]))).toEqual(ENDS);
      expect(afterDenial(fallback([a, b], [446]))).toEqual(MOVES);
      expect(afterDenial(fallback([guarded, b], [446]))).toEqual(MOVES);
    });

    it('moves on without a list only to targets with the same guardrails', () => {
      const both = { ...fallback([a, b]), input_guardrails: [deny], output_guardrails: ['saved'] };
      expect(afterDenial(both)).toEqual(MOVES);
      expect(afterDenial(fallback([guarded, { ...b, input_guardrails: [deny] }]))).toEqual(MOVES);
      expect(afterDenial(fallback([guarded, b]))).toEqual(ENDS);
      expect(afterDenial(fallback([guarded, { ...b, output_guardrails: [deny] }]))).toEqual(ENDS);
      expect(afterDenial(fallback([guarded, fallback([{ ...b, input_guardrails: [deny] }, b])]))).toEqual(
        ENDS,
      );
    });
  });

  it('stops after the last target', () => {
    expect(play(plan(fallback([a, b])), [responded(500), responded(429)])).toEqual([
      'config.t[0]',
      'config.t[1]',
      'targets_exhausted',
    ]);
  });

  it('checks the last outcome of a nested fallback against the list of each fallback around it', () => {
    const config = fallback([fallback([a, b], [429]), a]);
    expect(play(plan(config), [responded(429), responded(500), responded(200)])).toEqual([
      'config.t[0].t[0]',
      'config.t[0].t[1]',
      'config.t[1]',
      'answered',
    ]);
    expect(play(plan(fallback([fallback([a, b]), a], [429])), [responded(500), responded(500)])).toEqual([
      'config.t[0].t[0]',
      'config.t[0].t[1]',
      'targets_exhausted',
    ]);
  });

  it('treats a nested conditional without a match as a failed target', () => {
    const unmatched: GatewayConfig = {
      strategy: { mode: 'conditional', conditions: [{ query: { model: 'other' }, then: 'a' }] },
      targets: [a],
    };
    expect(play(plan(fallback([unmatched, b])), [responded(200)])).toEqual(['config.t[1]', 'answered']);
    expect(play(plan(fallback([b, unmatched])), [responded(500)])).toEqual([
      'config.t[0]',
      'targets_exhausted',
    ]);
    for (const config of [unmatched, fallback([unmatched])]) {
      expect(thrownBy(() => plan(config).next(null))).toMatchObject({
        type: 'condition_unmatched',
        status: 400,
      });
    }
  });
});

describe('loadbalance', () => {
  const weights = (...list: number[]): GatewayConfig => ({
    strategy: { mode: 'loadbalance' },
    targets: list.map((weight, index) => ({ name: `t${String(index)}`, weight })),
  });

  it('does not fail over by itself', () => {
    expect(play(plan(weights(1, 1)), [failed('unreachable')])).toEqual(['config.t[0]', 'answered']);
  });

  it.each([0, 0.5, 0.999_999, 1])('never picks a target of weight 0 when random returns %d', (random) => {
    expect(play(plan(weights(0, 0, 3, 0), random), [])).toEqual(['config.t[2]']);
  });

  it('fails over inside a fallback', () => {
    const config = fallback([weights(1, 1), b]);
    expect(play(plan(config, 0.9), [responded(500), responded(200)])).toEqual([
      'config.t[0].t[1]',
      'config.t[1]',
      'answered',
    ]);
  });
});

describe('retries', () => {
  const retrying = (retry: NonNullable<GatewayConfig['retry']>): GatewayConfig => ({ ...a, retry });

  it('wait a random part of 1, 2, 4, 8 and 8 seconds, then stop', () => {
    const outcomes = Array.from({ length: 6 }, () => responded(503));
    const longest = plan(retrying({ attempts: 5 }));
    expect(play(longest, outcomes)).toEqual([
      'config',
      'config+1@1000',
      'config+2@2000',
      'config+3@4000',
      'config+4@8000',
      'config+5@8000',
      'answered',
    ]);
    expect(longest.retryCount).toBe(-1);
    expect(play(plan(retrying({ attempts: 1 }), 0.9), outcomes)[1]).toBe('config+1@100');
  });

  it('set retryCount to their number, and to 0 after a response that is not retried', () => {
    const repeated = plan(retrying({ attempts: 3 }));
    expect(play(repeated, [responded(503), responded(200)])).toEqual(['config', 'config+1@1000', 'answered']);
    expect(repeated.retryCount).toBe(1);
    const final = plan(retrying({ attempts: 3 }));
    expect(play(final, [responded(400)])).toEqual(['config', 'answered']);
    expect(final.retryCount).toBe(0);
  });

  it('follow a listed guardrail verdict without a pause', () => {
    const config = retrying({ attempts: 2, on_status_codes: [246, 446] });
    expect(play(plan(config), [failed('denied', 446), responded(246), responded(200)])).toEqual([
      'config',
      'config+1@0',
      'config+2@0',
      'answered',
    ]);
  });

  it('happen before a fallback moves on, and are counted for each target', () => {
    const config = fallback([retrying({ attempts: 1 }), { ...b, retry: { attempts: 1 } }]);
    const cursor = plan(config);
    const outcomes = [responded(500), responded(500), responded(500), responded(200)];
    expect(play(cursor, outcomes)).toEqual([
      'config.t[0]',
      'config.t[0]+1@1000',
      'config.t[1]',
      'config.t[1]+1@1000',
      'answered',
    ]);
    expect(cursor.retryCount).toBe(1);
  });

  it('wait for the Retry-After of the provider when use_retry_after_header is set', () => {
    const config = retrying({ attempts: 2, use_retry_after_header: true });
    expect(play(plan(config), [responded(429, 1234), responded(503, 0)])).toEqual([
      'config',
      'config+1@1234',
      'config+2@0',
    ]);
    expect(play(plan(config), [responded(429)])).toEqual(['config', 'config+1@1000']);
    expect(play(plan(retrying({ attempts: 2 })), [responded(429, 1234)])).toEqual([
      'config',
      'config+1@1000',
    ]);
  });

  it('stop when the next wait does not fit the 60 s of the request', () => {
    const patient = retrying({ attempts: 3, use_retry_after_header: true });
    expect(play(plan(patient), [responded(429, 60_000)])).toEqual(['config', 'answered']);
    const cursor = plan(fallback([patient, patient]));
    expect(
      play(cursor, [
        responded(429, 40_000),
        responded(429, 20_001),
        responded(429, 20_000),
        responded(429, 1),
      ]),
    ).toEqual([
      'config.t[0]',
      'config.t[0]+1@40000',
      'config.t[1]',
      'config.t[1]+1@20000',
      'targets_exhausted',
    ]);
    expect(cursor.retryCount).toBe(-1);
  });

  it('wait no longer in total than max_wait', () => {
    const hasty = plan(retrying({ attempts: 5, max_wait: 4000 }));
    expect(play(hasty, [responded(503), responded(503), responded(503)])).toEqual([
      'config',
      'config+1@1000',
      'config+2@2000',
      'answered',
    ]);
    expect(hasty.routingEvents).toEqual([{ target: 'config', event: 'wait_budget_spent' }]);
  });

  it("stop when the next wait does not fit the request's time, and a fallback still moves on", () => {
    const hurried = (outcome: AttemptOutcome): AttemptOutcome => ({ ...outcome, waitMaxMs: 700 });
    const config = compiled(fallback([retrying({ attempts: 3, use_retry_after_header: true }), b]));
    for (const first of [responded(503), responded(429, 5000)]) {
      const cursor = createPlan(config, factsOf(), runtimeOf());
      expect(play(cursor, [hurried(first), responded(200)])).toEqual([
        'config.t[0]',
        'config.t[1]',
        'answered',
      ]);
      expect(cursor.routingEvents).toEqual([{ target: 'config.targets[0]', event: 'wait_budget_spent' }]);
    }
  });

  it('and fallbacks stop after the last call that a request may make', () => {
    const config = compiled(fallback([retrying({ attempts: 3 }), b]));
    const last = (outcome: AttemptOutcome): AttemptOutcome => ({ ...outcome, isLast: true });
    const cursor = createPlan(config, factsOf(), runtimeOf());
    const reported = play(cursor, [responded(503), last(responded(503))]);
    expect(reported).toEqual(['config.t[0]', 'config.t[0]+1@1000', 'answered']);
    expect(cursor.routingEvents).toEqual([{ target: 'config.targets[0]', event: 'call_limit_reached' }]);
    expect(cursor.retryCount).toBe(-1);
    const whole = createPlan(config, factsOf(), runtimeOf());
    expect(play(whole, [last(responded(200))])).toEqual(['config.t[0]', 'answered']);
    expect(whole.routingEvents).toEqual([]);
  });

  it('stop when the retry budget is used up, and a fallback still moves on', () => {
    const runtime = { ...runtimeOf(), state: createRoutingState({ retries: { savedMax: 0 } }) };
    const config = compiled(fallback([retrying({ attempts: 3 }), b]));
    const cursor = createPlan(config, factsOf(), runtime);
    expect(play(cursor, [responded(503), responded(200)])).toEqual([
      'config.t[0]',
      'config.t[1]',
      'answered',
    ]);
    expect(cursor.routingEvents).toEqual([{ target: 'config.targets[0]', event: 'retry_budget_spent' }]);
  });

  it('and fallbacks act on a stream that broke off at the client only with on_stream_failure continue', () => {
    for (const mode of ['fail', 'restart', 'continue'] as const) {
      const config = fallback([{ ...retrying({ attempts: 1 }), on_stream_failure: mode }, b]);
      const reported = play(plan(config), [failed('cut'), failed('cut'), responded(200)]);
      const onwards = ['config.t[0]', 'config.t[0]+1@1000', 'config.t[1]', 'answered'];
      expect(reported).toEqual(mode === 'continue' ? onwards : ['config.t[0]', 'answered']);
    }
  });
});

describe('RoutingCursor', () => {
  it('records its choices and the condition that matched', () => {
    const cursor = plan(
      fallback([
        a,
        {
          strategy: {
            mode: 'conditional',
            conditions: [
              { query: { 'metadata.plan': 'free' }, then: 'a' },
              { query: { 'metadata.plan': 'paid' }, then: 'b' },
            ],
          },
          targets: [a, b],
        },
      ]),
      0,
      { plan: 'paid' },
    );
    expect(cursor.matchedCondition).toBeNull();
    play(cursor, [responded(500), responded(200)]);
    expect(cursor.strategyTrail).toEqual([
      'config: fallback -> targets[0]',
      'config: fallback -> targets[1]',
      'config.targets[1]: conditional -> targets[1]',
    ]);
    expect(cursor.matchedCondition).toBe('config.targets[1].strategy.conditions[1] -> b');
    expect(plan(a).strategyTrail).toEqual([]);
  });

  it('stays stopped, and throws when next is called without the outcome of the last step', () => {
    const cursor = plan(fallback([a, b]));
    cursor.next(null);
    expect(thrownBy(() => cursor.next(null))).toMatchObject({ type: 'internal_error' });
    expect(cursor.next(responded(200)).kind).toBe('stop');
    expect(cursor.next(responded(500)).kind).toBe('stop');
  });

  it('does not read facts that no condition needs', () => {
    const never = (): never => {
      throw new Error('called');
    };
    const lazy: RequestFacts = {
      metadata: {},
      params: never,
      header: never,
      pathname: '/',
      model: never,
      caller: never,
      workspace: () => 'w',
      endpoint: never,
    };
    const compiled = compileConfig(fallback([a, { strategy: { mode: 'loadbalance' }, targets: [a, b] }]));
    const cursor = createPlan(compiled, lazy, {
      random: () => 0,
      now: () => 0,
      state: createRoutingState(),
    });
    expect(play(cursor, [responded(500), responded(500)])).toHaveLength(3);
  });
});
