import type { GatewayConfig } from '@gw/config-schema';
import type { CompiledBreaker } from './compile/compiled';
import {
  createPlan,
  createRoutingState,
  endsHedge,
  type AttemptOutcome,
  type HedgeReport,
  type RoutingStep,
} from './index';
import {
  responded,
  compiled,
  seededRandom,
  factsOf,
  failed,
  play,
  request,
  runtimeOf,
} from './spec-support/play';

const a = { name: 'a', provider: 'openai' };
const b = { name: 'b', provider: 'anthropic' };
const c = { name: 'c', provider: 'groq' };
const cb_config = { consecutive_failures: 2, cooldown_interval: 1000 };

describe('a target with an open breaker', () => {
  const fallback = compiled({ strategy: { mode: 'fallback', cb_config }, targets: [a, b] });
  const down = [responded(500), responded(200)];

  it('is skipped by a fallback until a probe succeeds, with every step among the routing events', () => {
    const runtime = runtimeOf();
    expect(request(fallback, runtime, down).reported).toEqual(['config.t[0]', 'config.t[1]', 'answered']);
    const opening = request(fallback, runtime, down);
    expect(opening.cursor.routingEvents).toEqual([{ target: 'config.targets[0]', event: 'breaker_opened' }]);
    const passed = request(fallback, runtime, [responded(200)]);
    expect(passed.reported).toEqual(['config.t[1]', 'answered']);
    expect(passed.cursor.routingEvents).toEqual([{ target: 'config.targets[0]', event: 'breaker_open' }]);
    runtime.nowMs += 1000;
    const probe = request(fallback, runtime, [responded(200)]);
    expect(probe.reported).toEqual(['config.t[0]', 'answered']);
    expect(probe.cursor.routingEvents.map(({ event }) => event)).toEqual(['breaker_probe', 'breaker_closed']);
    expect(request(fallback, runtime, [responded(200)]).reported).toEqual(['config.t[0]', 'answered']);
  });

  it('gets one probe at a time, and another one after a probe was abandoned', () => {
    const runtime = runtimeOf();
    for (let round = 0; round < 2; round++) request(fallback, runtime, down);
    runtime.nowMs += 1000;
    const probe = createPlan(fallback, factsOf(), runtime);
    expect(probe.next(null)).toMatchObject({ target: { name: 'a' } });
    expect(request(fallback, runtime, []).reported).toEqual(['config.t[1]']);
    probe.abandon();
    expect(request(fallback, runtime, []).reported).toEqual(['config.t[0]']);
  });

  it('is attempted when every breaker of the config is open', () => {
    const runtime = runtimeOf();
    for (let round = 0; round < 2; round++) request(fallback, runtime, [responded(500), responded(500)]);
    const last = request(fallback, runtime, [responded(500), responded(200)]);
    expect(last.reported).toEqual(['config.t[0]', 'config.t[1]', 'answered']);
    expect(last.cursor.routingEvents.map(({ event }) => event)).toEqual([
      ...['breaker_open', 'breaker_open'],
      ...['breaker_bypassed', 'breaker_bypassed'],
    ]);
  });

  it('is not retried once its breaker opens', () => {
    const patient = { ...a, retry: { attempts: 5 } };
    const config = compiled({ strategy: { mode: 'fallback', cb_config }, targets: [patient, b] });
    expect(request(config, runtimeOf(), [responded(500), responded(500), responded(200)]).reported).toEqual([
      'config.t[0]',
      'config.t[0]+1@1000',
      'config.t[1]',
      'answered',
    ]);
  });

  it('is left out of a balanced choice, a sticky one and a canary', () => {
    const open = (strategy: GatewayConfig): string[] => {
      const config = compiled(strategy);
      const runtime = runtimeOf(0);
      const first = (): string => request(config, runtime, []).reported[0] ?? '';
      const before = first();
      for (let round = 0; round < 2; round++) request(config, runtime, [failed('timeout')]);
      return [before, first()];
    };
    const targets = [a, b];
    expect(open({ strategy: { mode: 'loadbalance', cb_config }, targets })).toEqual([
      'config.t[0]',
      'config.t[1]',
    ]);
    const sticky = { mode: 'loadbalance' as const, cb_config, sticky: { enabled: true } };
    const [before, after] = open({ strategy: sticky, targets });
    expect(new Set([before, after])).toEqual(new Set(['config.t[0]', 'config.t[1]']));
    const canary = { mode: 'canary' as const, percentage: 10, cb_config };
    expect(open({ strategy: canary, targets })).toEqual(['config.t[1]', 'config.t[0]']);
  });

  it('causes a fallback to skip a nested strategy none of whose targets is available', () => {
    const config = compiled({
      strategy: { mode: 'fallback', cb_config },
      targets: [
        { strategy: { mode: 'fallback' }, targets: [a, b] },
        {
          strategy: { mode: 'conditional', conditions: [{ query: {}, then: 'c' }] },
          targets: [c],
        },
      ],
    });
    const runtime = runtimeOf();
    const bad = responded(500);
    for (let round = 0; round < 2; round++) request(config, runtime, [bad, bad, responded(200)]);
    expect(request(config, runtime, [responded(200)]).reported).toEqual(['config.t[1].t[0]', 'answered']);
  });

  it('does not open for calls that the gateway refused or a guardrail denied', () => {
    const runtime = runtimeOf();
    for (let round = 0; round < 5; round++)
      request(fallback, runtime, [failed('refused', 429), failed('denied', 446)]);
    expect(request(fallback, runtime, []).reported).toEqual(['config.t[0]']);
  });
});

