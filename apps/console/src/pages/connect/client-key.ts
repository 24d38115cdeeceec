import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, problemFrom, type Problem } from '../../api';
import { useWorkspace } from '../../app';
import type { Recipe } from './recipes';

/** The key of the recipes. */
export interface ClientKey {
  /** Id of the key whose requests are waited for; null: those of all keys. */
  readonly id: string | null;
  /** The secret of a key that was made here; in the state of the page alone. */
  readonly secret: string | null;
}

export interface ClientKeys {
  readonly key: ClientKey;
  readonly problem: Problem | null;
  readonly isPending: boolean;
  readonly choose: (id: string | null) => void;
  /** Makes a service key for a client, with the default config that it needs. Resolves to its secret; null when that failed. */
  readonly make: (recipe: Recipe, config: string | null) => Promise<string | null>;
}

const NONE: ClientKey = { id: null, secret: null };

export function useClientKey(): ClientKeys {
  const { id: workspaceId } = useWorkspace();
  const queries = useQueryClient();
  const [key, setKey] = useState(NONE);
  const made = useMutation({
    mutationFn: ({ recipe, config }: { readonly recipe: Recipe; readonly config: string | null }) =>
      call(
        'apiKeys_create',
        { path: { type: 'workspace', subType: 'service' } },
        {
          body: {
            name: recipe.label,
            workspace_id: workspaceId,
            scopes: recipe.needs.includes('logs.write') ? ['logs.write'] : ['completions.write'],
            ...(config !== null && recipe.needs.includes('default-config')
              ? { defaults: { config_id: config } }
              : {}),
          },
        },
      ),
    onSuccess: ({ data }) => {
      setKey({ id: data.id, secret: data.key });
      // The response has the secret; nothing keeps it but the state of the page.
      made.reset();
      void queries.invalidateQueries({ queryKey: ['apiKeys_list'] });
    },
  });
  return {
    key,
    problem: made.isError ? problemFrom(made.error) : null,
    isPending: made.isPending,
    choose: (id) => setKey({ id, secret: null }),
    make: (recipe, config) =>
      made.mutateAsync({ recipe, config }).then(
        ({ data }) => data.key,
        () => null,
      ),
  };
}
