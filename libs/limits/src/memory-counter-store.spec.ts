import { MemoryCounterStore } from './memory-counter-store';
import { counterStoreContract } from './spec-support/counter-store.contract';
import { balancesModel } from './spec-support/balances.model';
import { roundTripOf, first, statement } from './spec-support/statements';

describe('MemoryCounterStore', () => {
  counterStoreContract((clock) => new MemoryCounterStore(clock));

  describe('under three processes', () => {
    balancesModel(() => {
      let now = 0;
      let store = new MemoryCounterStore(() => now);
      return Promise.resolve({
        exchange: (...args) => store.exchange(...args),
        read: (...args) => store.read(...args),
        correct: (...args) => store.correct(...args),
        reset: (...args) => store.reset(...args),
        lose: () => {
          store = new MemoryCounterStore(() => now);
        },
        turnTo: (nowMs) => {
          now = nowMs;
        },
      });
    }, 150);
  });

  it('never holds more counters than its capacity, and drops those with holds last', () => {
    const store = new MemoryCounterStore(() => 1_000, 10);
    store.exchange(roundTripOf([statement({ key: 'held', hold: 3, consumed: 4 })]));
    for (let at = 0; at < 100; at += 1) store.exchange(roundTripOf([statement({ key: `k${String(at)}` })]));
    expect(store.read('t', 'held')).toMatchObject({ used: 4, held: 3 });
    expect(store.read('t', 'k0')).toBeNull();
  });

  it('drops the least recently used counter, not the oldest one, so that a limit in use never starts again', () => {
    const store = new MemoryCounterStore(() => 1_000, 10);
    const used = statement({ key: 'used', consumed: 4 });
    store.exchange(roundTripOf([{ ...used, holder: 'ended', consumed: 3 }]));
    for (let at = 0; at < 100; at += 1) {
      store.exchange(roundTripOf([statement({ key: `k${String(at)}` })]));
      store.exchange(roundTripOf([used]));
    }
    expect(store.read('t', 'used')).toMatchObject({ used: 7 });
  });

  it('stops its time when the clock goes back, so that a period never starts twice', () => {
    let now = 5_000;
    const store = new MemoryCounterStore(() => now);
    const window = statement({ kind: 'fixed', lengthMs: 1_000, period: -1, seed: null });
    expect(first(store.exchange(roundTripOf([window]))).period).toBe(5_000);
    now = 1_000;
    expect(first(store.exchange(roundTripOf([window]))).period).toBe(5_000);
  });
});
