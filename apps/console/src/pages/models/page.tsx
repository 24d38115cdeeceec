import { Button } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import { call, problemFrom } from '../../api';
import { useCan, useWorkspace } from '../../app';
import { models } from '../../messages';
import { FilterBar, singleFilters, type FilterField } from '../../ui/filters';
import { ColumnMenu, DataGrid, useColumns } from '../../ui/grid';
import { Empty, Loaded, Page, Skeletons } from '../../ui/states';
import type { PageState } from '../../url';
import { useListRead } from '../list/use-list-read';
import { usePageSearch } from '../list/use-page-search';
import { columnsOf, type Model } from './model-columns';
import { ModelDrawer } from './model-drawer';
import { MODEL_RULES } from './rules';
import { isUnpricedInUse, unpricedFirst, useUseOfModels } from './use-of-models';

const OFFERED_MAX = 20;
const rowId = ({ id, provider }: Model): string => `${provider.id} ${id}`;

function useFields(): readonly FilterField[] {
  const workspace = useWorkspace();
  const can = useCan('providers_list');
  return useMemo(
    () => [
      {
        id: 'provider',
        label: models.filters.provider,
        group: models.filters.group,
        kind: 'values',
        ...(can
          ? {
              options: async (search: string, signal: AbortSignal) => {
                const query = { search, workspace_id: workspace.id, page_size: OFFERED_MAX };
                const { data } = await call('providers_list', { query }, { signal });
                return data.data.map(({ slug, name }) => ({ value: slug, label: name }));
              },
            }
          : {}),
      },
      {
        id: 'enabled',
        label: models.filters.enabled,
        group: models.filters.group,
        kind: 'values',
        options: [
          { value: 'true', label: models.yes },
          { value: 'false', label: models.no },
        ],
      },
    ],
    [workspace.id, can],
  );
}

/** Value by which the URL filters a field. The API takes one value. */
function valueOf({ filters }: PageState, field: string): string | undefined {
  const match = filters.find((filter) => filter.field === field)?.match;
  return match?.kind === 'any' ? match.values[0] : undefined;
}

/** Page of the models that the workspace may call, with their prices and price sources. */
export function ModelsPage(): ReactElement {
  const workspace = useWorkspace();
  const fields = useFields();
  const { state, change } = usePageSearch(MODEL_RULES);
  const [provider, enabled] = [valueOf(state, 'provider'), valueOf(state, 'enabled')];
  const { query, total, more } = useListRead('workspaceModels_list', {
    query: {
      workspace_id: workspace.id,
      ...(state.text === '' ? {} : { search: state.text }),
      ...(provider === undefined ? {} : { provider }),
      ...(enabled === undefined ? {} : { enabled: enabled === 'true' }),
    },
  });
  const use = useUseOfModels(query.data);
  const columns = useMemo(() => columnsOf(use), [use]);
  const choice = useColumns('models', columns, state.cols);
  const opened = query.data?.find((model) => rowId(model) === state.log) ?? null;
  const isFiltered = state.text !== '' || state.filters.length > 0;
  return (
    <Page
      title={models.title}
      layout="full"
      updating={query.isFetching && query.data !== undefined}
      badge={total === undefined ? null : <span className="muted">{models.total(total)}</span>}
      actions={<ColumnMenu columns={columns} choice={choice} />}
    >
      <FilterBar
        fields={fields}
        filters={state.filters}
        onChange={(filters) => change({ filters: singleFilters(filters) })}
        text={state.text}
        onText={(text) => change({ text })}
      />
      <Loaded
        query={query}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="table" />}
        isEmpty={(rows) => rows.length === 0}
        empty={
          isFiltered ? (
            <Empty
              title={models.noMatch}
              icon="filter"
              action={<Button onClick={() => change({ text: '', filters: [] })}>{models.clear}</Button>}
            >
              {models.noMatchHint}
            </Empty>
          ) : (
            <Empty title={models.empty} icon="stack">
              {models.emptyHint}
            </Empty>
          )
        }
      >
        {(rows) => (
          <DataGrid
            label={models.list}
            rows={unpricedFirst(rows, use)}
            rowId={rowId}
            columns={columns}
            choice={choice}
            openId={state.log === '' ? null : state.log}
            onOpen={(model) => change({ log: rowId(model) }, 'push')}
            toneOf={(model) => (isUnpricedInUse(model, use) ? 'warn' : undefined)}
            total={total}
            onEnd={more}
          />
        )}
      </Loaded>
      <ModelDrawer model={opened} use={use} onClose={() => change({ log: '' })} />
    </Page>
  );
}
