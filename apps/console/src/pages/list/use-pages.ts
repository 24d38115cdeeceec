import { useInfiniteQuery, type InfiniteData, type QueryKey } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Problem } from '../../api';

/** Rows of a page, which is the maximum of the API. */
const PAGE_SIZE = 100;

export interface PagedRead<P, R> {
  readonly queryKey: QueryKey;
  /** Reads a page. `first` is the first page of the list; undefined while that page is read. */
  readonly read: (
    page: { readonly current_page: number; readonly page_size: number },
    signal: AbortSignal,
    first: P | undefined,
  ) => Promise<P>;
  /** Rows of a page. Must be a stable reference, or each render recomputes all rows. */
  readonly rowsOf: (page: P) => readonly R[];
  readonly totalOf: (page: P) => number;
  /** Milliseconds for which a response counts as fresh. */
  readonly staleTime?: number;
  /** False to read nothing. */
  readonly enabled?: boolean;
}

/** The number of a page, from 0, and the first page, which is read before the others. */
interface PageParam<P> {
  readonly number: number;
  readonly first: P | undefined;
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
  const query = useInfiniteQuery<P, Problem, InfiniteData<P>, QueryKey, PageParam<P>>({
    queryKey,
    initialPageParam: { number: 0, first: undefined },
    queryFn: ({ pageParam: { number, first }, signal }) =>
      read({ current_page: number, page_size: PAGE_SIZE }, signal, first),
    getNextPageParam: (last, pages) =>
      pages.length * PAGE_SIZE < totalOf(last) ? { number: pages.length, first: pages[0] } : undefined,
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
