import { PAGE_DEFAULTS, type PageRules } from '../../url';

/** URL rules: `q`, `f=provider:slug` and `f=enabled:true`; `log` is the open model. */
export const MODEL_RULES: PageRules = {
  defaults: PAGE_DEFAULTS,
  acceptsFilter: ({ field, not, match }) =>
    !not &&
    match.kind === 'any' &&
    match.values.length === 1 &&
    (field === 'provider' || (field === 'enabled' && /^(?:true|false)$/.test(match.values[0] ?? ''))),
};
