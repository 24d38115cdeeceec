import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { call, problemFrom, type ResponseOf, type Problem } from '../../../api';
import { useWorkspace } from '../../../app';
import { useTail, type LogRow } from '../../../live';
import { encodeFilter, encodeRange, resolveRange, type PageState, type ResolvedRange } from '../../../url';
import { filterQuery, timeQuery, type LogsQuery } from '../filters/log-query';
import type { Keys } from '../filters/use-log-fields';
import { isApart, mergeRows } from './merge-rows';

type LogPage = ResponseOf<'logs_list'>;

const PAGE_SIZE = 100;
/** Maximum number of rows that the list loads; a row takes about a kilobyte. */
export const ROWS_MAX = 100_000;
/** Minimum length of a text that the API searches for. */
export const TEXT_MIN = 3;
const NO_ROWS: readonly LogRow[] = [];

export interface LogList {
  readonly rows: readonly LogRow[];
  /** The range as resolved when the list was read. */
  readonly range: ResolvedRange;
  readonly problem: Problem | null;
  readonly isLoading: boolean;
  readonly isFetching: boolean;
  /** True when the rows of the list match an earlier state of the address. */
  readonly isPlaceholderData: boolean;
  /** Unix milliseconds of the newest response. */
  readonly readAt: number;
  readonly hasMore: boolean;
  readonly isFull: boolean;
  readonly loadMore: () => void;
  readonly refresh: () => void;
  /** Progress of a text search; null without one. */
  readonly searched: { readonly logs: number; readonly until: string | null } | null;
  readonly tail: ReturnType<typeof useTail>;
  /** Why the tail cannot run; null when it can. */
  readonly tailOff: 'text' | 'ended' | null;
}

/**
 * Logs that match the state of the address, newest first, including those that arrive while the
 * tail is on.
 */
export function useLogList(state: PageState, keys: Keys): LogList {
  const { id: workspaceId } = useWorkspace();
  const { range, at, resolve } = useMoment(state);
  const text = state.text.trim();
  const isOpenEnded = state.range.kind === 'relative' || state.range.to === null;
  const filters = useMemo(
    (): Partial<LogsQuery> => ({ workspace_id: workspaceId, ...filterQuery(state.filters, keys.idsOf) }),
    [workspaceId, state.filters, keys.idsOf],
  );
  const below = useBelow(at);
  const query: LogsQuery = {
    ...filters,
    ...timeQuery(range, isOpenEnded),
    ...below.query,
    ...(text.length >= TEXT_MIN ? { q: text } : {}),
    page_size: PAGE_SIZE,
  };
  const list = useInfiniteQuery<LogPage, Problem, { pages: LogPage[] }, readonly unknown[], string | null>({
    queryKey: ['logs_list', { query }, at],
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return (await call('logs_list', { query: { ...query, ...cursor } }, { signal })).data;
    },
    initialPageParam: null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
    enabled: keys.isReady,
    // Read pages do not change; newer logs arrive through the tail or Refresh.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 60_000,
  });
  const tailOff = text.length >= TEXT_MIN ? 'text' : isOpenEnded ? null : 'ended';
  const tail = useTail(filters, state.live && tailOff === null && keys.isReady);
  useFirstSight(tail.status === 'live' && state.live, resolve);

  const pages = list.data?.pages;
  const listed = useMemo(() => pages?.flatMap(({ data }) => data) ?? NO_ROWS, [pages]);
  const joined = useJoined(tail, listed);
  const { rows } = joined;
  const isFull = rows.length >= ROWS_MAX;
  const hasMore = (list.hasNextPage || joined.isApart) && !isFull;
  const loadMore = useLoadMore(list, hasMore, joined, below.begin);
  return {
    ...{ rows, range, hasMore, isFull, loadMore, tail, tailOff, refresh: resolve },
    problem: list.error === null ? null : problemFrom(list.error),
    isLoading: list.isPending,
    isFetching: list.isFetching,
    isPlaceholderData: list.isPlaceholderData,
    readAt: list.dataUpdatedAt,
    searched: searchedBy(pages),
  };
}

interface Joined {
  readonly rows: readonly LogRow[];
  readonly isApart: boolean;
  /** Time of the oldest row of the tail; null without rows. */
  readonly oldest: string | null;
}

/**
 * Merges the rows of the tail and the list. Leaves out the list when rows between the two may be
 * missing, so that the gap does not stay hidden.
 */
function useJoined(tail: LogList['tail'], listed: readonly LogRow[]): Joined {
  const isTailApart = isApart(tail, listed);
  const rows = useMemo(
    () => mergeRows(tail.rows, isTailApart ? NO_ROWS : listed),
    [tail.rows, listed, isTailApart],
  );
  return { rows, isApart: isTailApart, oldest: tail.rows.at(-1)?.created_at ?? null };
}

interface Pages {
  readonly isFetching: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

/**
 * Returns a function that loads the next page, or reads the list again below the oldest row of the
 * tail when there is a gap.
 */
function useLoadMore(
  { isFetching, fetchNextPage }: Pages,
  hasMore: boolean,
  { isApart: isTailApart, oldest }: Joined,
  begin: (time: string) => void,
): () => void {
  return useCallback(() => {
    if (!hasMore || isFetching) return;
    if (isTailApart && oldest !== null) begin(oldest);
    else void fetchNextPage();
  }, [fetchNextPage, begin, hasMore, isFetching, isTailApart, oldest]);
}

/**
 * Upper time bound of the list, below the rows of the tail; no bound by default. The bound is
 * dropped when the list is read for another moment.
 */
function useBelow(at: number): {
  readonly query: Pick<LogsQuery, 'time_of_generation_max'>;
  readonly begin: (time: string) => void;
} {
  const [begun, setBegun] = useState({ at, from: null as string | null });
  const begin = useCallback(
    // Row times have a resolution of one millisecond, so other rows of the same millisecond may be
    // missing.
    (time: string) => setBegun({ at, from: new Date(Date.parse(time) + 1).toISOString() }),
    [at],
  );
  return {
    query: begun.at === at && begun.from !== null ? { time_of_generation_max: begun.from } : {},
    begin,
  };
}

/**
 * Resolves the range to moments that stay fixed until the state changes or the list is refreshed.
 */
function useMoment(state: PageState): {
  readonly range: ResolvedRange;
  readonly at: number;
  readonly resolve: () => void;
} {
  const [turn, setTurn] = useState(0);
  const key = [encodeRange(state.range), state.text, ...state.filters.map(encodeFilter), turn].join('\n');
  const [shown, setShown] = useState({ key, at: Date.now() });
  if (shown.key !== key) setShown({ key, at: Date.now() });
  const range = useMemo(() => resolveRange(state.range, shown.at), [state.range, shown.at]);
  return { range, at: shown.at, resolve: useCallback(() => setTurn((before) => before + 1), []) };
}

/** Refreshes the list when the tail starts, to include the logs stored in between. */
function useFirstSight(isLive: boolean, refresh: () => void): void {
  useEffect(() => {
    if (isLive) refresh();
  }, [isLive, refresh]);
}

function searchedBy(pages: readonly LogPage[] | undefined): LogList['searched'] {
  const searched = (pages ?? []).flatMap((page) => page.searched ?? []);
  if (searched.length === 0) return null;
  return {
    logs: searched.reduce((sum, { logs }) => sum + logs, 0),
    until: searched.findLast(({ until }) => until !== null)?.until ?? null,
  };
}
