import type { GatewayConfig } from '@gw/config-schema';
import { createPlan } from './index';
import { compiled, failed, request, responded, runtimeOf, factsOf } from './spec-support/play';

const a = { name: 'a', provider: 'openai' };
const b = { name: 'b', provider: 'anthropic' };
const cb_config = { consecutive_failures: 1, cooldown_interval: 60_000 };

describe('a choice between a target with an open breaker and one that is avoided', () => {
  const strategies: readonly GatewayConfig[] = [
    { strategy: { mode: 'loadbalance', cb_config }, targets: [a, b] },
    { strategy: { mode: 'loadbalance', cb_config, sticky: { enabled: true } }, targets: [a, b] },
    { strategy: { mode: 'loadbalance', cb_config, algorithm: 'least_cost' }, targets: [a, b] },
    { strategy: { mode: 'canary', cb_config, percentage: 50 }, targets: [a, b] },
    { strategy: { mode: 'hedge', cb_config }, targets: [a, b] },
  ];

  it.each(strategies.map((config) => [JSON.stringify(config.strategy), config] as const))(
    'never takes the open one: %s',
    (_name, config) => {
      for (const status of [401, 429]) {
        for (const open of [0, 1]) {
          const runtime = runtimeOf(0);
          const { health } = runtime.state;
          const targets = compiled(config).targets.map(({ path }) => path);
          const [opened = '', avoided = ''] = open === 0 ? targets : targets.toReversed();
          const rules = compiled(config).targets[0]?.breaker;
          if (!rules) throw new Error('the target has no breaker');
          health.record(opened, rules, { failed: true, isProbe: false }, runtime.nowMs);
          const mark = status === 401 ? 'credential_failing' : 'rate_limited';
          health.mark(avoided, mark, runtime.nowMs + 30_000, runtime.nowMs);
          for (const drawn of [0, 0.3, 0.6, 0.99]) {
            runtime.drawn = drawn;
            const step = createPlan(compiled(config), factsOf(), runtime).next(null);
            expect(step).toMatchObject({ kind: 'attempt', target: { path: avoided } });
          }
        }
      }
    },
  );
});

describe('a mark of an endpoint', () => {
  it('ends when the clock is set back behind its beginning', () => {
    const config = compiled({ strategy: { mode: 'loadbalance' }, targets: [a, b] });
    const runtime = runtimeOf(0, 10_000_000);
    request(config, runtime, [responded(429, 60_000)]);
    expect(request(config, runtime, []).reported).toEqual(['config.t[1]']);
    runtime.nowMs -= 3_600_000;
    expect(request(config, runtime, []).reported).toEqual(['config.t[0]']);
  });
});

describe('a rate-limited target of a hedge', () => {
  it('is replaced without a second call, because that attempt is a retry', () => {
    const hedge = (one: GatewayConfig): GatewayConfig => ({
      strategy: { mode: 'hedge', hedge_delay: 5 },
      targets: [one, { provider: 'groq' }],
    });
    const config = compiled({
      strategy: { mode: 'loadbalance' },
      retry: { attempts: 1 },
      targets: [hedge(a), hedge(b)],
    });
    const cursor = createPlan(config, factsOf(), runtimeOf(0));
    expect(cursor.next(null)).toMatchObject({ target: { name: 'a' }, hedge: { delayMs: 5 } });
    expect(cursor.next(responded(429))).toMatchObject({ target: { name: 'b' }, retry: 1, hedge: null });
    expect(cursor.next(responded(200))).toMatchObject({ kind: 'stop' });
  });
});

describe('the limit of calls', () => {
  const last = { isLast: true };

  it('is not reported when no retry and no target is left anyway', () => {
    const config = compiled({
      strategy: { mode: 'fallback' },
      targets: [a, { ...b, retry: { attempts: 1 } }],
    });
    const cursor = createPlan(config, factsOf(), runtimeOf());
    cursor.next(null);
    cursor.next(responded(503));
    cursor.next(responded(503));
    expect(cursor.next({ ...responded(503), ...last })).toEqual({
      kind: 'stop',
      reason: 'targets_exhausted',
    });
    expect(cursor.routingEvents).toEqual([]);
    expect(cursor.retryCount).toBe(-1);
  });

  it('applies to a stream of the second call of a hedge, which only its target continues', () => {
    const config = compiled({
      strategy: { mode: 'fallback' },
      targets: [
        {
          strategy: { mode: 'hedge', hedge_delay: 5 },
          targets: [a, { ...b, on_stream_failure: 'continue' }],
        },
        { provider: 'groq' },
      ],
    });
    const cursor = createPlan(config, factsOf(), runtimeOf());
    cursor.next(null);
    const other = { status: 200, failure: null, elapsedMs: 1, cancelled: true } as const;
    const cut = { ...failed('cut'), ...last, hedge: { winner: 'second' as const, other } };
    expect(cursor.next(cut)).toMatchObject({ kind: 'stop' });
    expect(cursor.routingEvents).toEqual([
      { target: 'config.targets[0].targets[1]', event: 'call_limit_reached' },
    ]);
  });

  it('is no spent retry of a config without retries', () => {
    const config = compiled({ strategy: { mode: 'fallback' }, targets: [a, b] });
    const cursor = createPlan(config, factsOf(), runtimeOf());
    cursor.next(null);
    expect(cursor.next({ ...responded(503), ...last })).toMatchObject({ kind: 'stop' });
    expect([cursor.retryCount, cursor.routingEvents.length]).toEqual([0, 1]);
  });
});

describe('the budget of second calls', () => {
  it('pays for a cheaper target as for an equal one, so that its share stays a bound', () => {
    const config = compiled({ strategy: { mode: 'hedge', hedge_delay: 5 }, targets: [a, b] });
    const runtime = runtimeOf();
    const { hedges, statistics } = runtime.state;
    statistics.cost('config.targets[0]', 100);
    statistics.cost('config.targets[1]', 0);
    let made = 0;
    for (let index = 0; index < 1_000; index += 1) {
      const step = createPlan(config, factsOf(), runtime).next(null);
      if (step.kind === 'attempt' && step.hedge && hedges.take(step.hedge)) made += 1;
    }
    expect(made).toBeLessThanOrEqual(81);
    expect(made).toBeGreaterThan(70);
  });
});
