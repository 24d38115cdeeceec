import { call, keyOf, type ResponseOf, type OperationId, type Params } from '../../api';
import { usePages } from './use-pages';

/** Operations whose response is a page of a list. */
export type ListId = {
  [O in OperationId]: ResponseOf<O> extends { readonly data: readonly unknown[]; readonly total: number }
    ? O
    : never;
}[OperationId];

export type RowOf<O extends ListId> =
  ResponseOf<O> extends { readonly data: readonly (infer Row)[] } ? Row : never;

const STALE_MS = 10_000;

interface ListPage<R> {
  readonly data: readonly R[];
  readonly total: number;
}
const rowsOf = <R>(page: ListPage<R>): readonly R[] => page.data;
const totalOf = ({ total }: ListPage<unknown>): number => total;

/** Reads a list of the API page by page. */
export const useListRead = <O extends ListId>(id: O, params: Params<O>, enabled = true) =>
  usePages<ListPage<RowOf<O>>, RowOf<O>>({
    queryKey: [...keyOf(id, params), 'pages'],
    read: async (page, signal) => {
      const query = { ...(params as { readonly query?: object }).query, ...page };
      const { data } = await call(id, { ...params, query } as Params<O>, { signal });
      return data as ListPage<RowOf<O>>;
    },
    rowsOf,
    totalOf,
    staleTime: STALE_MS,
    enabled,
  });
