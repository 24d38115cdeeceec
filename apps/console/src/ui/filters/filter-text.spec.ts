import fc from 'fast-check';
import type { Filter } from '../../url';
import { acceptsFilter, fieldOf, filterWords, type FilterField } from './fields';
import { joinFilters, parseFilterText, singleFilters } from './filter-text';

const fields: readonly FilterField[] = [
  { id: 'status', label: 'Status', group: 'Outcome', kind: 'values', negatable: true },
  {
    id: 'key',
    label: 'Key',
    group: 'Caller',
    kind: 'values',
    options: [{ value: 'k1', label: 'search-prod' }],
  },
  { id: 'cost', label: 'Cost', group: 'Money', kind: 'number', unit: 'cents' },
  { id: 'md.*', label: 'Metadata', group: 'Caller', kind: 'values' },
];
const any = (field: string, values: readonly string[], not = false): Filter => ({
  field,
  not,
  match: { kind: 'any', values },
});

describe('parseFilterText', () => {
  it.each<[string, readonly Filter[], string]>([
    ['status:5xx key:ci', [any('status', ['5xx']), any('key', ['ci'])], ''],
    ['-status:200,201 contract', [any('status', ['200', '201'], true)], 'contract'],
    ['status:!4xx', [any('status', ['4xx'], true)], ''],
    ['Key:a', [any('key', ['a'])], ''],
    ['md.team:"search, team" two words', [any('md.team', ['search, team'])], 'two words'],
    ['cost:>=1.5', [{ field: 'cost', not: false, match: { kind: 'compare', op: '>=', value: 1.5 } }], ''],
    ['cost:1..2', [{ field: 'cost', not: false, match: { kind: 'between', low: 1, high: 2 } }], ''],
    ['14:02:11 https://example.com/x', [], '14:02:11 https://example.com/x'],
    ['"status: fine"', [], 'status: fine'],
  ])('reads %j', (line, filters, text) => {
    expect(parseFilterText(line, fields)).toEqual({ filters, text, problems: [] });
  });

  it('lists parts that are not valid filters of their field', () => {
    expect(parseFilterText('cost:cheap -key:a status: x', fields).problems).toEqual([
      'cost:cheap',
      '-key:a',
      'status:',
    ]);
  });

  it('parses any line, and returns only filters that the page accepts', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (line) =>
        parseFilterText(line, fields).filters.every((filter) => acceptsFilter(fields, filter)),
      ),
    );
  });
});

describe('joinFilters', () => {
  it('joins values of the same field, and replaces comparisons', () => {
    const over: Filter = { field: 'cost', not: false, match: { kind: 'compare', op: '>', value: 1 } };
    const under: Filter = { field: 'cost', not: false, match: { kind: 'compare', op: '>', value: 2 } };
    expect(
      joinFilters([any('key', ['a']), over], [any('key', ['b', 'a']), under, any('key', ['c'], true)]),
    ).toEqual([any('key', ['a', 'b']), under, any('key', ['c'], true)]);
  });
});

describe('singleFilters', () => {
  it('keeps the last filter of each field with its last value, at the place of the first', () => {
    expect(singleFilters([any('key', ['a']), any('md.team', ['x']), any('key', ['b', 'c'])])).toEqual([
      any('key', ['c']),
      any('md.team', ['x']),
    ]);
  });
});

describe('filterWords', () => {
  it('describes a filter', () => {
    const words = (filter: Filter) =>
      Object.values(filterWords(filter, fieldOf(fields, filter.field))).join(' ');
    expect(words(any('key', ['k1', 'k2']))).toBe('Key is search-prod, k2');
    expect(words(any('md.team', ['x'], true))).toBe('md.team is not x');
    expect(words({ field: 'cost', not: false, match: { kind: 'between', low: 0.5, high: 1000 } })).toBe(
      'Cost between 0.5 cents and 1,000 cents',
    );
  });
});
