import { ILike, type FindOperator } from 'typeorm';

/**
 * Derives a slug of at most `length` characters of `[a-z0-9-]` from a name; `x` when no character
 * remains.
 */
export function slugOf(name: string, length: number): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, length)
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? 'x' : slug;
}

/** Returns a condition for a column that contains the text, ignoring case. */
export const containing = (text: string): FindOperator<string> => ILike(`%${escapeLike(text)}%`);

/**
 * Escapes text for a LIKE pattern, and normalises it to NFC, the form in which names are stored.
 */
export const escapeLike = (text: string): string =>
  text.normalize('NFC').replaceAll(/[\\%_]/g, String.raw`\$&`);
