import fc from 'fast-check';
import { addE8, approximateUsd, cents, centsToE8, e8, exactText, usd, usdToE8 } from './units';

describe('units of money', () => {
  it('convert every amount that the API writes as a number exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: -6_700_000_000_000_000, max: 6_700_000_000_000_000 }), (units) => {
        const dollars = Number(exactText(e8(String(units))!));
        expect(usdToE8(usd(dollars))).toBe(BigInt(units));
      }),
    );
    expect(usdToE8(usd(0.1 + 0.2))).toBe(30_000_000n);
    expect(centsToE8(cents(12.345678))).toBe(12_345_678n);
  });

  it('add amounts as integers and format them with all eight decimals', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })), (amounts) => {
        const total = addE8(amounts.map((amount) => e8(String(amount))!));
        expect(total).toBe(amounts.reduce((sum, amount) => sum + amount, 0n));
        expect(BigInt(exactText(total).replace('.', ''))).toBe(total);
      }),
    );
    expect(exactText(e8('342000')!)).toBe('0.00342000');
  });

  it('parse a text that is not an integer to null', () => {
    expect([e8(''), e8('1.5'), e8('1e3'), e8('0x1')]).toEqual([null, null, null, null]);
    expect(approximateUsd(e8('150000000')!)).toBe(1.5);
  });
});
