import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { call } from '../../../api';
import { useWorkspace } from '../../../app';
import { logs } from '../../../messages/en/logs';
import { fieldOf, filterWords } from '../../../ui/filters';
import { TextButton } from '../../../ui/primitives';
import { isSameFilter, type Filter, type PageState, type ResolvedRange } from '../../../url';
import { LOG_FIELDS } from '../filters/fields';
import { filterQuery, timeQuery } from '../filters/log-query';
import { useKeys } from '../filters/use-log-fields';
import type { Change } from '../use-logs-state';

/** Maximum number of calls of one search for the filter that excludes most logs. */
const CALLS_MAX = 5;
const PAGE_SIZE = 100;

interface Props {
  readonly state: PageState;
  readonly range: ResolvedRange;
  readonly change: Change;
}

/** Button that finds the filter whose removal would show the most logs. */
export function ExcludesMost({ state, range, change }: Props): ReactElement | null {
  const { id } = useWorkspace();
  const keys = useKeys();
  const filters = state.filters.slice(0, CALLS_MAX);
  const without = (filter: Filter): readonly Filter[] =>
    state.filters.filter((one) => !isSameFilter(one, filter));
  const search = useMutation({
    mutationFn: async () => {
      const counted = await Promise.all(
        filters.map(async (filter) => {
          const query = {
            workspace_id: id,
            ...filterQuery(without(filter), keys.idsOf),
            ...timeQuery(range, false),
            page_size: PAGE_SIZE,
          };
          const { data } = await call('logs_list', { query });
          return { filter, rows: data.data.length };
        }),
      );
      return counted.filter(({ rows }) => rows > 0).sort((one, other) => other.rows - one.rows)[0] ?? null;
    },
  });
  if (state.filters.length < 2 || state.text.trim() !== '') return null;
  if (search.data === undefined)
    return <TextButton onClick={() => search.mutate()}>{logs.empty.which}</TextButton>;
  if (search.data === null) return <>{logs.empty.noSingle}</>;
  const { filter, rows } = search.data;
  const { name, operator, value } = filterWords(filter, fieldOf(LOG_FIELDS, filter.field));
  return (
    <>
      {logs.empty.without(`${name} ${operator} ${value}`, rows, rows === PAGE_SIZE)}{' '}
      <TextButton onClick={() => change({ filters: without(filter) })}>{logs.empty.remove}</TextButton>
    </>
  );
}
