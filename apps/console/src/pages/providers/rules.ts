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

/** Adding: `by` is the id of the catalogue that was chosen, `q` the search for one. */
export const NEW_RULES: PageRules = { defaults: PAGE_DEFAULTS, acceptsFilter };

export const DETAIL_RULES: PageRules = {
  defaults: { ...PAGE_DEFAULTS, tab: TABS[0] },
  values: { tab: TABS },
  acceptsFilter,
};
