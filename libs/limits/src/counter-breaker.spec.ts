import { CounterBreaker } from './counter-breaker';

const createBreaker = (): CounterBreaker =>
  new CounterBreaker({ failuresMax: 5, slowMs: 250, probeEveryMs: 1_000 });

describe('CounterBreaker', () => {
  it('opens after five consecutive failures, and not after four', () => {
    const breaker = createBreaker();
    for (let failure = 0; failure < 4; failure += 1) breaker.failed(0);
    breaker.succeeded(0, 1);
    for (let failure = 0; failure < 4; failure += 1) breaker.failed(0);
    expect(breaker.isOpen).toBe(false);
    breaker.failed(0);
    expect(breaker.isOpen).toBe(true);
    expect(breaker.isResponding).toBe(false);
  });

  it('opens when the median of the newest 15 round trips takes longer than 250 ms', () => {
    const breaker = createBreaker();
    for (let trip = 0; trip < 100; trip += 1) breaker.succeeded(0, 250);
    for (let trip = 0; trip < 7; trip += 1) breaker.succeeded(0, 251);
    expect(breaker.isOpen).toBe(false);
    breaker.succeeded(0, 251);
    expect(breaker.isOpen).toBe(true);
    expect(breaker.isResponding).toBe(true);
  });

  it('stays closed while at most half of the round trips are slow, and with fewer than 15 round trips', () => {
    const tooFew = createBreaker();
    for (let trip = 0; trip < 14; trip += 1) tooFew.succeeded(0, 400);
    expect(tooFew.isOpen).toBe(false);
    const half = createBreaker();
    for (let trip = 0; trip < 15; trip += 1) half.succeeded(0, trip < 7 ? 400 : 10);
    expect(half.isOpen).toBe(false);
  });

  it('allows one probe a second while it is open, and closes after the first fast round trip', () => {
    const breaker = createBreaker();
    for (let trip = 0; trip < 15; trip += 1) breaker.succeeded(0, 400);
    expect(breaker.mayProbe(999)).toBe(false);
    expect(breaker.mayProbe(1_000)).toBe(true);
    breaker.succeeded(1_400, 400);
    expect(breaker.isOpen).toBe(true);
    breaker.succeeded(2_000, 250);
    expect(breaker.isOpen).toBe(false);
    // Earlier slow round trips are forgotten.
    for (let trip = 0; trip < 7; trip += 1) breaker.succeeded(2_000, 400);
    expect(breaker.isOpen).toBe(false);
  });
});
