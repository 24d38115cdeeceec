const NAME_MAX = 100;
/** Maximum characters of a name before it is cleaned, which bounds the work. */
const TYPED_MAX = 1_000;

/**
 * Returns a client's name with single spaces and without the characters of Unicode's category
 * Other: control, format and private-use characters, which can reverse or hide text, unassigned
 * ones, and halves of surrogate pairs. So Postgres can store it. Undefined when nothing is left or
 * more than 100 characters.
 */
export function cleanClientName(name: string): string | undefined {
  if (name.length > TYPED_MAX) return undefined;
  const clean = name
    .normalize('NFC')
    .replaceAll(/[\s\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\p{C}/gu, '')
    .trim();
  return clean === '' || Array.from(clean).length > NAME_MAX ? undefined : clean;
}
