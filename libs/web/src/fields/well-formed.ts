import { ValidateBy, type ValidationOptions } from 'class-validator';

const DEPTH_MAX = 64;

// Under the u flag a whole surrogate pair is one character, so only a lone half is of the class Cs.
const UNSTORABLE = /[\u0000\p{Cs}]/u;

/** Text that Postgres can store: no NUL and no half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !UNSTORABLE.test(text);

function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEPTH_MAX) return false;
  return Object.entries(value).every(([key, item]) => isStorableText(key) && isStorable(item, depth + 1));
}

/** Every text inside, keys included, can be stored, and nothing is nested deeper than 64 levels. */
export const IsStorable = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isStorable',
      validator: {
        validate: (value: unknown) => isStorable(value, 0),
        defaultMessage: () => '$property must be well-formed text, without NUL, nested at most 64 deep',
      },
    },
    options,
  );