describe('a fallback whose first target fails 30 % of its calls', () => {
  it('returns no error in 5,000 requests, with and without a breaker', () => {
    for (const rules of [{}, { cb_config: { failure_threshold_percentage: 50 } }]) {
      const config = compiled({ strategy: { mode: 'fallback', ...rules }, targets: [a, b] });
      const random = seededRandom(5);
      const runtime = runtimeOf();
      for (let index = 0; index < 5000; index++) {
        runtime.nowMs += 10;
        const cursor = createPlan(config, factsOf(), runtime);
        let step = cursor.next(null);
        let status = 0;
        while (step.kind === 'attempt') {
          status = step.target.name === 'a' && random() < 0.3 ? 503 : 200;
          step = cursor.next(responded(status));
        }
        expect(status).toBe(200);
      }
    }
  });
});

describe('a target with a refused credential', () => {
  it.each([401, 402, 403])(
    'is put last for half a minute after %d, and still attempted when nothing else responds',
    (status) => {
      const config = compiled({ strategy: { mode: 'fallback' }, targets: [a, b] });
      const runtime = runtimeOf();
      request(config, runtime, [responded(status), responded(200)]);
      const next = request(config, runtime, [responded(500), responded(200)]);
      expect(next.reported).toEqual(['config.t[1]', 'config.t[0]', 'answered']);
      expect(next.cursor.routingEvents).toEqual([
        { target: 'config.targets[0]', event: 'credential_failing' },
      ]);
      runtime.nowMs += 30_000;
      expect(request(config, runtime, []).reported).toEqual(['config.t[0]']);
    },
  );

  it('is left out of a balanced choice while another one works', () => {
    const config = compiled({ strategy: { mode: 'loadbalance' }, targets: [a, b] });
    const runtime = runtimeOf(0);
    request(config, runtime, [responded(401)]);
    expect(request(config, runtime, [responded(401)]).reported).toEqual(['config.t[1]', 'answered']);
    expect(request(config, runtime, []).reported).toEqual(['config.t[0]']);
  });

  it('is not retried unless the config lists the status', () => {
    const repeating = (retry: NonNullable<GatewayConfig['retry']>): string[] =>
      request(compiled({ ...a, retry }), runtimeOf(), [responded(401)]).reported;
    expect(repeating({ attempts: 3 })).toEqual(['config', 'answered']);
    expect(repeating({ attempts: 3, on_status_codes: [401] })).toEqual(['config', 'config+1@1000']);
  });
});

