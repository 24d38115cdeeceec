import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, keyOf, type AnswerOf, type OperationId, type Params, type Problem } from '../../api';

/** Operations whose answer is a list in pages. */
export type ListId = {
  [O in OperationId]: AnswerOf<O> extends { readonly data: readonly unknown[]; readonly total: number }
    ? O
    : never;
}[OperationId];

export type RowOf<O extends ListId> =
  AnswerOf<O> extends { readonly data: readonly (infer Row)[] } ? Row : never;

/** Rows of a page; the maximum of the API. */
const PAGE_SIZE = 100;
const STALE_MS = 10_000;

/** Reads a list page by page: `rows` of all pages that were read, `more` reads the next one where there is one. */
export function useListRead<O extends ListId>(id: O, params: Params<O>) {
  const query = useInfiniteQuery<AnswerOf<O>, Problem>({
    queryKey: [...keyOf(id, params), 'pages'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const own = (params as { readonly query?: object }).query;
      const query = { ...own, current_page: pageParam, page_size: PAGE_SIZE };
      return (await call(id, { ...params, query } as Params<O>, { signal })).data;
    },
    getNextPageParam: (last, pages) => {
      const { total } = last as { readonly total: number };
      return pages.length * PAGE_SIZE < total ? pages.length : undefined;
    },
    staleTime: STALE_MS,
    placeholderData: (before) => before,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(
    () => data?.pages.flatMap((page) => (page as { readonly data: readonly RowOf<O>[] }).data),
    [data],
  );
  return {
    /** For `Loaded`: its data are the rows. */
    query: {
      data: rows,
      error: query.error,
      isFetching: query.isFetching,
      dataUpdatedAt: query.dataUpdatedAt,
      refetch: query.refetch,
    },
    total: (data?.pages[0] as { readonly total: number } | undefined)?.total,
    more: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
  };
}
