import { CounterBreaker } from './counter-breaker';

const breaker = (): CounterBreaker =>
  new CounterBreaker({ failuresMax: 5, slowMs: 250, probeEveryMs: 1_000 });

describe('CounterBreaker', () => {
  it('opens after five consecutive failures, and not after four', () => {
    const made = breaker();
    for (let failure = 0; failure < 4; failure += 1) made.failed(0);
    made.succeeded(0, 1);
    for (let failure = 0; failure < 4; failure += 1) made.failed(0);
    expect(made.isOpen).toBe(false);
    made.failed(0);
    expect(made.isOpen).toBe(true);
    expect(made.answers).toBe(false);
  });

  it('opens when the median of the newest 15 round trips takes longer than 250 ms', () => {
    const made = breaker();
    for (let trip = 0; trip < 100; trip += 1) made.succeeded(0, 250);
    for (let trip = 0; trip < 7; trip += 1) made.succeeded(0, 251);
    expect(made.isOpen).toBe(false);
    made.succeeded(0, 251);
    expect(made.isOpen).toBe(true);
    expect(made.answers).toBe(true);
  });

  it('stays closed while half of the round trips are slow, and while there are too few to judge by', () => {
    const few = breaker();
    for (let trip = 0; trip < 14; trip += 1) few.succeeded(0, 400);
    expect(few.isOpen).toBe(false);
    const half = breaker();
    for (let trip = 0; trip < 15; trip += 1) half.succeeded(0, trip < 7 ? 400 : 10);
    expect(half.isOpen).toBe(false);
  });

  it('closes with the first fast round trip, one of which is made each second', () => {
    const made = breaker();
    for (let trip = 0; trip < 15; trip += 1) made.succeeded(0, 400);
    expect(made.mayProbe(999)).toBe(false);
    expect(made.mayProbe(1_000)).toBe(true);
    made.succeeded(1_400, 400);
    expect(made.isOpen).toBe(true);
    made.succeeded(2_000, 250);
    expect(made.isOpen).toBe(false);
    // Earlier slow round trips are forgotten.
    for (let trip = 0; trip < 7; trip += 1) made.succeeded(2_000, 400);
    expect(made.isOpen).toBe(false);
  });
});
