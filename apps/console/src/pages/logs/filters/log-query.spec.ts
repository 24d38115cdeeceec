import { decodeFilter, type Filter } from '../../../url';
import { acceptsLogFilter } from './fields';
import { filterQuery, graphFilters, normalised, unknownToGraphs } from './log-query';

const KEY = '0198f3a1-0000-7000-8000-0000000000a1';
const idsOf = (text: string): readonly string[] => (text === 'ci' ? [KEY] : [text]);
const filters = (...texts: readonly string[]): readonly Filter[] =>
  texts.map((text) => {
    const filter = decodeFilter(text);
    if (filter === null || !acceptsLogFilter(filter)) throw new Error(`${text} is refused`);
    return filter;
  });
const query = (...texts: readonly string[]) => filterQuery(filters(...texts), idsOf);

describe('filterQuery', () => {
  it.each([
    ['model:gpt-4o,gpt-4o-mini', { model: ['gpt-4o', 'gpt-4o-mini'] }],
    ['status:5xx,429', { status: ['5xx', '429'] }],
    ['key:ci', { api_key_id: [KEY] }],
    ['streamed:no', { streamed: false }],
    ['success:yes', { is_success: true }],
    ['outcome:!ok,denied', { outcome: ['provider_error', 'failed', 'client_closed', 'interrupted'] }],
    ['md.team:search', { metadata: '{"team":"search"}' }],
    ['took:100..500', { response_time_min: 100, response_time_max: 500 }],
    ['took:>=100', { response_time_min: 100 }],
    ['tokens:>5', { total_units_min: 6 }],
    ['retries:<3', { retries_max: 2 }],
    ['retries:<2.5', { retries_max: 2 }],
    ['tokens:>5.5', { total_units_min: 6 }],
    ['cost:>1.5', { cost_min: 1.500001 }],
    ['cost:<0.3', { cost_max: 0.299999 }],
  ])('converts %s to API parameters', (text, sent) => {
    expect(query(text)).toEqual(sent);
  });

  it('combines several bounds and several metadata names', () => {
    expect(query('took:>=100', 'took:50..500')).toEqual({ response_time_min: 100, response_time_max: 500 });
    expect(query('md.team:search', 'md.plan:paid')).toEqual({ metadata: '{"team":"search","plan":"paid"}' });
  });
});

describe('graphFilters', () => {
  it('uses the parameter names of the graphs', () => {
    const read = filters('key:ci', 'config:chat', 'status:429', 'cost:>=1', 'success:no', 'md.team:a');
    expect(graphFilters(read, idsOf)).toEqual({
      api_key_ids: [KEY],
      configs: ['chat'],
      status_code: ['429'],
      cost_min: 1,
      is_success: false,
      metadata: '{"team":"a"}',
    });
  });

  it.each(['status:5xx', 'route:chat.completions', 'outcome:!ok', 'took:>5', 'model:gpt-4o', 'user:a'])(
    'returns null for %s, which the graphs do not support',
    (text) => {
      expect(graphFilters(filters('key:ci', text), idsOf)).toBeNull();
    },
  );
});

describe('unknownToGraphs', () => {
  it.each([
    [[], []],
    [['key:ci', 'status:429'], []],
    [
      ['key:ci', 'model:a', 'status:5xx', 'took:>5'],
      ['model', 'status', 'took'],
    ],
  ])('lists for the filters %j the labels %j', (texts, labels) => {
    expect(unknownToGraphs(filters(...texts))).toEqual(labels);
  });
});

describe('filters of the address', () => {
  it.each([
    'colour:red',
    'status:!5xx',
    'model:>5',
    'took:fast',
    'outcome:good',
    'streamed:maybe',
    'md.:a',
    'priced:!priced,unpriced,no_usage,estimated',
  ])('reject %s', (text) => {
    const filter = decodeFilter(text);
    expect(filter === null || acceptsLogFilter(filter)).toBe(false);
  });

  it('are joined by field, with one value for metadata', () => {
    expect(normalised(filters('model:a', 'model:b', 'md.team:x', 'md.team:y'))).toEqual(
      filters('model:a,b', 'md.team:y'),
    );
  });
});
