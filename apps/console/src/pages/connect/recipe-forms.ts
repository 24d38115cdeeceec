import type { CodeForm } from '../../ui/code';
import type { Recipe, RecipeValues } from './recipes';

/** Text in place of a key. */
const MASK = '••••••••';

/**
 * Renders recipes as code. The shown code has the key masked or as an environment variable; copies
 * and files have the variable unless `isKeyShown`.
 */
export const recipeForms = (
  recipes: readonly Recipe[],
  values: RecipeValues,
  isKeyShown = false,
): readonly CodeForm[] =>
  recipes.map(({ id, label, file, render }) => ({
    id,
    label,
    text: render(values.key === null || isKeyShown ? values : { ...values, key: MASK }),
    copied: render(isKeyShown ? values : { ...values, key: null }),
    ...(file === undefined ? {} : { file }),
  }));
