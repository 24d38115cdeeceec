import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { decodePage, pageSearch, type PageRules, type PageState } from '../../url';

/** For `validateSearch`: what a page accepts of its URL, without what is as usual. */
export const searchBy =
  (rules: PageRules) =>
  (search: Readonly<Record<string, unknown>>): Record<string, string | string[]> =>
    pageSearch(decodePage(search, rules).state, rules);

export interface PageSearch {
  readonly state: PageState;
  /** Replaces the entry of the history, or with `push` adds one that Back returns from. */
  readonly change: (part: Partial<PageState>, how?: 'replace' | 'push') => void;
}

/** The state of the page that its URL holds. `rules` must be stable. */
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

/** The order of a list as the API has it; empty for the one of the API. */
export const orderOf = <Field extends string>(
  sort: string,
): { readonly sort?: Field; readonly order?: 'asc' | 'desc' } =>
  sort === '' ? {} : { sort: sort.replace('-', '') as Field, order: sort.startsWith('-') ? 'desc' : 'asc' };
