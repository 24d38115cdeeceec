import fc from 'fast-check';
import type { Filter, Match } from '../filter';
import type { Range } from '../range';

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.constantFrom(
    'a,b',
    'x..y',
    '!not',
    '>5',
    '\\',
    '..',
    ':',
    'md.team',
    '5xx',
    'a:b',
    '...',
    '0x1F',
    '1..2',
  ),
);
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const matches: fc.Arbitrary<Match> = fc.oneof(
  fc.array(text, { minLength: 1, maxLength: 5 }).map((values) => ({ kind: 'any' as const, values })),
  fc.record({
    kind: fc.constant('compare' as const),
    op: fc.constantFrom('>' as const, '>=' as const, '<' as const, '<=' as const),
    value: numbers,
  }),
  fc
    .tuple(numbers, numbers)
    .map(([a, b]) => ({ kind: 'between' as const, low: Math.min(a, b), high: Math.max(a, b) })),
);
/** Arbitrary filters whose names and values contain special characters of the format. */
export const filters: fc.Arbitrary<Filter> = fc.record({ field: text, not: fc.boolean(), match: matches });

const moments = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2199, 0, 1) });
/** Arbitrary ranges within the years that URLs accept. */
export const ranges: fc.Arbitrary<Range> = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 99_999 }), fc.constantFrom('m', 'h', 'd', 'w'))
    .map(([amount, unit]) => ({ kind: 'relative' as const, span: `${amount}${unit}` })),
  fc.tuple(moments, fc.option(fc.integer({ min: 1, max: 1e10 }))).map(([from, length]) => ({
    kind: 'absolute' as const,
    from,
    to: length === null ? null : from + length,
  })),
);
