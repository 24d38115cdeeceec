import { useRead } from '../../../api';
import { useWorkspace } from '../../../app';

/** Target of the first request. */
export interface FirstTarget {
  /** `@slug` of a provider of the workspace. */
  readonly provider: string;
  readonly model: string;
  readonly isSandbox: boolean;
}

/**
 * Returns the sandbox if the workspace has it, else the first model. Null when nothing can be
 * called; undefined while loading.
 */
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