describe('a rate-limited target', () => {
  const rotating = compiled({
    strategy: { mode: 'loadbalance' },
    retry: { attempts: 3, use_retry_after_header: true },
    targets: [a, b, c],
  });

  it('is replaced by each sibling once without a wait; then the last one is retried after its Retry-After', () => {
    const { reported, cursor } = request(rotating, runtimeOf(0), [
      responded(429, 5000),
      responded(429, 6000),
      responded(429, 7000),
      responded(200),
    ]);
    expect(reported).toEqual([
      'config.t[0]',
      'config.t[1]+1@0',
      'config.t[2]+2@0',
      'config.t[2]+3@7000',
      'answered',
    ]);
    expect(cursor.routingEvents.filter(({ event }) => event === 'rotated')).toHaveLength(2);
    expect(cursor.retryCount).toBe(3);
  });

  it('is skipped by other requests for its Retry-After', () => {
    const runtime = runtimeOf(0);
    request(rotating, runtime, [responded(429, 5000), responded(200)]);
    expect(request(rotating, runtime, []).reported).toEqual(['config.t[1]']);
    runtime.nowMs += 5000;
    expect(request(rotating, runtime, []).reported).toEqual(['config.t[0]']);
  });

  it('is still attempted by a fallback, which has no equal alternatives', () => {
    const config = compiled({ strategy: { mode: 'fallback' }, targets: [a, b] });
    const runtime = runtimeOf();
    request(config, runtime, [responded(429, 5000), responded(200)]);
    expect(request(config, runtime, []).reported).toEqual(['config.t[0]']);
  });

  it('is replaced when the gateway refused the call because of a limit', () => {
    const reported = request(rotating, runtimeOf(0), [failed('refused', 429), responded(200)]).reported;
    expect(reported).toEqual(['config.t[0]', 'config.t[1]+1@0', 'answered']);
  });

  describe('next to a conditional without a match', () => {
    const unmatched: GatewayConfig = {
      strategy: { mode: 'conditional', conditions: [{ query: { model: 'other' }, then: 'a' }] },
      targets: [a],
    };
    const balanced = (...targets: GatewayConfig[]): GatewayConfig => ({
      ...{ strategy: { mode: 'loadbalance' }, targets },
      retry: { attempts: 2, use_retry_after_header: true },
    });

    it('is replaced by the sibling after the conditional', () => {
      const config = compiled(balanced(a, unmatched, c));
      const { reported, cursor } = request(config, runtimeOf(0), [responded(429, 5000), responded(200)]);
      expect(reported).toEqual(['config.t[0]', 'config.t[2]+1@0', 'answered']);
      expect(cursor.routingEvents).toEqual([{ target: 'config.targets[2]', event: 'rotated' }]);
    });

    it('is retried after its Retry-After when no other sibling is left, also inside a fallback', () => {
      for (const [config, path] of [
        [balanced(a, unmatched), 'config'],
        [balanced(a, { strategy: { mode: 'fallback' }, targets: [unmatched] }), 'config'],
        [{ strategy: { mode: 'fallback' }, targets: [balanced(a, unmatched), b] }, 'config.t[0]'],
      ] satisfies [GatewayConfig, string][]) {
        const outcomes = [responded(429, 5000), responded(200)];
        const { reported, cursor } = request(compiled(config), runtimeOf(0), outcomes);
        expect(reported).toEqual([`${path}.t[0]`, `${path}.t[0]+1@5000`, 'answered']);
        expect(cursor.retryCount).toBe(1);
      }
    });

    it('takes one retry from the budget', () => {
      const runtime = { ...runtimeOf(0), state: createRoutingState({ retries: { savedMax: 1 } }) };
      const { reported } = request(compiled(balanced(a, unmatched)), runtime, [
        responded(429),
        responded(200),
      ]);
      expect(reported).toHaveLength(3);
    });
  });

  it('is not replaced when the retry budget is used up', () => {
    const runtime = { ...runtimeOf(0), state: createRoutingState({ retries: { savedMax: 0 } }) };
    const { reported, cursor } = request(rotating, runtime, [responded(429)]);
    expect(reported).toEqual(['config.t[0]', 'answered']);
    expect(cursor.routingEvents.map(({ event }) => event)).toEqual(['retry_budget_spent']);
  });

  it('is not replaced when the config asks for no retries', () => {
    const config = compiled({ strategy: { mode: 'loadbalance' }, targets: [a, b] });
    expect(request(config, runtimeOf(0), [responded(429)]).reported).toEqual(['config.t[0]', 'answered']);
  });
});

