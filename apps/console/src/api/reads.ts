import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './client';
import type { AnswerOf, OperationId, Params } from './operations';
import type { Problem } from './problem';

/** Operations that only read. Writes go through `src/write`. */
export type ReadId = OperationId;

/** Key of a read in the cache: `[operationId, params]`. Invalidate `[operationId]` for all of its params. */
export const keyOf = <O extends ReadId>(id: O, params: Params<O>) => [id, params] as const;

export interface ReadOptions {
  /** Milliseconds for which an answer counts as fresh; 5,000 when absent. */
  readonly staleTime?: number;
  readonly enabled?: boolean;
  /** Milliseconds between reads of a visible page; none when absent. */
  readonly refetchInterval?: number;
  /** Milliseconds for which an answer that is not shown is kept; 5 minutes when absent. */
  readonly gcTime?: number;
}

/** Options of TanStack Query for a read: for `useQuery`, `prefetchQuery` and loaders. */
export const read = <O extends ReadId>(id: O, params: Params<O>, options: ReadOptions = {}) =>
  queryOptions<AnswerOf<O>, Problem, AnswerOf<O>, readonly [O, Params<O>]>({
    queryKey: keyOf(id, params),
    queryFn: async ({ signal }) => (await call(id, params, { signal })).data,
    ...options,
  });

/** Reads an operation: `useRead('logs_list', { query: { page_size: 50 } })`. */
export const useRead = <O extends ReadId>(
  id: O,
  params: Params<O>,
  options: ReadOptions = {},
): UseQueryResult<AnswerOf<O>, Problem> => useQuery(read(id, params, options));
