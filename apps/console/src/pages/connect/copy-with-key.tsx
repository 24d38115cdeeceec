import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
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
 * unchanged. Once the page has a secret, shows whether it was copied.
 */
export function CopyWithKey({ recipe, values, keys }: CopyWithKeyProps): ReactElement | null {
  const { copy } = useCopy();
  const [isCopied, setCopied] = useState<boolean | null>(null);
  const run = async (): Promise<void> => {
    const key = await keys.make(recipe, values.config);
    if (key !== null) setCopied(await copy(recipe.render({ ...values, key })));
  };
  if (keys.key.secret !== null)
    return isCopied === null ? null : (
      <span className="xs">{isCopied ? text.copiedWithKey : text.notCopied}</span>
    );
  return (
    <div className="row">
      <span className="xs muted">{text.keyIsMasked}</span>
      <Can operation="apiKeys_create">
        <Button
          size="xs"
          className="right"
          leftSection={<Icon name="copy" size={14} />}
          loading={keys.isPending}
          onClick={() => void run()}
        >
          {text.copyWithKey}
        </Button>
      </Can>
    </div>
  );
}