describe('loadbalance by measurements', () => {
  const share = (
    algorithm: 'least_latency' | 'least_cost' | 'least_busy',
    targets: readonly GatewayConfig[],
  ) => {
    const config = compiled({ strategy: { mode: 'loadbalance', algorithm }, targets });
    const random = seededRandom(7);
    const runtime = { ...runtimeOf(), random };
    return {
      state: runtime.state,
      picks: (requests: number): number[] => {
        const counts = targets.map(() => 0);
        for (let index = 0; index < requests; index++) {
          const step = createPlan(config, factsOf(), runtime).next(null);
          if (step.kind !== 'attempt') continue;
          const position = config.targets.indexOf(step.target);
          counts[position] = (counts[position] ?? 0) + 1;
        }
        return counts;
      },
    };
  };

  it('picks the fastest target, and sometimes measures the others', () => {
    const { state, picks } = share('least_latency', [a, b, c]);
    for (const [index, ms] of [80, 20, 50].entries()) {
      state.statistics.latency(`config.targets[${String(index)}]`, ms, 1_000_000);
    }
    const [slow = 0, quick = 0, middling = 0] = picks(3000);
    expect(quick).toBeGreaterThan(2850);
    expect(slow).toBeGreaterThan(0);
    expect(middling).toBeGreaterThan(0);
  });

  it('picks the cheapest target', () => {
    const { state, picks } = share('least_cost', [a, b]);
    state.statistics.cost('config.targets[0]', 5);
    state.statistics.cost('config.targets[1]', 50);
    expect(picks(1000)[0]).toBeGreaterThan(940);
  });

  it('ignores measurements of nested targets of weight 0', () => {
    const nested = {
      strategy: { mode: 'loadbalance' } as const,
      targets: [
        { ...a, weight: 0 },
        { ...b, weight: 1 },
      ],
    };
    const config = compiled({
      strategy: { mode: 'loadbalance', algorithm: 'least_cost' },
      targets: [nested, c],
    });
    const runtime = { ...runtimeOf(), random: seededRandom(7) };
    const { statistics } = runtime.state;
    statistics.cost('config.targets[0].targets[0]', 5);
    statistics.cost('config.targets[0].targets[1]', 500);
    statistics.cost('config.targets[1]', 50);
    const picked = Array.from({ length: 1000 }, () => {
      const step = createPlan(config, factsOf(), runtime).next(null);
      return step.kind === 'attempt' ? step.target.name : null;
    });
    expect(picked.filter((name) => name === 'c').length).toBeGreaterThan(940);
    expect(picked).not.toContain('a');
  });

  it('picks the target with the fewest calls in flight for its weight', () => {
    const { state, picks } = share('least_busy', [
      { ...a, weight: 1 },
      { ...b, weight: 10 },
    ]);
    for (let call = 0; call < 2; call++) state.statistics.started('config.targets[0]');
    for (let call = 0; call < 10; call++) state.statistics.started('config.targets[1]');
    expect(picks(1000)[1]).toBeGreaterThan(940);
    for (let call = 0; call < 2; call++) state.statistics.ended('config.targets[0]');
    expect(picks(1000)[0]).toBeGreaterThan(900);
  });

  it('picks by weight while nothing is measured, and never a target of weight 0', () => {
    const { picks } = share('least_latency', [
      { ...a, weight: 3 },
      { ...b, weight: 1 },
      { ...c, weight: 0 },
    ]);
    const [three = 0, one = 0, none] = picks(4000);
    expect(Math.abs(three - 3000)).toBeLessThan(150);
    expect(Math.abs(one - 1000)).toBeLessThan(150);
    expect(none).toBe(0);
  });

  it('counts the time of a timeout as latency, and does not count fast failures', () => {
    const config = compiled({
      strategy: { mode: 'loadbalance', algorithm: 'least_latency' },
      targets: [a, b],
    });
    const runtime = runtimeOf(0.06);
    runtime.state.statistics.latency('config.targets[1]', 40, runtime.nowMs);
    const timeout: AttemptOutcome = { status: 408, failure: 'timeout', retryAfterMs: null, elapsedMs: 9000 };
    const { statistics } = runtime.state;
    statistics.latency('config.targets[0]', 1, runtime.nowMs);
    request(config, runtime, [timeout]);
    expect(statistics.meanLatencyMs('config.targets[0]', runtime.nowMs)).toBe(4500.5);
    request(config, runtime, [responded(500, null, 1)]);
    expect(statistics.meanLatencyMs('config.targets[1]', runtime.nowMs)).toBe(40);
  });
});

