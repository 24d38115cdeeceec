import { truncated } from './truncated';

describe('truncated', () => {
  it.each([
    ['abc', 4, 'abc'],
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['a👩b', 3, 'a👩'],
    ['a👩b', 2, 'a'],
    ['👩', 1, ''],
  ])('returns of %j at most %i units, and no half of a surrogate pair', (text, lengthMax, expected) => {
    expect(truncated(text, lengthMax)).toBe(expected);
  });
});
