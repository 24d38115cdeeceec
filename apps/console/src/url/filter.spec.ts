import fc from 'fast-check';
import { decodeFilter, encodeFilter } from './filter';
import { filters } from './spec-support/arbitraries';

describe('encodeFilter', () => {
  it.each([
    [
      { field: 'key', not: false, match: { kind: 'any', values: ['search-prod', 'ci-tests'] } },
      'key:search-prod,ci-tests',
    ],
    [{ field: 'status', not: true, match: { kind: 'any', values: ['5xx'] } }, 'status:!5xx'],
    [{ field: 'cost', not: false, match: { kind: 'compare', op: '>', value: 1.5 } }, 'cost:>1.5'],
    [{ field: 'took', not: false, match: { kind: 'between', low: 100, high: 500 } }, 'took:100..500'],
    [
      { field: 'md.a:b', not: false, match: { kind: 'any', values: ['!x', 'a,b', 'c..d'] } },
      'md.a\\:b:\\!x,a\\,b,c\\..d',
    ],
  ] as const)('encodes %j', (filter, written) => {
    expect(encodeFilter(filter)).toBe(written);
    expect(decodeFilter(written)).toEqual(filter);
  });

  it('is decoded to the same filter', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        expect(decodeFilter(encodeFilter(filter))).toEqual(filter);
      }),
    );
  });
});

describe('decodeFilter', () => {
  it.each([
    '',
    'key',
    ':a',
    'key:',
    'key:!',
    'key:a,,b',
    'cost:>',
    'cost:>abc',
    'took:5..1',
    'took:a..b',
    'key:a\\',
    'key:0..Infinity',
  ])('returns null for %j', (broken) => {
    expect(decodeFilter(broken)).toBeNull();
  });

  it('never throws, and decoded filters survive another round trip', () => {
    fc.assert(
      fc.property(fc.string(), (any) => {
        const filter = decodeFilter(any);
        if (filter !== null) expect(decodeFilter(encodeFilter(filter))).toEqual(filter);
      }),
    );
  });
});
