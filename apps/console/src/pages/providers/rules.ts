import { PAGE_DEFAULTS, type PageRules } from '../../url';

const SORTS = ['name', 'created_at', 'last_updated_at', 'expires_at'];

/** Tabs of a provider. */
export const TABS = ['settings', 'credential', 'models', 'use', 'history'] as const;

const acceptsFilter = (): boolean => false;

export const LIST_RULES: PageRules = {
  defaults: PAGE_DEFAULTS,
  values: { sort: SORTS.flatMap((sort) => [sort, `-${sort}`]) },
  acceptsFilter,
};

/**
 * URL rules of the page that adds a provider: `by` is the chosen catalogue id, `q` the search text.
 */
export const NEW_RULES: PageRules = { defaults: PAGE_DEFAULTS, acceptsFilter };

export const DETAIL_RULES: PageRules = {
  defaults: { ...PAGE_DEFAULTS, tab: TABS[0] },
  values: { tab: TABS },
  acceptsFilter,
};
