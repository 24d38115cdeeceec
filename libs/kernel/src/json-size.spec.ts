import { jsonSize } from './json-size';

const sizeOf = (text: string): number[] => {
  const { containers, commas, members, membersOfOne, depth } = jsonSize(Buffer.from(text), () => false);
  return [containers, commas, members, membersOfOne, depth];
};

describe('jsonSize', () => {
  it.each([
    ['{}', [1, 0, 0, 0, 1]],
    ['{"a":1,"b":{"c":2,"d":[1,2,{}],"e":3},"f":4}', [4, 6, 6, 3, 4]],
    ['[{"a":1,"b":2},{"c":3}]', [3, 2, 3, 2, 2]],
    ['{"a":"{,:[\\",:{\\\\","b":"\\u003a"}', [1, 1, 2, 2, 1]],
  ])('counts the objects, lists, commas, members and levels of %s', (text, size) => {
    expect(sizeOf(text)).toEqual(size);
  });

  it('counts numbers with more than 25 characters', () => {
    const longNumbersOf = (text: string): number => jsonSize(Buffer.from(text), () => false).longNumbers;
    expect(longNumbersOf('[-1.2345678901234567e-308,1234567890123456789012345]')).toBe(0);
    expect(longNumbersOf('[0.123456789012345678901234567,"0.123456789012345678901234567"]')).toBe(1);
  });

  it('stops at the first byte that JSON does not allow, where a parser fails too', () => {
    expect(sizeOf('{"a":1,x:::::{{{,,,')).toEqual([1, 1, 1, 1, 1]);
    expect(sizeOf('{"a":1,"b')).toEqual([1, 1, 1, 1, 1]);
  });

  it.each(['1,', '[],', '"a":1,', '"a long text of some thirty bytes",'])(
    'stops soon after isEnough returns true in a long list of %s',
    (item) => {
      const body = Buffer.from(`[${item.repeat(1_000_000)}1]`);
      const { commas } = jsonSize(body, (size) => size.commas > 1_000);
      expect(commas).toBeLessThan(20_000);
    },
  );
});
