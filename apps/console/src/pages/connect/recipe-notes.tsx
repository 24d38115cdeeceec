import type { ReactElement } from 'react';
import { connect as text } from '../../messages';
import { Note } from '../../ui/primitives';
import type { Recipe } from './recipes';

const LOCAL_V4 = /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/;
const LOCAL_V6 = /^\[(?:::1?\]|f[cd]|fe[89ab])/;
const LOCAL_NAME = /^[^.:[\]]+$|\.(?:localhost|local|internal|lan)$/;

/** Whether an address is reachable only from this machine or its network, as far as it tells. */
export function isLocal(base: string): boolean {
  try {
    const { hostname } = new URL(base);
    return [LOCAL_V4, LOCAL_V6, LOCAL_NAME].some((local) => local.test(hostname));
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
