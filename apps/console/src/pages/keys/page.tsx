import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, type ReactElement } from 'react';
import { problemFrom } from '../../api';
import { Can, useCan, useSelf, useWorkspace } from '../../app';
import { keys } from '../../messages';
import { FilterBar, joinFilters, type FilterField } from '../../ui/filters';
import { ColumnMenu, DataGrid, useColumns } from '../../ui/grid';
import { Icon } from '../../ui/icons/icon';
import { Empty, Loaded, Page, Skeletons } from '../../ui/states';
import { statusTone } from '../list/status-tone';
import { useListRead } from '../list/use-list-read';
import { orderOf, usePageSearch } from '../list/use-page-search';
import { columnsOf } from './key-columns';
import type { ApiKey } from './key-types';
import { LIST_RULES } from './rules';
import { useKeyUse } from './use-key-use';

type Status = 'active' | 'exhausted' | 'expired';

const FIELDS: readonly FilterField[] = [
  {
    id: 'status',
    label: keys.filters.status,
    group: keys.filters.group,
    kind: 'values',
    options: ['active', 'exhausted', 'expired'].map((value) => ({
      value,
      label: keys.status[value] ?? value,
    })),
  },
];
const rowId = ({ id }: ApiKey): string => id;

/** Converts the state of the URL to the query of the list. */
function useKeyQuery(search: ReturnType<typeof usePageSearch>['state']) {
  const workspace = useWorkspace();
  const { text, sort, filters } = search;
  const status = filters.flatMap(({ match }) => (match.kind === 'any' ? (match.values as Status[]) : []));
  return {
    workspace_id: workspace.id,
    ...(text === '' ? {} : { search: text }),
    ...(status.length === 0 ? {} : { status }),
    ...orderOf<'name'>(sort),
  };
}

/** Page of the API keys of the workspace; a caller without that right sees only its own keys. */
export function KeysPage(): ReactElement {
  const workspace = useWorkspace();
  const self = useSelf();
  const navigate = useNavigate();
  const { state, change } = usePageSearch(LIST_RULES);
  const { query, total, more } = useListRead('apiKeys_list', { query: useKeyQuery(state) });
  const use = useKeyUse(query.data);
  const columns = useMemo(
    () => columnsOf({ selfId: self.id, ws: workspace.slug, use }),
    [self.id, workspace.slug, use],
  );
  const choice = useColumns('keys', columns, state.cols);
  const isFiltered = state.text !== '' || state.filters.length > 0;
  const open = ({ id }: ApiKey): void =>
    void navigate({ to: '/w/$ws/keys/$key', params: { ws: workspace.slug, key: id } });
  return (
    <Page
      title={keys.title}
      layout="full"
      updating={query.isFetching && query.data !== undefined}
      badge={total === undefined ? null : <span className="muted">{keys.total(total)}</span>}
      actions={
        <>
          <ColumnMenu columns={columns} choice={choice} />
          <CreateButton />
        </>
      }
    >
      <FilterBar
        fields={FIELDS}
        filters={state.filters}
        onChange={(filters) => change({ filters: joinFilters([], filters) })}
        text={state.text}
        onText={(text) => change({ text })}
      />
      <Loaded
        query={query}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="table" />}
        isEmpty={(rows) => rows.length === 0}
        empty={isFiltered ? <NoMatch onClear={() => change({ text: '', filters: [] })} /> : <NoKeys />}
      >
        {(rows) => (
          <DataGrid
            label={keys.list}
            rows={rows}
            rowId={rowId}
            columns={columns}
            choice={choice}
            onOpen={open}
            sort={state.sort}
            onSort={(sort) => change({ sort })}
            total={total}
            onEnd={more}
            toneOf={statusTone}
          />
        )}
      </Loaded>
    </Page>
  );
}

function CreateButton(): ReactElement {
  const workspace = useWorkspace();
  return (
    <Can operation="apiKeys_create">
      <Button
        variant="filled"
        leftSection={<Icon name="plus" size={14} />}
        renderRoot={(props) => <Link to="/w/$ws/keys/new" params={{ ws: workspace.slug }} {...props} />}
      >
        {keys.create}
      </Button>
    </Can>
  );
}

function NoKeys(): ReactElement {
  const can = useCan('apiKeys_create');
  return (
    <Empty title={keys.empty} icon="key" action={can ? <CreateButton /> : undefined}>
      {keys.emptyHint}
    </Empty>
  );
}

function NoMatch({ onClear }: { readonly onClear: () => void }): ReactElement {
  return (
    <Empty title={keys.noMatch} icon="filter" action={<Button onClick={onClear}>{keys.clear}</Button>}>
      {keys.noMatchHint}
    </Empty>
  );
}
