import { useRead } from '../../../api';
import { useWorkspace } from '../../../app';
import { NEW_COLUMN, type ColumnSettings } from '../search';
import { MODELS_SHOWN } from './target-picker';

/** Makes a further column: the first model that no column has, otherwise as the last one. */
export function useNextColumn(columns: readonly ColumnSettings[]): () => ColumnSettings {
  const { id: workspace_id } = useWorkspace();
  // The list of the pickers.
  const query = { workspace_id, page_size: MODELS_SHOWN, enabled: true };
  const { data } = useRead('workspaceModels_list', { query });
  return () => {
    const last = columns.at(-1) ?? NEW_COLUMN;
    const other = data?.data
      .map(({ slug, provider }) => ({ target: `@${provider.slug}`, model: slug }))
      .find(({ target, model }) => !columns.some((one) => one.target === target && one.model === model));
    return { ...last, ...other };
  };
}
