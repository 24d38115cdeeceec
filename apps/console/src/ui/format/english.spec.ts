import fc from 'fast-check';
import { english } from './english';

const DECIMALS = fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 4 }));

describe('english', () => {
  const numbers = fc.oneof(
    fc.double({ min: -1e15, max: 1e15, noNaN: true }),
    fc.double({ min: -10, max: 10, noNaN: true }),
    fc.integer().map((value) => value / 8),
    fc.maxSafeInteger(),
  );

  it('formats numbers like Intl', () => {
    fc.assert(
      fc.property(numbers, DECIMALS, (value, [one, other]) => {
        const [minimum, maximum] = [Math.min(one, other), Math.max(one, other)];
        const format = new Intl.NumberFormat('en', {
          minimumFractionDigits: minimum,
          maximumFractionDigits: maximum,
        });
        expect(english(value, minimum, maximum)).toBe(format.format(value));
      }),
    );
  });

  it('formats bigints of any size like Intl', () => {
    const format = new Intl.NumberFormat('en');
    fc.assert(
      fc.property(fc.bigInt(), (value) => {
        expect(english(value, 0, 0)).toBe(format.format(value));
      }),
    );
  });

  it('returns null for numbers without plain decimal digits', () => {
    for (const value of [Number.NaN, Infinity, 1e21]) expect(english(value, 0, 2)).toBeNull();
  });
});
