import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, problemFrom, type Problem } from '../../api';
import { useWorkspace } from '../../app';
import type { Recipe } from './recipes';

/** The API key that the recipes use. */
export interface ClientKey {
  /** Id of the key whose first request the page waits for; null for any key. */
  readonly id: string | null;
  /** Empty for any key. */
  readonly name: string;
  /** Secret of a key that was created on this page; held only in the state of the page. */
  readonly secret: string | null;
}

export interface ClientKeys {
  readonly key: ClientKey;
  readonly problem: Problem | null;
  readonly isPending: boolean;
  readonly choose: (key: Pick<ClientKey, 'id' | 'name'> | null) => void;
  /**
   * Creates a service key for a client, with a default config if the client needs one. Resolves to
   * its secret; null when the creation failed.
   */
  readonly make: (recipe: Recipe, config: string | null) => Promise<string | null>;
}

const NONE: ClientKey = { id: null, name: '', secret: null };

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
    onSuccess: ({ data }, { recipe }) => {
      setKey({ id: data.id, name: recipe.label, secret: data.key });
      // The response contains the secret, which only the state of the page may hold.
      made.reset();
      void queries.invalidateQueries({ queryKey: ['apiKeys_list'] });
    },
  });
  return {
    key,
    problem: made.isError ? problemFrom(made.error) : null,
    isPending: made.isPending,
    choose: (chosen) => setKey(chosen === null ? NONE : { ...chosen, secret: null }),
    make: (recipe, config) =>
      made.mutateAsync({ recipe, config }).then(
        ({ data }) => data.key,
        () => null,
      ),
  };
}
