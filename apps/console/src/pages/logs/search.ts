import {
  decodePage,
  pageSearch,
  PAGE_DEFAULTS,
  type Decoded,
  type PageRules,
  type PageState,
  type SearchRecord,
} from '../../url';
import { acceptsLogFilter } from './filters/fields';
import { LOG_COLUMN_IDS } from './list/column-ids';

/** Tabs of a log, in their order. */
export const LOG_TABS = [
  'why',
  'messages',
  'request',
  'response',
  'money',
  'trace',
  'feedback',
  'raw',
] as const;
export type LogTab = (typeof LOG_TABS)[number];

export const LOGS_RULES: PageRules = {
  defaults: { ...PAGE_DEFAULTS, tab: 'why' },
  acceptsFilter: acceptsLogFilter,
  values: { tab: LOG_TABS },
  columns: LOG_COLUMN_IDS,
};

const KEYS: ReadonlySet<string> = new Set(['t', 'f', 'q', 'cols', 'log', 'tab', 'live']);

/** The parameters of a page of logs as they are; a broken one stays until the page has named it. */
export function knownSearch(search: Readonly<Record<string, unknown>>): SearchRecord {
  const known: Record<string, string | readonly string[]> = {};
  for (const [key, value] of Object.entries(search)) {
    if (!KEYS.has(key)) continue;
    if (Array.isArray(value)) known[key] = value.map(String);
    else if (typeof value === 'string' || typeof value === 'number') known[key] = String(value);
  }
  return known;
}

export const decodeLogs = (search: SearchRecord): Decoded => decodePage(search, LOGS_RULES);
export const logsSearch = (state: PageState): SearchRecord => pageSearch(state, LOGS_RULES);

/** The search of a list with these members, and the usual ones else. */
export const logsSearchOf = (change: Partial<PageState>): SearchRecord =>
  logsSearch({ ...LOGS_RULES.defaults, ...change });
