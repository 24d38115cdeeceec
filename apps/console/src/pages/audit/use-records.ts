import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, useRead, type AnswerOf, type Problem, type QueryOf } from '../../api';
import { useCan, useSelf } from '../../app';
import { audit } from '../../messages';
import { encodeRange, resolveRange, type PageState } from '../../url';
import { PARAMETERS, type AuditField } from './rules';

export type AuditRecord = AnswerOf<'auditLogs_list'>['records'][number];

/** Records of a page; the maximum of the API. */
const PAGE_SIZE = 100;

/** Parameters of the filters of the URL. */
export const parametersOf = ({ filters }: PageState): QueryOf<'auditLogs_list'> =>
  Object.fromEntries(
    filters.flatMap(({ field, match }) =>
      match.kind === 'any' ? [[PARAMETERS[field as AuditField], match.values[0]]] : [],
    ),
  );

/** Records of the range and filters, newest first, page by page. */
export function useRecords(state: PageState) {
  const filters = parametersOf(state);
  const query = useInfiniteQuery<AnswerOf<'auditLogs_list'>, Problem>({
    queryKey: ['auditLogs_list', encodeRange(state.range), filters],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const { from, to } = resolveRange(state.range, Date.now());
      const time = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
      const page = { current_page: pageParam as number, page_size: PAGE_SIZE };
      return (await call('auditLogs_list', { query: { ...filters, ...time, ...page } }, { signal })).data;
    },
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE_SIZE < total ? pages.length : undefined),
    placeholderData: (before) => before,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ records }) => records), [data]);
  return {
    query: {
      data: rows,
      error: query.error,
      isFetching: query.isFetching,
      dataUpdatedAt: query.dataUpdatedAt,
      refetch: query.refetch,
    },
    total: data?.pages[0]?.total,
    more: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
  };
}

const PEOPLE_MAX = 100;

/** Names of actors: the caller, people that may be listed, else their id. */
export function useActorNames(): (record: AuditRecord) => string {
  const self = useSelf();
  const can = useCan('users_list');
  const { data } = useRead(
    'users_list',
    { query: { page_size: PEOPLE_MAX } },
    { enabled: can, staleTime: 60_000 },
  );
  return useMemo(() => {
    const emails = new Map((data?.data ?? []).map(({ id, email }) => [id, email]));
    return ({ user_id, user_type }) => {
      if (user_type === 'system' || user_id === null) return audit.system;
      if (user_id === self.id) return audit.you;
      return emails.get(user_id) ?? user_id;
    };
  }, [data, self.id]);
}
