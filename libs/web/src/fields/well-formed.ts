import { isStorableText } from '@gw/kernel';
import { ValidateBy, type ValidationOptions } from 'class-validator';

const DEPTH_MAX = 64;

/**
 * Whether Postgres can store all texts of a value, including keys, and nothing is nested deeper
 * than 64 levels.
 */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEPTH_MAX) return false;
  return Object.entries(value).every(([key, item]) => isStorableText(key) && isStorable(item, depth + 1));
}

/** Counts code points, like JSON Schema and Postgres. */
const charactersOf = (text: string): number => {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
};

/**
 * Whether a text has `min` to `max` characters. A character has at most two UTF-16 units, so a far
 * too long text is refused without counting.
 */
export function hasCharacters(text: string, min: number, max: number): boolean {
  if (text.length > 2 * max) return false;
  const count = charactersOf(text);
  return count >= min && count <= max;
}

/** Validates that a text has `min` to `max` characters; with `each`, every item of a list. */
export const HasCharacters = (min: number, max: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'hasCharacters',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && hasCharacters(value, min, max),
        defaultMessage: () =>
          `${options?.each ? 'each value in ' : ''}$property must have ${String(min)} to ${String(max)} characters`,
      },
    },
    options,
  );

/**
 * Validates that Postgres can store all texts of a value, including keys, and that nothing is
 * nested deeper than 64 levels.
 */
export const IsStorable = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isStorable',
      validator: {
        validate: (value: unknown) => isStorable(value),
        defaultMessage: () => '$property must be well-formed text, without NUL, nested at most 64 deep',
      },
    },
    options,
  );
