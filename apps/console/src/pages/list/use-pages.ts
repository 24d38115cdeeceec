import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Problem } from '../../api';

/** Rows of a page, which is the maximum of the API. */
const PAGE_SIZE = 100;

export interface PagedRead<P, R> {
  readonly queryKey: readonly unknown[];
  readonly read: (
    page: { readonly current_page: number; readonly page_size: number },
    signal: AbortSignal,
  ) => Promise<P>;
  /** Rows of a page. Must be a stable reference, or each render recomputes all rows. */
  readonly rowsOf: (page: P) => readonly R[];
  readonly totalOf: (page: P) => number;
  /** Milliseconds for which a response counts as fresh. */
  readonly staleTime?: number;
  /** False to read nothing. */
  readonly enabled?: boolean;
}

/**
 * Reads a list page by page. Returns the rows of all pages read so far; `more` reads the next page,
 * if there is one.
 */
export function usePages<P, R>({
  queryKey,
  read,
  rowsOf,
  totalOf,
  staleTime,
  enabled = true,
}: PagedRead<P, R>) {
  const query = useInfiniteQuery<P, Problem>({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      read({ current_page: pageParam as number, page_size: PAGE_SIZE }, signal),
    getNextPageParam: (last, pages) => (pages.length * PAGE_SIZE < totalOf(last) ? pages.length : undefined),
    staleTime,
    enabled,
    placeholderData: (before) => before,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap(rowsOf), [data, rowsOf]);
  const [first] = data?.pages ?? [];
  return {
    /** Query for `Loaded`, with the rows as its data. */
    query: {
      data: rows,
      error: query.error,
      isFetching: query.isFetching,
      isPlaceholderData: query.isPlaceholderData,
      dataUpdatedAt: query.dataUpdatedAt,
      refetch: query.refetch,
    },
    total: first === undefined ? undefined : totalOf(first),
    more: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
  };
}
