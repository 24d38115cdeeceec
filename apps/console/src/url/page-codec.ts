import { decodeFilter, encodeFilter, type Filter } from './filter';
import type { PageRules, PageState } from './page-state';
import { decodeRange, encodeRange } from './range';
import { pairsOf, parsePairs, writePairs, type SearchPairs } from './search-text';

/** Maximum number of filters in a URL. */
export const FILTERS_MAX = 50;
const TEXT_MAX = 1000;
const SIZE_MAX = 1000;

/** A dropped parameter as it was in the URL, such as `t=yesterday-ish`. */
export type Dropped = string;

export interface Decoded {
  readonly state: PageState;
  /** Dropped parameters in the order of the URL. Unknown keys are dropped without being listed. */
  readonly dropped: readonly Dropped[];
}

const TEXT_KEYS = {
  q: 'text',
  by: 'by',
  show: 'show',
  as: 'as',
  vs: 'vs',
  sort: 'sort',
  log: 'log',
  tab: 'tab',
  view: 'view',
} as const satisfies Record<string, keyof PageState>;

type TextKey = keyof typeof TEXT_KEYS;
type Draft = { -readonly [Member in keyof PageState]: PageState[Member] };

/**
 * Parses the state of a page from a query string or a router's record. Invalid values are listed in
 * `dropped`, and their members keep the default.
 */
export function decodePage(search: string | Readonly<Record<string, unknown>>, rules: PageRules): Decoded {
  const pairs = typeof search === 'string' ? parsePairs(search) : pairsOf(search);
  const state: Draft = { ...rules.defaults };
  const dropped: Dropped[] = [];
  const texts: string[] = [];
  for (const [key, value] of pairs) {
    if (key === 'f') texts.push(value);
    if (key === 'f' ? readFilter(value, rules) === null : !read(state, key, value, rules)) {
      dropped.push(`${key}=${value}`);
    }
  }
  const filters = texts.flatMap((text) => readFilter(text, rules) ?? []);
  if (filters.length > 0 || texts.includes('')) state.filters = filters.slice(0, FILTERS_MAX);
  dropped.push(...filters.slice(FILTERS_MAX).map((filter) => `f=${encodeFilter(filter)}`));
  return { state, dropped };
}

/**
 * Parses a filter parameter. Empty for an empty text, which stands for "no filters"; null when the
 * page does not accept it.
 */
function readFilter(text: string, { acceptsFilter }: PageRules): readonly Filter[] | null {
  if (text === '') return [];
  const filter = decodeFilter(text);
  return filter === null || acceptsFilter?.(filter) === false ? null : [filter];
}

/** Reads one parameter into the state. Returns whether the value is accepted. */
function read(state: Draft, key: string, value: string, rules: PageRules): boolean {
  const reader = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
  if (reader !== undefined) return reader(state, value, rules);
  return !Object.hasOwn(TEXT_KEYS, key) || readText(state, key as TextKey, value, rules);
}

const READERS: Readonly<
  Record<string, undefined | ((state: Draft, value: string, rules: PageRules) => boolean)>
> = {
  t: (state, value) => {
    const range = decodeRange(value);
    if (range !== null) state.range = range;
    return range !== null;
  },
  cols: (state, value, { columns }) => {
    const cols = value === '' ? [] : value.split(',');
    const isKnown = cols.every((id) => id !== '' && (columns?.includes(id) ?? true));
    if (isKnown) state.cols = [...new Set(cols)];
    return isKnown;
  },
  size: (state, value) => {
    const size = /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN;
    if (size <= SIZE_MAX) state.size = size;
    return size <= SIZE_MAX;
  },
  live: (state, value) => {
    const isFlag = value === '1' || value === '0';
    if (isFlag) state.live = value === '1';
    return isFlag;
  },
};

function readText(state: Draft, key: TextKey, value: string, { values }: PageRules): boolean {
  const member = TEXT_KEYS[key];
  const accepted = values?.[member as keyof typeof values];
  const isAccepted = value.length <= TEXT_MAX && (value === '' || (accepted?.includes(value) ?? true));
  if (isAccepted) state[member] = value;
  return isAccepted;
}

/** Encodes the state of a page as a query string without the question mark. Omits defaults. */
export const encodePage = (state: PageState, rules: PageRules): string => writePairs(pagePairs(state, rules));

/** Encodes the state of a page as a record for a router's `search`. Omits defaults. */
export function pageSearch(state: PageState, rules: PageRules): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = {};
  for (const [key, value] of pagePairs(state, rules)) {
    if (key === 'f') record['f'] = [...(record['f'] ?? []), value];
    else record[key] = value;
  }
  return record;
}

function pagePairs(state: PageState, { defaults }: PageRules): SearchPairs {
  const pairs: (readonly [string, string])[] = [];
  const write = (key: string, value: string, usual: string): void => {
    if (value !== usual) pairs.push([key, value]);
  };
  write('view', state.view, defaults.view);
  write('t', encodeRange(state.range), encodeRange(defaults.range));
  const filters = state.filters.map(encodeFilter);
  if (!isSameList(filters, defaults.filters.map(encodeFilter))) {
    for (const filter of filters.length === 0 ? [''] : filters) pairs.push(['f', filter]);
  }
  for (const [key, member] of Object.entries(TEXT_KEYS)) {
    if (key !== 'view' && key !== 'log' && key !== 'tab') write(key, state[member], defaults[member]);
  }
  write('cols', state.cols.join(','), defaults.cols.join(','));
  write('size', String(state.size), String(defaults.size));
  write('live', state.live ? '1' : '0', defaults.live ? '1' : '0');
  write('log', state.log, defaults.log);
  write('tab', state.tab, defaults.tab);
  return pairs;
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at]);

/**
 * Returns a function that reports each dropped parameter once, even if the page reads its URL
 * repeatedly.
 */
export function reportOnce(
  report: (dropped: readonly Dropped[]) => void,
): (dropped: readonly Dropped[]) => void {
  const reported = new Set<Dropped>();
  return (dropped) => {
    const fresh = [...new Set(dropped)].filter((parameter) => !reported.has(parameter));
    for (const parameter of fresh) reported.add(parameter);
    if (fresh.length > 0) report(fresh);
  };
}
