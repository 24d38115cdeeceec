import { LOG_KIND } from './log-kinds';

describe('LOG_KIND', () => {
  it.each([
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 31, 2 ** 31 - 1],
    [-(2 ** 40), 1 - 2 ** 31],
    [1.5, 2],
    [Number.NaN, 0],
  ])('stores the small count %d as %d, which fits a column of 32 bits', (count, stored) => {
    expect(LOG_KIND.smallCount.store(count)).toBe(stored);
  });
});
