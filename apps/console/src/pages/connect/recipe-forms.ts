import type { CodeForm } from '../../ui/code';
import type { Recipe, RecipeValues } from './recipes';

/** Text in place of a key. */
const MASK = '••••••••';

/** Recipes as forms of code. A key is shown masked or as the variable; what is copied has the variable unless the key is shown. */
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
