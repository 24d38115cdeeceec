import fc from 'fast-check';
import {
  e8OfCents,
  e8OfUsd,
  exactMoney,
  exactMoneyText,
  humanMoney,
  parseE8,
  parseExactMoney,
  pricePerMillion,
} from './money';

const amounts = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });

describe('exactMoney', () => {
  it('splits eight decimals into two groups of four', () => {
    expect(exactMoney(342_000n)).toEqual({ head: '0.0034', tail: '2000' });
    expect(exactMoney(0n)).toEqual({ head: '0', tail: '' });
    expect(exactMoneyText(-41_238_114_260n)).toBe('−412.38114260');
  });

  it('is parsed back to the same amount', () => {
    fc.assert(fc.property(amounts, (e8) => parseExactMoney(exactMoneyText(e8)) === e8));
  });

  it('keeps sums: the sum of the parsed texts is the sum of the amounts', () => {
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 50 }), (list) => {
        const sum = list.reduce((total, e8) => total + (parseExactMoney(exactMoneyText(e8)) ?? 0n), 0n);
        return sum === list.reduce((total, e8) => total + e8, 0n);
      }),
    );
  });
});

describe('parseE8', () => {
  it('parses integers only', () => {
    expect(parseE8('12500')).toBe(12_500n);
    for (const broken of [null, undefined, '', '1.5', 'NaN', '1e3', ' 1', '9'.repeat(31)]) {
      expect(parseE8(broken)).toBeNull();
    }
  });
});

describe('e8OfUsd and e8OfCents', () => {
  it('convert without a floating-point error', () => {
    expect(e8OfUsd(0.07)).toBe(7_000_000n);
    expect(e8OfUsd(1e-8)).toBe(1n);
    expect(e8OfUsd(1.005)).toBe(100_500_000n);
    expect(e8OfUsd(1e21)).toBe(10n ** 29n);
    expect(e8OfCents(0.0125)).toBe(12_500n);
    expect(e8OfUsd(-2.5)).toBe(-250_000_000n);
    expect(e8OfUsd(Number.NaN)).toBeNull();
    expect(e8OfUsd(null)).toBeNull();
  });

  it('keep every amount of up to fifteen digits', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        (e8) => e8OfUsd(Number(exactMoneyText(e8))) === e8,
      ),
    );
  });
});

describe('humanMoney', () => {
  it.each([
    [0n, '$0'],
    [1n, '$0.00000001'],
    [342_000n, '$0.00342'],
    [1_184_000n, '$0.0118'],
    [99_999_999n, '$1.0000'],
    [41_238_114_260n, '$412.38'],
    [187_011_000_000n, '$1,870.11'],
    [-310_000_000n, '−$3.10'],
    [10_000_000_000_000n, '$100k'],
    [12_345_000_000_000n, '$123k'],
    [99_999_900_000_000n, '$1.00M'],
    [124_000_000_000_000n, '$1.24M'],
    [123_456_000_000_000_000n, '$1.23B'],
  ])('shows %s as %s', (e8, text) => {
    expect(humanMoney(e8)).toBe(text);
  });

  it('never shows a positive amount as zero, and is exact to half a percent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 20n }), (e8) => {
        const [, digits = '', suffix = ''] = /^\$([\d,.]+)([kMBT]?)$/.exec(humanMoney(e8)) ?? [];
        const scale = { '': 1, k: 1e3, M: 1e6, B: 1e9, T: 1e12 }[suffix] ?? Number.NaN;
        const shown = Number(digits.replaceAll(',', '')) * scale * 1e8;
        return shown > 0 && Math.abs(shown - Number(e8)) <= Number(e8) * 0.00501;
      }),
    );
  });
});

describe('pricePerMillion', () => {
  it('shows at least two decimals when there is a fraction', () => {
    expect(pricePerMillion(250_000_000n)).toBe('$2.50');
    expect(pricePerMillion(1_000_000_000n)).toBe('$10');
    expect(pricePerMillion(7_500_000n)).toBe('$0.075');
  });
});
