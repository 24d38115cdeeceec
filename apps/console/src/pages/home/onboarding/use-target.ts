import { useRead } from '../../../api';
import { useWorkspace } from '../../../app';

/** Target of first requests. */
export interface FirstTarget {
  /** `@slug` of a provider of the workspace. */
  readonly provider: string;
  readonly model: string;
  readonly isSandbox: boolean;
}

/** The sandbox where the workspace has it, else its first model. Null: nothing can be called yet; undefined: not known yet. */
export function useTarget(): FirstTarget | null | undefined {
  const { id } = useWorkspace();
  const providers = useRead('providers_list', { query: { workspace_id: id, page_size: 100 } });
  const hasSandbox = providers.data?.data.some(({ slug }) => slug === 'sandbox') === true;
  const models = useRead(
    'workspaceModels_list',
    { query: { workspace_id: id, enabled: true, page_size: 1 } },
    { enabled: providers.data !== undefined && !hasSandbox },
  );
  if (hasSandbox) return { provider: '@sandbox', model: 'sandbox-small', isSandbox: true };
  const [first] = models.data?.data ?? [];
  if (first !== undefined)
    return { provider: `@${first.provider.slug}`, model: first.slug, isSandbox: false };
  return models.data === undefined && !models.isError && !providers.isError ? undefined : null;
}
