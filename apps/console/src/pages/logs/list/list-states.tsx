import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useWorkspace } from '../../../app';
import { logs } from '../../../messages/en/logs';
import { moment } from '../../../ui/format';
import { useFormat } from '../../../ui/primitives';
import { Empty, Part } from '../../../ui/states';
import type { PageState } from '../../../url';
import type { Change } from '../use-logs-state';
import { ExcludesMost } from './excludes-most';
import type { LogList } from './use-log-list';

interface StateProps {
  readonly state: PageState;
  readonly list: LogList;
  readonly change: Change;
}

/**
 * Empty state of the list, which explains whether the filters, the range or a lack of requests is
 * the cause.
 */
export function NoRows({ state, list, change }: StateProps): ReactElement {
  const { slug } = useWorkspace();
  const filters = state.filters.length + (state.text.trim() === '' ? 0 : 1);
  if (list.hasMore) return <Searched list={list} />;
  if (filters > 0)
    return (
      <Empty
        title={logs.empty.nothing(filters)}
        icon="filter"
        action={<Button onClick={() => change({ filters: [], text: '' })}>{logs.empty.clear}</Button>}
      >
        <ExcludesMost state={state} range={list.range} change={change} />
      </Empty>
    );
  return (
    <Empty
      title={logs.empty.none}
      action={
        <Link to="/w/$ws/connect" params={{ ws: slug }}>
          {logs.empty.send}
        </Link>
      }
    >
      {logs.empty.inThisTime}
    </Empty>
  );
}

/** Shows how far a text search got. */
export function Searched({ list }: { readonly list: LogList }): ReactElement | null {
  const { zone } = useFormat();
  const { searched, hasMore, loadMore } = list;
  if (searched === null) return null;
  const until = searched.until === null ? null : moment(Date.parse(searched.until), zone);
  return (
    <Part {...(hasMore ? { onGoOn: loadMore } : {})}>{logs.searched(searched.logs, until, hasMore)}</Part>
  );
}
