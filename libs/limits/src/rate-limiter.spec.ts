import type { RateLimitRule } from '@gw/contracts';
import { InProcessRateCounters, rateBuckets } from './rate-limiter';
import { windowStart } from './window';

const rule = (over: Partial<RateLimitRule> = {}): RateLimitRule => ({
  type: 'requests',
  unit: 'rpm',
  value: 2,
  ...over,
});
const AT = Date.parse('2026-03-04T10:20:30.500Z');

describe('windowStart', () => {
  it('starts weekly windows on Monday 00:00 UTC', () => {
    expect(new Date(windowStart('rpw', AT)).toISOString()).toBe('2026-03-02T00:00:00.000Z');
  });

  it.each([
    ['rps', '2026-03-04T10:20:30.000Z'],
    ['rpm', '2026-03-04T10:20:00.000Z'],
    ['rph', '2026-03-04T10:00:00.000Z'],
    ['rpd', '2026-03-04T00:00:00.000Z'],
  ] as const)('aligns %s to UTC', (unit, start) => {
    expect(new Date(windowStart(unit, AT)).toISOString()).toBe(start);
  });
});

describe('InProcessRateCounters', () => {
  it('admits up to the value and says when the window ends', () => {
    const counters = new InProcessRateCounters();
    const buckets = rateBuckets('api_key', 'k1', [rule()]);
    expect(counters.admit(buckets, AT).admitted).toBe(true);
    expect(counters.admit(buckets, AT).admitted).toBe(true);
    const refused = counters.admit(buckets, AT);
    expect(refused).toMatchObject({ admitted: false, retryAfterMs: 29_500 });
    expect(refused.states.at(-1)).toMatchObject({ limit: 2, used: 2, resetAt: '2026-03-04T10:21:00.000Z' });
  });

  it('starts again in the next window', () => {
    const counters = new InProcessRateCounters();
    const buckets = rateBuckets('api_key', 'k1', [rule({ value: 1 })]);
    counters.admit(buckets, AT);
    expect(counters.admit(buckets, AT).admitted).toBe(false);
    expect(counters.admit(buckets, AT + 30_000).admitted).toBe(true);
  });

  it('takes from no bucket when one refuses, so that a refusal costs the caller nothing elsewhere', () => {
    const counters = new InProcessRateCounters();
    const wide = rateBuckets('workspace', 'w1', [rule({ value: 1 })]);
    const closed = rateBuckets('api_key', 'k1', [rule({ value: 0 })]);
    expect(counters.admit([...wide, ...closed], AT).admitted).toBe(false);
    expect(counters.admit(wide, AT).admitted).toBe(true);
  });

  it('blocks everything at a value of 0', () => {
    expect(
      new InProcessRateCounters().admit(rateBuckets('api_key', 'k', [rule({ value: 0 })]), AT).admitted,
    ).toBe(false);
  });

  it('counts tokens after the fact and refuses once they have reached the value', () => {
    const counters = new InProcessRateCounters();
    const buckets = rateBuckets('api_key', 'k1', [rule({ type: 'tokens', value: 100 })]);
    expect(counters.admit(buckets, AT).admitted).toBe(true);
    counters.addTokens(buckets, 99, AT);
    expect(counters.admit(buckets, AT).admitted).toBe(true);
    counters.addTokens(buckets, 1, AT);
    expect(counters.admit(buckets, AT).admitted).toBe(false);
  });

  it('never holds more counters than its capacity, and drops passed windows first', () => {
    const counters = new InProcessRateCounters(10);
    const kept = rateBuckets('api_key', 'kept', [rule({ unit: 'rpd', value: 1 })]);
    counters.admit(kept, AT);
    for (let i = 0; i < 100; i += 1) {
      counters.admit(rateBuckets('api_key', `k${String(i)}`, [rule({ unit: 'rps' })]), AT + i * 2_000);
    }
    expect(counters.admit(kept, AT + 200_000).admitted).toBe(false);
  });
});
