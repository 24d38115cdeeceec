import { spreadOf, spreadOfMoney } from './spread';

describe('spreadOf', () => {
  it('returns minimum, median and maximum of unsorted values', () => {
    expect(spreadOf([30, 10, 200])).toEqual({ least: 10, median: 30, most: 200 });
    expect(spreadOf([4, 1, 3, 2])).toEqual({ least: 1, median: 2.5, most: 4 });
    expect(spreadOf([7])).toEqual({ least: 7, median: 7, most: 7 });
  });

  it('returns null without values', () => {
    expect(spreadOf([])).toBeNull();
    expect(spreadOfMoney([])).toBeNull();
  });

  it('computes amounts of money exactly, in whole units', () => {
    expect(spreadOfMoney([9_007_199_254_740_993n, 1n])).toEqual({
      least: 1n,
      median: 4_503_599_627_370_497n,
      most: 9_007_199_254_740_993n,
    });
    expect(spreadOfMoney([1n, 2n])?.median).toBe(2n);
  });
});
