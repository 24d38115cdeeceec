import { plural } from '../plural';

/** Texts of every form that changes a saved resource. */
export const forms = {
  save: (fields: number) => `Save ${plural(fields, { one: 'change', other: 'changes' })}`,
  nothing: 'Nothing was changed.',
  reset: 'Give up changes',
  undo: 'Undo',
  saved: 'Saved.',
  restored: 'What you had entered here before is restored.',
};
