import { useMemo } from 'react';
import { useRead, type Problem } from '../../../api';
import { useWorkspace } from '../../../app';

/** Target of the first request. */
export interface FirstTarget {
  /** `@slug` of a provider of the workspace, or `config:slug`. */
  readonly provider: string;
  /** Empty for the model of a config. */
  readonly model: string;
  /** Headers that choose the provider or config. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isSandbox: boolean;
}

export interface TargetRead {
  /** Null when the workspace has nothing to call; undefined while it is not known. */
  readonly target: FirstTarget | null | undefined;
  /** Why the target is not known; null when it is, and while it loads. */
  readonly problem: Problem | null;
  readonly retry: () => void;
}

const atProvider = (provider: string, model: string, isSandbox: boolean): FirstTarget => ({
  ...{ provider, model, isSandbox },
  headers: { 'x-gw-provider': provider },
});

/** Finds the sandbox if the workspace has it, else the first model. */
export function useTarget(): TargetRead {
  const { id } = useWorkspace();
  const providers = useRead('providers_list', { query: { workspace_id: id, page_size: 100 } });
  const hasSandbox = providers.data?.data.some(({ slug }) => slug === 'sandbox') === true;
  const models = useRead(
    'workspaceModels_list',
    { query: { workspace_id: id, enabled: true, page_size: 1 } },
    { enabled: providers.data !== undefined && !hasSandbox },
  );
  const [first] = models.data?.data ?? [];
  const target = useMemo((): FirstTarget | null | undefined => {
    if (hasSandbox) return atProvider('@sandbox', 'sandbox-small', true);
    if (first === undefined) return models.data === undefined ? undefined : null;
    return atProvider(`@${first.provider.slug}`, first.slug, false);
  }, [hasSandbox, first, models.data]);
  return {
    target,
    problem: target === undefined ? (providers.error ?? models.error) : null,
    retry: () => void (providers.isError ? providers : models).refetch(),
  };
}