describe('hedge', () => {
  const config = compiled({ strategy: { mode: 'hedge' }, retry: { attempts: 1 }, targets: [a, b] });
  const measuredRuntime = (latencyMs = 50) => {
    const runtime = runtimeOf();
    for (let call = 0; call < 100; call++) {
      runtime.state.statistics.latency('config.targets[0]', latencyMs, runtime.nowMs);
    }
    return runtime;
  };
  const report = (winner: 'first' | 'second', other: Partial<HedgeReport['other']> = {}): HedgeReport => ({
    winner,
    other: { status: null, failure: null, elapsedMs: 80, cancelled: true, ...other },
  });
  const hedgeOf = (step: RoutingStep) => (step.kind === 'attempt' ? step.hedge : null);

  it('offers a second request after the recent 95th percentile of the first target', () => {
    const offer = hedgeOf(createPlan(config, factsOf(), measuredRuntime()).next(null));
    expect(offer?.target.name).toBe('b');
    expect(offer?.delayMs).toBeGreaterThan(45);
    expect(offer?.delayMs).toBeLessThan(60);
  });

  it('offers no second request before the latency is known, unless the config sets the delay', () => {
    expect(hedgeOf(createPlan(config, factsOf(), runtimeOf()).next(null))).toBeNull();
    const fixed = compiled({ strategy: { mode: 'hedge', hedge_delay: 30 }, targets: [a] });
    const offer = hedgeOf(createPlan(fixed, factsOf(), runtimeOf()).next(null));
    expect(offer).toMatchObject({ delayMs: 30, target: { name: 'a' } });
  });

  it('retries the target that won the hedge, without a second request', () => {
    const runtime = measuredRuntime();
    const cursor = createPlan(config, factsOf(), runtime);
    cursor.next(null);
    const both = { ...responded(503), hedge: report('second', { status: 500, cancelled: false }) };
    expect(cursor.next(both)).toMatchObject({
      kind: 'attempt',
      target: { name: 'b' },
      retry: 1,
      hedge: null,
    });
    expect(cursor.next(responded(200)).kind).toBe('stop');
    expect(runtime.state.hedges.totals()).toMatchObject({ offered: 1, won: 1, wasted: 1 });
  });

  it('counts the time waited for a cancelled request as latency, so that the delay does not shrink', () => {
    const fixed = compiled({ strategy: { mode: 'hedge', hedge_delay: 30 }, targets: [a, b] });
    const runtime = runtimeOf();
    const cursor = createPlan(fixed, factsOf(), runtime);
    cursor.next(null);
    cursor.next({ ...responded(200, null, 40), hedge: report('second', { elapsedMs: 500 }) });
    const meanOf = (path: string): number | null =>
      runtime.state.statistics.meanLatencyMs(path, runtime.nowMs);
    expect([meanOf('config.targets[0]'), meanOf('config.targets[1]')]).toEqual([500, 40]);
  });

  it('more than halves the 99th percentile of latency with less than 10 % more calls', () => {
    const pair = compiled({ strategy: { mode: 'hedge' }, targets: [a, b] });
    const random = seededRandom(3);
    // One call in forty hangs for two seconds; the others take 40 to 60 ms.
    const callMs = (): number => (random() < 0.025 ? 2000 : 40 + random() * 20);
    const runtime = runtimeOf();
    const latencies: number[] = [];
    const alone: number[] = [];
    for (let index = 0; index < 5000; index++) {
      runtime.nowMs += 10;
      const cursor = createPlan(pair, factsOf(), runtime);
      const offer = hedgeOf(cursor.next(null));
      const firstMs = callMs();
      alone.push(firstMs);
      const isLate = offer !== null && firstMs > offer.delayMs && runtime.state.hedges.take(offer);
      const secondMs = callMs();
      const secondWins = isLate && offer.delayMs + secondMs < firstMs;
      const totalMs = secondWins ? offer.delayMs + secondMs : firstMs;
      latencies.push(totalMs);
      const waitedMs = isLate ? (secondWins ? totalMs : firstMs - offer.delayMs) : 0;
      cursor.next({
        ...responded(200, null, secondWins ? secondMs : firstMs),
        ...(isLate ? { hedge: report(secondWins ? 'second' : 'first', { elapsedMs: waitedMs }) } : {}),
      });
    }
    const p99 = (list: number[]): number =>
      [...list].sort((x, y) => x - y)[Math.floor(list.length * 0.99)] ?? 0;
    expect(p99(latencies)).toBeLessThan(p99(alone) / 2);
    const { made, offered } = runtime.state.hedges.totals();
    expect(offered).toBe(5000);
    expect(made).toBeGreaterThan(100);
    expect(made).toBeLessThan(500);
  });

  it('prices the second request by the cost of its target', () => {
    const runtime = measuredRuntime();
    runtime.state.statistics.cost('config.targets[0]', 10);
    runtime.state.statistics.cost('config.targets[1]', 30);
    expect(hedgeOf(createPlan(config, factsOf(), runtime).next(null))?.price).toBe(3);
  });

  it('calls only the available target when the breaker of the other one is open', () => {
    const broken = compiled({ strategy: { mode: 'hedge', hedge_delay: 30, cb_config }, targets: [a, b] });
    const runtime = runtimeOf();
    for (let round = 0; round < 2; round++) request(broken, runtime, [failed('timeout')]);
    const step = createPlan(broken, factsOf(), runtime).next(null);
    expect(step).toMatchObject({ kind: 'attempt', target: { name: 'b' }, hedge: null });
    const other = runtimeOf();
    const rules = broken.targets[1]?.breaker as CompiledBreaker;
    for (let round = 0; round < 2; round++) {
      other.state.health.record('config.targets[1]', rules, { failed: true, isProbe: false }, other.nowMs);
    }
    const alone = createPlan(broken, factsOf(), other).next(null);
    expect(alone).toMatchObject({ kind: 'attempt', target: { name: 'a' }, hedge: null });
  });

  it('counts as one target in a fallback', () => {
    const around = compiled({
      strategy: { mode: 'fallback' },
      targets: [{ strategy: { mode: 'hedge', hedge_delay: 30 }, targets: [a, b] }, c],
    });
    const cursor = createPlan(around, factsOf(), runtimeOf());
    expect(play(cursor, [responded(500), responded(200)])).toEqual([
      'config.t[0].t[0]',
      'config.t[1]',
      'answered',
    ]);
  });

  it.each([
    [responded(200), true],
    [responded(400), true],
    [responded(246), true],
    [responded(429), false],
    [responded(401), false],
    [responded(500), false],
    [failed('timeout', 408), false],
    [failed('unreachable'), false],
  ])('ends with outcome %j: %s', (outcome, expected) => {
    expect(endsHedge(outcome)).toBe(expected);
  });
});
