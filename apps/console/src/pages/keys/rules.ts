import { PAGE_DEFAULTS, type PageRules } from '../../url';
import { STEPS, TABS } from './steps';

const SORTS = ['name', 'created_at', 'last_updated_at', 'expires_at'];
const STATUSES = ['active', 'exhausted', 'expired'];

/** URL rules of the list: `q`, `sort` and `f=status:…`. */
export const LIST_RULES: PageRules = {
  defaults: PAGE_DEFAULTS,
  values: { sort: SORTS.flatMap((sort) => [sort, `-${sort}`]) },
  acceptsFilter: ({ field, not, match }) =>
    field === 'status' &&
    !not &&
    match.kind === 'any' &&
    match.values.every((value) => STATUSES.includes(value)),
};

/** URL rules of the wizard; `tab` is its step. */
export const WIZARD_RULES: PageRules = {
  defaults: { ...PAGE_DEFAULTS, tab: STEPS[0] },
  values: { tab: STEPS },
};

export const DETAIL_RULES: PageRules = {
  defaults: { ...PAGE_DEFAULTS, tab: TABS[0] },
  values: { tab: TABS },
};
