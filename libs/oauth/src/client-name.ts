const NAME_MAX = 100;
/** Bounds the work on a name; so many characters cannot clean to 100. */
const TYPED_MAX = 1_000;

/**
 * The name of a client as people see it: no control, format or private characters (which turn the direction of a text or hide parts of
 * it), single spaces. Undefined when nothing is left or too much.
 */
export function cleanClientName(name: string): string | undefined {
  if (name.length > TYPED_MAX) return undefined;
  const clean = name
    .normalize('NFC')
    .replaceAll(/[\s\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu, '')
    .trim();
  return clean === '' || Array.from(clean).length > NAME_MAX ? undefined : clean;
}
