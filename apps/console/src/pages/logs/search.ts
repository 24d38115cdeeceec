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

/** Tabs of a log, in order. */
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

export const decodeLogs = (search: SearchRecord): Decoded => decodePage(search, LOGS_RULES);
export const logsSearch = (state: PageState): SearchRecord => pageSearch(state, LOGS_RULES);

/** Search parameters of a list with these members and the defaults for all others. */
export const logsSearchOf = (change: Partial<PageState>): SearchRecord =>
  logsSearch({ ...LOGS_RULES.defaults, ...change });
