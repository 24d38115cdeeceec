/** At most `length` characters of `[a-z0-9-]` made of a name; `x` when nothing is left. */
export function slugOf(name: string, length: number): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, length)
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? 'x' : slug;
}

/** Text that represents itself inside a LIKE pattern; composed characters are in the form (NFC) that names are stored in. */
export const escapeLike = (text: string): string =>
  text.normalize('NFC').replaceAll(/[\\%_]/g, String.raw`\$&`);
