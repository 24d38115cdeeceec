import { encodeFilter, type Filter, type PageState } from '../../../url';

const anyOf = (field: string, ...values: readonly string[]): Filter => ({
  field,
  not: false,
  match: { kind: 'any', values },
});

/** Minimum cost in cents of a costly request. */
const COSTLY_CENTS = 1;

/**
 * Filters of the built-in views. `slow` is null because its filter depends on the latency of the
 * shown range.
 */
export const LOG_VIEWS = {
  all: [],
  failed: [anyOf('success', 'no')],
  slow: null,
  costly: [{ field: 'cost', not: false, match: { kind: 'compare', op: '>=', value: COSTLY_CENTS } }],
  limits: [anyOf('error', 'rate_limited', 'budget_exhausted')],
  guardrails: [anyOf('status', '446', '246')],
  fallbacks: [anyOf('fallback', 'yes')],
  cut: [anyOf('outcome', 'interrupted', 'client_closed')],
  unpriced: [anyOf('priced', 'unpriced')],
} as const satisfies Readonly<Record<string, readonly Filter[] | null>>;

export type LogView = keyof typeof LOG_VIEWS;
export const LOG_VIEW_NAMES = Object.keys(LOG_VIEWS) as LogView[];

/** Filter of the view `slow`: requests that took at least `p90`, in whole milliseconds. */
export const slowFilter = (p90: number): Filter => ({
  field: 'took',
  not: false,
  match: { kind: 'compare', op: '>=', value: Math.max(1, Math.floor(p90)) },
});

const keyOf = (filters: readonly Filter[]): string => filters.map(encodeFilter).join('\n');

/** Returns the view with the filters of the address; null for custom filters. */
export function viewOf({ filters, text }: Pick<PageState, 'filters' | 'text'>): LogView | null {
  if (text.trim() !== '') return null;
  const [only] = filters;
  if (filters.length === 1 && only !== undefined && isSlow(only)) return 'slow';
  const key = keyOf(filters);
  return LOG_VIEW_NAMES.find((name) => keyOfView(name) === key) ?? null;
}

function keyOfView(name: LogView): string | null {
  const filters: readonly Filter[] | null = LOG_VIEWS[name];
  return filters === null ? null : keyOf(filters);
}

const isSlow = ({ field, match }: Filter): boolean =>
  field === 'took' && match.kind === 'compare' && match.op === '>=';
