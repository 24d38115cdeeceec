import fc from 'fast-check';
import { costOf, scaleDecimal } from './money';

describe('scaleDecimal', () => {
  it.each([
    [2.5, 8, 250_000_000],
    [0.1, 8, 10_000_000],
    [0.075, 8, 7_500_000],
    [1e-7, 8, 10],
    [0.00025, 12, 250_000_000],
    [1e21, 0, null],
    [0, 8, 0],
    [0.08333333333333334, 8, 8_333_333],
    [5e-9, 8, 1],
    [4.9e-9, 8, 0],
    [1e-300, 8, 0],
    [-1, 8, null],
    [NaN, 8, null],
    [Infinity, 8, null],
    [1e9, 8, null],
  ])('scales %p by 10^%p to %p', (value, scale, expected) => {
    expect(scaleDecimal(value, scale)).toBe(expected);
  });

  it('is exact for every decimal number of up to eight places', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), (units) => {
        const text = `${String(Math.floor(units / 1e8))}.${String(units % 1e8).padStart(8, '0')}`;
        expect(scaleDecimal(Number(text), 8)).toBe(units);
      }),
    );
  });
});

describe('costOf', () => {
  const quantity = fc.integer({ min: 0, max: 1_000_000_000 });
  const price = fc.integer({ min: 0, max: 100_000_000_000_000 });

  it('equals the exact quotient rounded half up, however large the product', () => {
    fc.assert(
      fc.property(quantity, price, (tokens, perMillion) => {
        const doubled = 2n * BigInt(tokens) * BigInt(perMillion) + 1_000_000n;
        expect(costOf(tokens, perMillion)).toBe(Number(doubled / 2_000_000n));
      }),
    );
  });

  it('rounds half a unit up and less than half down', () => {
    expect(costOf(1, 500_000)).toBe(1);
    expect(costOf(1, 499_999)).toBe(0);
    expect(costOf(3, 500_000)).toBe(2);
  });

  it('is proportional to the quantity except for the rounding of one line', () => {
    fc.assert(
      fc.property(
        // 10,000 × 1,000 at the highest price stays below 2^53; above that a cost is only the
        // nearest number.
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        price,
        (tokens, times, perMillion) => {
          const once = costOf(tokens, perMillion);
          expect(Math.abs(costOf(tokens * times, perMillion) - once * times)).toBeLessThanOrEqual(
            times / 2 + 1,
          );
        },
      ),
    );
  });
});
