/** Matches names of fields that hold a secret, in snake case (after `plainName`). */
const SECRET =
  /^(?:.*_)?(?:key|secrets?|passwords?|passphrase|token|credentials?|authorization|cookie)(?:_(?:value|hash))?$/;
const MASKED = '*****';
const DEPTH_MAX = 32;

const plainName = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();

/**
 * Returns a copy with `*****` in place of every value whose name denotes a secret. Names that start
 * with `masked_` do not. Values nested deeper than 32 levels are masked completely.
 */
export function mask(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return MASKED;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => mask(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isSecretName(name) && item !== null && item !== '' ? MASKED : mask(item, depth + 1),
    ]),
  );
}

export function isSecretName(name: string): boolean {
  const plain = plainName(name);
  return !plain.startsWith('masked_') && SECRET.test(plain);
}
