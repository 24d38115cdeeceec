import { useRead } from '../../../api';
import { useWorkspace } from '../../../app';
import { NEW_COLUMN, type ColumnSettings } from '../search';
import { MODELS_SHOWN } from './target-picker';

/**
 * Returns a function that creates a further column: a copy of the last one with the first model
 * that no column has.
 */
export function useNextColumn(columns: readonly ColumnSettings[]): () => ColumnSettings {
  const { id: workspace_id } = useWorkspace();
  // Same read as in `TargetPicker`, so that both share its response.
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
