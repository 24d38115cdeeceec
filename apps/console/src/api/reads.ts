import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './client';
import type { ResponseOf, OperationId, Params } from './operations';
import type { Problem } from './problem';

/** Operations for `read`. The type does not tell those that only read; writes go through `src/write`. */
export type ReadId = OperationId;

/**
 * Cache key of a read: `[operationId, params]`. Invalidating `[operationId]` invalidates the reads
 * with all params.
 */
export const keyOf = <O extends ReadId>(id: O, params: Params<O>) => [id, params] as const;

export interface ReadOptions {
  /** Milliseconds for which a response counts as fresh; 5,000 when absent. */
  readonly staleTime?: number;
  readonly enabled?: boolean;
  /** Milliseconds between reads while the page is visible; no repeated reads when absent. */
  readonly refetchInterval?: number;
  /**
   * Milliseconds for which the cache keeps a response that no component uses; 5 minutes when
   * absent.
   */
  readonly gcTime?: number;
}

/** TanStack Query options of a read, for `useQuery`, `prefetchQuery` and loaders. */
export const read = <O extends ReadId>(id: O, params: Params<O>, options: ReadOptions = {}) =>
  queryOptions<ResponseOf<O>, Problem, ResponseOf<O>, readonly [O, Params<O>]>({
    queryKey: keyOf(id, params),
    queryFn: async ({ signal }) => (await call(id, params, { signal })).data,
    ...options,
  });

/** Reads an operation: `useRead('logs_list', { query: { page_size: 50 } })`. */
export const useRead = <O extends ReadId>(
  id: O,
  params: Params<O>,
  options: ReadOptions = {},
): UseQueryResult<ResponseOf<O>, Problem> => useQuery(read(id, params, options));
