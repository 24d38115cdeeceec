import { precisionOf } from './precision';

describe('precisionOf', () => {
  it('returns null without marks', () => {
    expect(precisionOf(0, 0)).toBeNull();
  });

  it.each([
    // Published values of Wilson's interval.
    [81, 263 - 81, 0.308, 0.2553, 0.3662],
    [15, 148 - 15, 0.1014, 0.0624, 0.1605],
    [0, 20, 0, 0, 0.1611],
    [29, 0, 1, 0.883, 1],
  ])('estimates %i correct and %i wrong verdicts with an interval', (right, wrong, estimate, low, high) => {
    const found = precisionOf(right, wrong);
    expect(found?.estimate).toBeCloseTo(estimate, 3);
    expect(found?.low).toBeCloseTo(low, 3);
    expect(found?.high).toBeCloseTo(high, 3);
  });

  it('returns an interval within 0 and 1 that contains the estimate and narrows with more marks', () => {
    for (let right = 0; right <= 30; right += 1) {
      for (let wrong = right === 0 ? 1 : 0; wrong <= 30; wrong += 1) {
        const found = precisionOf(right, wrong);
        const more = precisionOf(right * 10, wrong * 10);
        if (!found || !more) throw new Error('Marks must give a precision.');
        expect(found.low).toBeLessThanOrEqual(found.estimate);
        expect(found.high).toBeGreaterThanOrEqual(found.estimate);
        expect([found.low >= 0, found.high <= 1]).toEqual([true, true]);
        expect(more.high - more.low).toBeLessThan(found.high - found.low);
      }
    }
  });
});
