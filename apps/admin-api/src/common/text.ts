import { invalid } from '@gw/web';

/**
 * A name as it is stored: every kind of space is a plain one, none at the ends, and composed characters in one form (NFC), so
 * that two names that look the same are the same. Throws `validation_failed` when nothing is left.
 */
export function plainText(text: string, path: string): string {
  const plain = text
    .normalize('NFC')
    .replaceAll(/\p{Zs}/gu, ' ')
    .trim();
  if (plain === '') throw invalid(path, `${path} must not be blank`);
  return plain;
}

/** At most `length` characters of `[a-z0-9-]` made of a name; `x` when nothing is left. */
export function slugOf(name: string, length: number): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, length)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'x' : slug;
}

/** Text that stands for itself inside a LIKE pattern. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
