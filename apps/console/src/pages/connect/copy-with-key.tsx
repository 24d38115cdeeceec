import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { Can } from '../../app';
import { connect as text } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { useCopy } from '../../ui/primitives';
import type { ClientKeys } from './client-key';
import type { Recipe, RecipeValues } from './recipes';

interface CopyWithKeyProps {
  readonly recipe: Recipe;
  readonly values: RecipeValues;
  readonly keys: ClientKeys;
}

/**
 * Creates a key for the client and copies the recipe with its secret, so that the copy works
 * unchanged.
 */
export function CopyWithKey({ recipe, values, keys }: CopyWithKeyProps): ReactElement {
  const { state, copy } = useCopy();
  const run = async (): Promise<void> => {
    const key = await keys.make(recipe, values.config);
    if (key !== null) await copy(recipe.render({ ...values, key }));
  };
  return (
    <Can operation="apiKeys_create">
      <Button
        size="xs"
        className="right"
        leftSection={<Icon name="copy" size={14} />}
        loading={keys.isPending}
        onClick={() => void run()}
      >
        {state === 'failed' ? text.notCopied : text.copyWithKey}
      </Button>
    </Can>
  );
}
