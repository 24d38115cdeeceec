import { between, names, text } from '../openapi/schema';
import { quoted, type Violations } from './violations';

/** Checks a query string, which is empty or starts with `?`. */
export type QueryCheck = (query: string, found: Violations) => void;

const LIMIT = /^(?:[1-9]\d?|100)$/;

const RULES: Readonly<Record<string, { readonly holds: (value: string) => boolean; readonly rule: string }>> =
  {
    limit: { holds: (value) => LIMIT.test(value), rule: 'must be a whole number from 1 to 100' },
    order: { holds: (value) => value === 'asc' || value === 'desc', rule: 'must be asc or desc' },
    after: { holds: () => true, rule: '' },
    before: { holds: () => true, rule: '' },
  };

/** Query of `GET /threads/{thread_id}/runs`. Unknown parameters pass. */
export const listRunsQuery: QueryCheck = (query, found) => {
  if (query.length < 2) return;
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const own = name.replace(/\[.*$/s, '');
    const known = Object.hasOwn(RULES, own) ? RULES[own] : undefined;
    if (!known) continue;
    // Two parsers could read different values from it.
    if (own !== name || seen.has(own)) found.add(own, 'must be sent once, as one value', 'a list');
    else if (!known.holds(value)) found.add(own, known.rule, quoted(value));
    seen.add(own);
  }
};

/** The same query for the OpenAPI document. */
export const LIST_RUNS_QUERY = {
  limit: { ...between('integer', 1, 100), default: 20 },
  order: { ...names('asc', 'desc'), default: 'desc', description: 'Sorts by created_at.' },
  after: { ...text, description: 'An object id: returns the page after it.' },
  before: { ...text, description: 'An object id: returns the page before it.' },
} as const;
