import fc from 'fast-check';
import { filters, ranges } from './spec-support/arbitraries';
import { decodePage, encodePage, pageSearch, reportOnce } from './page-codec';
import { PAGE_DEFAULTS, type PageRules, type PageState } from './page-state';
import { parseSearch, stringifySearch } from './search-text';

const rules: PageRules = { defaults: PAGE_DEFAULTS };
const text = fc.string({ unit: 'binary', maxLength: 30 });
const states: fc.Arbitrary<PageState> = fc.record({
  range: ranges,
  filters: fc.array(filters, { maxLength: 4 }),
  text,
  by: text,
  show: text,
  as: text,
  vs: text,
  sort: text,
  cols: fc.uniqueArray(fc.stringMatching(/^[a-z_.]{1,8}$/), { maxLength: 5 }),
  size: fc.integer({ min: 0, max: 1000 }),
  log: text,
  tab: text,
  live: fc.boolean(),
  view: text,
});

describe('encodePage', () => {
  it('omits defaults', () => {
    expect(encodePage(PAGE_DEFAULTS, rules)).toBe('');
  });

  it('stays readable', () => {
    const state: PageState = {
      ...PAGE_DEFAULTS,
      filters: [
        { field: 'key', not: false, match: { kind: 'any', values: ['search-prod', 'ci-tests'] } },
        { field: 'cost', not: false, match: { kind: 'compare', op: '>', value: 1.5 } },
      ],
      text: 'two words',
      live: true,
    };
    expect(encodePage(state, rules)).toBe('f=key:search-prod,ci-tests&f=cost:>1.5&q=two+words&live=1');
  });

  it('is decoded to the same state, from text and through the router', () => {
    fc.assert(
      fc.property(states, states, (state, defaults) => {
        const own = { defaults };
        expect(decodePage(encodePage(state, own), own)).toEqual({ state, dropped: [] });
        const routed = parseSearch(stringifySearch(pageSearch(state, own)));
        expect(decodePage(routed, own)).toEqual({ state, dropped: [] });
      }),
    );
  });

  it('encodes the removal of all filters when the page has default filters', () => {
    const filter = { field: 'status', not: false, match: { kind: 'any', values: ['5xx'] } } as const;
    const own = { defaults: { ...PAGE_DEFAULTS, filters: [filter] } };
    expect(encodePage(PAGE_DEFAULTS, own)).toBe('f=');
    expect(decodePage('f=', own).state.filters).toEqual([]);
    expect(decodePage('f=broken', own).state.filters).toEqual([filter]);
  });
});

describe('decodePage', () => {
  it('drops invalid values and keeps the rest', () => {
    const strict: PageRules = {
      defaults: PAGE_DEFAULTS,
      acceptsFilter: ({ field }) => field === 'key',
      values: { by: ['model'] },
      columns: ['time'],
    };
    const { state, dropped } = decodePage(
      '?t=tomorrow&f=key:a&f=nope:b&f=key&by=colour&cols=time,weight&size=x&live=2&q=%zz&utm=1',
      strict,
    );
    expect(dropped).toEqual([
      't=tomorrow',
      'f=nope:b',
      'f=key',
      'by=colour',
      'cols=time,weight',
      'size=x',
      'live=2',
    ]);
    expect(state).toEqual({
      ...PAGE_DEFAULTS,
      text: '%zz',
      filters: [{ field: 'key', not: false, match: { kind: 'any', values: ['a'] } }],
    });
  });

  it('accepts any query string without throwing, and its result survives a round trip', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (search) => {
        const { state } = decodePage(search, rules);
        expect(decodePage(encodePage(state, rules), rules).state).toEqual(state);
      }),
    );
  });
});

describe('reportOnce', () => {
  it('reports a dropped parameter once', () => {
    const reports: (readonly string[])[] = [];
    const report = reportOnce((dropped) => reports.push(dropped));
    report(['t=x', 't=x']);
    report(['t=x', 'f=y']);
    report([]);
    expect(reports).toEqual([['t=x'], ['f=y']]);
  });
});
