import { TargetStatistics } from './index';

const START_MS = 1_000_000;

describe('TargetStatistics', () => {
  const filled = (latencies: readonly number[], nowMs = START_MS): TargetStatistics => {
    const statistics = new TargetStatistics();
    for (const ms of latencies) statistics.latency('e', ms, nowMs);
    return statistics;
  };
  const range = (length: number, valueOf: (index: number) => number): number[] =>
    Array.from({ length }, (_, index) => valueOf(index));

  it.each([
    [range(100, (index) => index + 1), 95],
    [range(1000, (index) => (index < 960 ? 20 : 3000)), 20],
    [range(1000, (index) => (index < 940 ? 20 : 3000)), 3000],
    [range(50, () => 0.2), 1],
    [range(20, () => 60_000), 60_000],
  ])('returns the 95th percentile with an error of at most a sixth (case %#)', (latencies, expected) => {
    const p95 = filled(latencies).p95LatencyMs('e', START_MS) ?? 0;
    expect(p95 / expected).toBeGreaterThan(0.85);
    expect(p95 / expected).toBeLessThan(1.18);
  });

  it('returns null for a percentile of fewer than 20 calls, and for an unknown endpoint', () => {
    expect(filled(range(19, () => 5)).p95LatencyMs('e', START_MS)).toBeNull();
    expect(filled(range(20, () => 5)).p95LatencyMs('e', START_MS)).not.toBeNull();
    expect(filled([]).p95LatencyMs('f', START_MS)).toBeNull();
    expect(filled([]).meanLatencyMs('f', START_MS)).toBeNull();
    expect(filled([]).costOf('f')).toBeNull();
    expect(filled([]).busyOf('f')).toBe(0);
  });

  it('forgets measurements after half a minute to a minute', () => {
    const statistics = filled([100, 300]);
    expect(statistics.meanLatencyMs('e', START_MS + 29_999)).toBe(200);
    statistics.latency('e', 50, START_MS + 30_000);
    expect(statistics.meanLatencyMs('e', START_MS + 59_000)).toBe(150);
    statistics.latency('e', 10, START_MS + 61_000);
    expect(statistics.meanLatencyMs('e', START_MS + 61_000)).toBe(30);
    expect(statistics.meanLatencyMs('e', START_MS + 200_000)).toBeNull();
  });

  it('counts calls in flight, and never below zero', () => {
    const statistics = new TargetStatistics();
    statistics.ended('e');
    statistics.started('e');
    statistics.started('e');
    statistics.ended('e');
    expect(statistics.busyOf('e')).toBe(1);
    statistics.ended('e');
    statistics.ended('e');
    expect(statistics.busyOf('e')).toBe(0);
  });

  it('returns a moving average of the cost of calls', () => {
    const statistics = new TargetStatistics();
    statistics.cost('e', 100);
    expect(statistics.costOf('e')).toBe(100);
    statistics.cost('e', 200);
    expect(statistics.costOf('e')).toBe(110);
  });

  it('holds no more endpoints than its capacity', () => {
    const statistics = new TargetStatistics(2);
    for (const endpoint of ['a', 'b', 'c']) statistics.cost(endpoint, 1);
    expect(['a', 'b', 'c'].map((endpoint) => statistics.costOf(endpoint))).toEqual([null, 1, 1]);
  });
});
