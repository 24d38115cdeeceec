import type { ReactElement } from 'react';
import { connect as text } from '../../messages';
import { Note } from '../../ui/primitives';
import type { Recipe } from './recipes';

const LOCAL = /^(?:localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/;

/** Whether an address is reachable only from this machine or its network. */
export function isLocal(base: string): boolean {
  try {
    return LOCAL.test(new URL(base).host);
  } catch {
    return false;
  }
}

interface RecipeNotesProps {
  readonly recipe: Recipe;
  readonly base: string;
  readonly config: string | null;
}

/** Notes on what the client requires of the key, the gateway and the provider. */
export function RecipeNotes({ recipe, base, config }: RecipeNotesProps): ReactElement {
  return (
    <>
      {recipe.needs.map((need) => {
        if (need === 'public-address')
          return isLocal(base) ? (
            <Note key={need} tone="warn">
              {text.needs[need]}
            </Note>
          ) : null;
        const isMissing = need === 'default-config' && config === null;
        return (
          <Note key={need} tone={isMissing ? 'warn' : 'info'}>
            {isMissing ? text.chooseConfig : text.needs[need]}
          </Note>
        );
      })}
    </>
  );
}
