import { plural } from '../plural';

export const conflict = {
  title: (name: string) => `${name} was changed while you edited it`,
  lead: (both: number) =>
    `Nothing of yours is lost: only fields that you touched are sent, and ${both === 1 ? 'one of them was' : `${both} of them were`} touched by both.`,
  field: 'Field',
  before: 'Before',
  mine: 'Yours',
  theirs: 'Theirs',
  result: 'Saved will be',
  takeMine: 'yours',
  takeTheirs: 'theirs',
  untouched: '·',
  goOn: 'Go on editing',
  save: (fields: number) => `Save ${plural(fields, { one: 'field', other: 'fields' })}`,
  choose: (field: string) => `Value of ${field}`,
  nothing: 'nothing',
  restored: 'Your draft is restored.',
};
