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
const START_MS = 1_000_000;

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
    const store = new LocalBreakerStore(() => START_MS);
    const [one, other] = [new TargetHealth({ store }), new TargetHealth({ store })];
    other.listen(() => START_MS);
    expect(one.record('e', rules, FAILED, START_MS)).toBe('opened');
    expect(other.isOpen('e', rules, START_MS + 999)).toBe(true);
    expect(other.isOpen('e', rules, START_MS + 1000)).toBe(false);
    expect(one.enter('e', rules, START_MS + 1000)).toBe('probe');
    expect(one.record('e', rules, { failed: false, isProbe: true }, START_MS + 1001)).toBe('closed');
    expect(other.enter('e', rules, START_MS + 500)).toBe('passed');
  });

  it('receives breakers that were open before it subscribed, and none after it unsubscribed', () => {
    const store = new LocalBreakerStore(() => START_MS);
    const [one, late] = [new TargetHealth({ store }), new TargetHealth({ store })];
    one.record('e', rules, FAILED, START_MS);
    const stop = late.listen(() => START_MS);
    expect(late.isOpen('e', rules, START_MS)).toBe(true);
    stop();
    one.record('f', rules, FAILED, START_MS);
    expect(late.isOpen('f', rules, START_MS)).toBe(false);
  });

  it('has a breaker for each combination of endpoint and rules', () => {
    const health = new TargetHealth();
    health.record('e', rules, FAILED, START_MS);
    expect(health.isOpen('e', rules, START_MS)).toBe(true);
    expect(health.isOpen('f', rules, START_MS)).toBe(false);
    expect(health.isOpen('e', { ...rules, id: 'other' }, START_MS)).toBe(false);
  });

  it('keeps a mark until its time, and does not replace a failing credential by a rate limit', () => {
    const health = new TargetHealth();
    expect(health.hasMarks).toBe(false);
    health.mark('e', 'rate_limited', START_MS + 100, START_MS);
    expect(health.markOf('e', START_MS + 99)).toBe('rate_limited');
    health.mark('e', 'credential_failing', START_MS + 200, START_MS);
    health.mark('e', 'rate_limited', START_MS + 900, START_MS + 1);
    expect(health.markOf('e', START_MS + 199)).toBe('credential_failing');
    expect(health.markOf('e', START_MS + 200)).toBeNull();
    expect(health.hasMarks).toBe(false);
  });

  it('drops the oldest breaker and mark beyond its capacity', () => {
    const health = new TargetHealth({ capacity: 2 });
    for (const endpoint of ['a', 'b', 'c']) {
      health.record(endpoint, rules, FAILED, START_MS);
      health.mark(endpoint, 'rate_limited', START_MS + 100, START_MS);
    }
    expect(['a', 'b', 'c'].map((endpoint) => health.isOpen(endpoint, rules, START_MS))).toEqual([
      false,
      true,
      true,
    ]);
    expect(['a', 'b', 'c'].map((endpoint) => health.markOf(endpoint, START_MS) !== null)).toEqual([
      false,
      true,
      true,
    ]);
  });
});
