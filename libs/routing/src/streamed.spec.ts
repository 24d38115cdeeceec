import { createPlan, type AttemptOutcome, type RoutingCursor } from './index';
import { responded, compiled, factsOf, runtimeOf } from './spec-support/play';

const a = { name: 'a', provider: 'openai' };
const b = { name: 'b', provider: 'anthropic' };
const started: AttemptOutcome = { ...responded(200), goesOn: true };
const cut: AttemptOutcome = { ...responded(200), failure: 'cut' };

describe('RoutingCursor.streamed', () => {
  const breaking = compiled({
    strategy: {
      mode: 'fallback',
      cb_config: { consecutive_failures: 1, cooldown_interval: 1000, slow_stream_speed: 20 },
    },
    targets: [a, b],
  });
  const start = (runtime = runtimeOf(), config = breaking): RoutingCursor => {
    const cursor = createPlan(config, factsOf(), runtime);
    cursor.next(null);
    expect(cursor.next(started)).toEqual({ kind: 'stop', reason: 'answered' });
    return cursor;
  };
  const first = (runtime: ReturnType<typeof runtimeOf>): string => {
    const cursor = createPlan(breaking, factsOf(), runtime);
    const step = cursor.next(null);
    return step.kind === 'attempt' ? step.target.path : '';
  };

  it.each([
    ['it broke off', cut],
    ['it was too slow', { ...responded(200), speed: 19 }],
  ] as const)('opens the breaker of the target when the stream has ended and %s', (_, outcome) => {
    const runtime = runtimeOf();
    const cursor = start(runtime);
    expect(first(runtime)).toBe('config.targets[0]');
    cursor.streamed(outcome);
    expect(cursor.routingEvents).toEqual([{ target: 'config.targets[0]', event: 'breaker_opened' }]);
    expect(first(runtime)).toBe('config.targets[1]');
  });

  it('ignores null, and any report after the first one', () => {
    const runtime = runtimeOf();
    const cursor = start(runtime);
    cursor.streamed(null);
    cursor.streamed(cut);
    expect(first(runtime)).toBe('config.targets[0]');
  });

  it("decides a breaker's probe at the end of the stream, and frees its place when there is no verdict", () => {
    const runtime = runtimeOf();
    start(runtime).streamed(cut);
    runtime.nowMs += 1000;
    const probe = start(runtime);
    expect(first(runtime)).toBe('config.targets[1]');
    probe.streamed(null);
    const next = start(runtime);
    next.streamed({ ...responded(200), speed: 30 });
    expect(next.routingEvents.map(({ event }) => event)).toEqual(['breaker_probe', 'breaker_closed']);
    expect(first(runtime)).toBe('config.targets[0]');
  });

  it('records the latency of the first event and the speed, by which highest_speed chooses', () => {
    const runtime = runtimeOf(0.9);
    const balanced = compiled({
      strategy: { mode: 'loadbalance', algorithm: 'highest_speed' },
      targets: [a, b],
    });
    const one = compiled({ strategy: { mode: 'loadbalance', algorithm: 'highest_speed' }, targets: [a] });
    start(runtime, one).streamed({ ...responded(200, null, 70), speed: 30 });
    const { statistics } = runtime.state;
    const figures = (): (number | null)[] => [
      statistics.meanLatencyMs('config.targets[0]', runtime.nowMs),
      statistics.meanSpeed('config.targets[0]', runtime.nowMs),
    ];
    expect(figures()).toEqual([70, 30]);
    start(runtime, one).streamed({ ...responded(200, null, 30), speed: 50 });
    start(runtime, one).streamed({ ...responded(200, null, 50), speed: null });
    start(runtime, one).streamed(cut);
    expect(figures()).toEqual([50, 40]);
    const chosen = (): string => {
      const step = createPlan(balanced, factsOf(), runtime).next(null);
      return step.kind === 'attempt' ? step.target.path : '';
    };
    statistics.speed('config.targets[1]', 39, runtime.nowMs);
    expect(chosen()).toBe('config.targets[0]');
    statistics.speed('config.targets[1]', 45, runtime.nowMs);
    expect(chosen()).toBe('config.targets[1]');
    runtime.nowMs += 60_000;
    expect(figures()).toEqual([null, null]);
  });
});
