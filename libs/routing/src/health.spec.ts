import type { CompiledBreaker } from './compile/compiled';
import { compileConfig } from './config-language';
import type { BreakerChange } from '@gw/contracts';
import { breakerStoreContract } from '@gw/testing';
import { LocalBreakerStore, TargetHealth } from './index';

const rules = compileConfig({
  strategy: { mode: 'single', cb_config: { consecutive_failures: 1, cooldown_interval: 1000 } },
  targets: [{ provider: 'x' }],
}).targets[0]?.breaker as CompiledBreaker;
const FAILED = { failed: true, isProbe: false };
const T = 1_000_000;

describe('LocalBreakerStore', () => {
  breakerStoreContract(() => {
    const store = new LocalBreakerStore(Date.now);
    return Promise.resolve({ one: store, other: store });
  });

  it('forgets the breaker that opened first when it is full', () => {
    const store = new LocalBreakerStore(() => 0);
    for (let index = 0; index <= 10_000; index++) store.publish({ key: String(index), openForMs: 1000 });
    const reported: BreakerChange[] = [];
    store.subscribe((change) => reported.push(change));
    expect(reported).toHaveLength(10_000);
    expect(reported[0]).toEqual({ key: '1', openForMs: 1000 });
  });
});

describe('TargetHealth', () => {
  it('opens and closes a breaker on one gateway after it did so on another', () => {
    const store = new LocalBreakerStore(() => T);
    const [one, other] = [new TargetHealth({ store }), new TargetHealth({ store })];
    other.listen(() => T);
    expect(one.record('e', rules, FAILED, T)).toBe('opened');
    expect(other.isOpen('e', rules, T + 999)).toBe(true);
    expect(other.isOpen('e', rules, T + 1000)).toBe(false);
    expect(one.enter('e', rules, T + 1000)).toBe('probe');
    expect(one.record('e', rules, { failed: false, isProbe: true }, T + 1001)).toBe('closed');
    expect(other.enter('e', rules, T + 500)).toBe('passed');
  });

  it('receives breakers that were open before it subscribed, and none after it unsubscribed', () => {
    const store = new LocalBreakerStore(() => T);
    const [one, late] = [new TargetHealth({ store }), new TargetHealth({ store })];
    one.record('e', rules, FAILED, T);
    const stop = late.listen(() => T);
    expect(late.isOpen('e', rules, T)).toBe(true);
    stop();
    one.record('f', rules, FAILED, T);
    expect(late.isOpen('f', rules, T)).toBe(false);
  });

  it('has a breaker for each combination of endpoint and rules', () => {
    const health = new TargetHealth();
    health.record('e', rules, FAILED, T);
    expect(health.isOpen('e', rules, T)).toBe(true);
    expect(health.isOpen('f', rules, T)).toBe(false);
    expect(health.isOpen('e', { ...rules, id: 'other' }, T)).toBe(false);
  });

  it('keeps a mark until its time, and does not replace a failing credential by a rate limit', () => {
    const health = new TargetHealth();
    expect(health.hasMarks).toBe(false);
    health.mark('e', 'rate_limited', T + 100, T);
    expect(health.markOf('e', T + 99)).toBe('rate_limited');
    health.mark('e', 'credential_failing', T + 200, T);
    health.mark('e', 'rate_limited', T + 900, T + 1);
    expect(health.markOf('e', T + 199)).toBe('credential_failing');
    expect(health.markOf('e', T + 200)).toBeNull();
    expect(health.hasMarks).toBe(false);
  });

  it('drops the oldest breaker and mark beyond its capacity', () => {
    const health = new TargetHealth({ capacity: 2 });
    for (const endpoint of ['a', 'b', 'c']) {
      health.record(endpoint, rules, FAILED, T);
      health.mark(endpoint, 'rate_limited', T + 100, T);
    }
    expect(['a', 'b', 'c'].map((endpoint) => health.isOpen(endpoint, rules, T))).toEqual([false, true, true]);
    expect(['a', 'b', 'c'].map((endpoint) => health.markOf(endpoint, T) !== null)).toEqual([
      false,
      true,
      true,
    ]);
  });
});
