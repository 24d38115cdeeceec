import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { decodePage, pageSearch, type PageRules, type PageState } from '../../url';

/**
 * Returns a `validateSearch` function: it keeps the search parameters that a page accepts and that
 * differ from the defaults.
 */
export const searchBy =
  (rules: PageRules) =>
  (search: Readonly<Record<string, unknown>>): Record<string, string | string[]> =>
    pageSearch(decodePage(search, rules).state, rules);

export interface PageSearch {
  readonly state: PageState;
  /** Changes the state. Replaces the current history entry; `push` adds a new one. */
  readonly change: (part: Partial<PageState>, how?: 'replace' | 'push') => void;
}

/** State of the page in its URL. `rules` must be a stable reference. */
export function usePageSearch(rules: PageRules): PageSearch {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = useMemo(() => decodePage(search, rules).state, [search, rules]);
  const change = useCallback<PageSearch['change']>(
    (part, how = 'replace') =>
      void navigate({
        to: '.',
        search: (before: Readonly<Record<string, unknown>>) =>
          pageSearch({ ...decodePage(before, rules).state, ...part }, rules) as never,
        replace: how === 'replace',
      }),
    [navigate, rules],
  );
  return { state, change };
}

/** Converts a sort such as `-name` to API parameters; empty for the API's default order. */
export const orderOf = <Field extends string>(
  sort: string,
): { readonly sort?: Field; readonly order?: 'asc' | 'desc' } =>
  sort === '' ? {} : { sort: sort.replace('-', '') as Field, order: sort.startsWith('-') ? 'desc' : 'asc' };
