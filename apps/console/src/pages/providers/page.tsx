import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, type ReactElement } from 'react';
import { problemFrom, useRead } from '../../api';
import { Can, useCan, useWorkspace } from '../../app';
import { providers } from '../../messages';
import { FilterBar } from '../../ui/filters';
import { ColumnMenu, DataGrid, useColumns } from '../../ui/grid';
import { Icon } from '../../ui/icons/icon';
import { Empty, Loaded, Page, Skeletons } from '../../ui/states';
import { lastDays } from '../list/last-days';
import { statusTone } from '../list/status-tone';
import { usePageSearch } from '../list/use-page-search';
import { columnsOf, type Use } from './provider-columns';
import { LIST_RULES } from './rules';
import { useListed, type Listed } from './use-listed';

const rowId = ({ id }: Listed): string => id;
const GROUPS_MAX = 100;

/** Use of the workspace's providers in 30 days, by slug; null when the caller may not see it. */
function useProviderUse(): ReadonlyMap<string, Use> | null {
  const workspace = useWorkspace();
  const can = useCan('analyticsGroups_by');
  const { data } = useRead(
    'analyticsGroups_by',
    {
      path: { groupBy: 'provider' },
      query: {
        ...lastDays(30),
        workspace_id: workspace.id,
        columns: ['requests', 'cost', 'success_rate', 'p95_latency'],
        page_size: GROUPS_MAX,
      },
    },
    { staleTime: 60_000, enabled: can },
  );
  return useMemo(
    () => (can ? new Map((data?.data ?? []).map((row) => [row.group_key ?? '', row])) : null),
    [can, data],
  );
}

/** Page of the providers and virtual keys of the workspace with their use, budget and status. */
export function ProvidersPage(): ReactElement {
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const { state, change } = usePageSearch(LIST_RULES);
  const { text, sort } = state;
  const { query, total, more } = useListed(state);
  const use = useProviderUse();
  const columns = useMemo(() => columnsOf(workspace.slug, use), [workspace.slug, use]);
  const choice = useColumns('providers', columns, state.cols);
  const open = ({ slug }: Listed): void =>
    void navigate({ to: '/w/$ws/providers/$provider', params: { ws: workspace.slug, provider: slug } });
  return (
    <Page
      title={providers.title}
      layout="full"
      updating={query.isFetching && query.data !== undefined}
      badge={total === undefined ? null : <span className="muted">{providers.total(total)}</span>}
      actions={
        <>
          <ColumnMenu columns={columns} choice={choice} />
          <AddButton />
        </>
      }
    >
      <FilterBar
        fields={[]}
        filters={[]}
        onChange={() => undefined}
        text={text}
        onText={(next) => change({ text: next })}
      />
      <Loaded
        query={query}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="table" />}
        isEmpty={(rows) => rows.length === 0}
        empty={
          text === '' ? (
            <Empty title={providers.empty} icon="servers" action={<AddButton />}>
              {providers.emptyHint}
            </Empty>
          ) : (
            <Empty
              title={providers.noMatch}
              icon="filter"
              action={<Button onClick={() => change({ text: '' })}>{providers.clear}</Button>}
            />
          )
        }
      >
        {(rows) => (
          <DataGrid
            label={providers.list}
            rows={rows}
            rowId={rowId}
            columns={columns}
            choice={choice}
            onOpen={open}
            sort={sort}
            onSort={(next) => change({ sort: next })}
            total={total}
            onEnd={more}
            toneOf={statusTone}
          />
        )}
      </Loaded>
    </Page>
  );
}

function AddButton(): ReactElement {
  const workspace = useWorkspace();
  return (
    <Can operation="integrations_create">
      <Button
        variant="filled"
        leftSection={<Icon name="plus" size={14} />}
        renderRoot={(props) => <Link to="/w/$ws/providers/new" params={{ ws: workspace.slug }} {...props} />}
      >
        {providers.create}
      </Button>
    </Can>
  );
}
