import { useMemo } from 'react';
import { call, useRead, type AnswerOf, type QueryOf } from '../../api';
import { useCan, useSelf } from '../../app';
import { audit } from '../../messages';
import { encodeRange, resolveRange, type PageState } from '../../url';
import { usePages } from '../list/use-pages';
import { PARAMETERS, type AuditField } from './rules';

export type AuditRecord = AnswerOf<'auditLogs_list'>['records'][number];

/** Parameters of the filters of the URL. */
export const parametersOf = ({ filters }: PageState): QueryOf<'auditLogs_list'> =>
  Object.fromEntries(
    filters.flatMap(({ field, match }) =>
      match.kind === 'any' ? [[PARAMETERS[field as AuditField], match.values[0]]] : [],
    ),
  );

const rowsOf = ({ records }: AnswerOf<'auditLogs_list'>): readonly AuditRecord[] => records;
const totalOf = ({ total }: AnswerOf<'auditLogs_list'>): number => total;

/** Records of the range and filters, newest first, page by page. */
export function useRecords(state: PageState) {
  const filters = parametersOf(state);
  return usePages({
    queryKey: ['auditLogs_list', encodeRange(state.range), filters],
    read: async (page, signal) => {
      const { from, to } = resolveRange(state.range, Date.now());
      const time = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
      return (await call('auditLogs_list', { query: { ...filters, ...time, ...page } }, { signal })).data;
    },
    rowsOf,
    totalOf,
  });
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
