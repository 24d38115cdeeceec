import type { ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { useRefusal, useWorkspace, WhyNot } from '../../../app';
import { models } from '../../../messages';
import { DataGrid } from '../../../ui/grid';
import { Empty, Loaded, NotAllowed, Skeletons } from '../../../ui/states';
import { useListRead } from '../../list/use-list-read';
import { MODEL_COLUMNS, type Model } from '../../models/model-columns';
import './models.css';

const COLUMNS = MODEL_COLUMNS.filter(({ id }) => id !== 'provider');
const rowId = ({ id }: Model): string => id;

/** Tab with the models of a provider. */
export function ProviderModels({ slug }: { readonly slug: string }): ReactElement {
  const refusal = useRefusal('workspaceModels_list');
  if (refusal === null) return <List slug={slug} />;
  return (
    <NotAllowed missing={refusal.scopes.join(', ')}>
      <WhyNot refusal={refusal} />
    </NotAllowed>
  );
}

function List({ slug }: { readonly slug: string }): ReactElement {
  const workspace = useWorkspace();
  const { query, total, more } = useListRead('workspaceModels_list', {
    query: { workspace_id: workspace.id, provider: slug },
  });
  return (
    <Loaded
      query={query}
      problemOf={problemFrom}
      skeleton={<Skeletons shape="table" />}
      isEmpty={(rows) => rows.length === 0}
      empty={<Empty title={models.empty} icon="stack" />}
    >
      {(rows) => (
        <div className="provider-models">
          <DataGrid
            label={models.title}
            rows={rows}
            rowId={rowId}
            columns={COLUMNS}
            total={total}
            onEnd={more}
          />
        </div>
      )}
    </Loaded>
  );
}
