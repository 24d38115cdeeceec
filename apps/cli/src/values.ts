import type { Json } from './api-client';

/** Text that responses show in place of a secret. */
export const MASK = '*****';

/** Returns whether a value is an object with members. A `SecretName` is a single value. */
export const isFields = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isSecretName(value);

/** Removes empty values at any depth: null, undefined, empty lists and empty objects. */
export function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, tidy(item)] as const)
      .filter(([, item]) => !isNothing(item)),
  );
}

export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.keys(value).length === 0);

/**
 * A secret in a file: the name of the environment variable that holds it. A class, because content
 * of users may have the same form; the members that hold secrets declare it (`Member.secrets`).
 */
export class SecretName {
  constructor(readonly env: string) {}
}

export const isSecretName = (value: unknown): value is SecretName => value instanceof SecretName;

/** Reads `{ env: NAME }` of a file as a secret; other values are returned unchanged. */
export const oneSecret = (value: unknown): unknown =>
  isFields(value) && Object.keys(value).length === 1 && typeof value['env'] === 'string'
    ? new SecretName(value['env'])
    : value;

/** Reads each value of a map as a secret, such as the headers of a request. */
export const eachSecret = (map: unknown): unknown => mapFields(map, oneSecret);

/**
 * Reads the secrets of a flat map of settings: each value is one, and each header of a header map.
 */
export const settingSecrets = (settings: unknown): unknown =>
  mapFields(settings, (value, name) => (isHeaderMap(name) ? eachSecret(value) : oneSecret(value)));

/** Applies a function to each value of a map; other values are returned unchanged. */
export const mapFields = (map: unknown, change: (value: unknown, name: string) => unknown): unknown =>
  isFields(map)
    ? Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]))
    : map;

/** Returns a value as a file has it: each secret as `{ env: NAME }`. */
export function inFile(value: unknown): unknown {
  if (isSecretName(value)) return { env: value.env };
  return Array.isArray(value) ? value.map(inFile) : mapFields(value, inFile);
}

/** Returns the variable name that an export uses for a secret. */
export const secretName = (...parts: readonly string[]): SecretName =>
  new SecretName(
    ['TOLLGATE', ...parts]
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_'),
  );

/**
 * Serialises a value so that equal values give the same text: members sorted, secrets without their
 * variable names.
 */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) => {
    if (isSecretName(item)) return '<secret>';
    if (!isFields(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export const hasSecrets = (value: unknown): boolean =>
  isSecretName(value) ||
  (typeof value === 'object' && value !== null && Object.values(value).some(hasSecrets));

/**
 * Replaces secrets by their values. A secret whose variable is not set is omitted, so that the
 * saved one stays; with `required` it is an error that names the variable.
 */
export function withSecrets(value: unknown, environment: NodeJS.ProcessEnv, required: boolean): unknown {
  if (isSecretName(value)) {
    const secret = environment[value.env];
    if (secret !== undefined && secret !== '') return secret;
    if (required) throw new Error(`The environment variable ${value.env} is not set; set it to the secret.`);
    return undefined;
  }
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, environment, required));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => {
        const plain = withSecrets(item, environment, required);
        return [name, isHeaderMap(name) ? keptHeaders(item, plain) : plain] as const;
      })
      .filter(([, item]) => item !== undefined),
  );
}

/** Returns whether a member is a map of header names to values. */
export const isHeaderMap = (name: string): boolean => name === 'custom_headers' || name === 'headers';

/**
 * Headers are replaced as a whole: a header whose secret is not available is sent back masked,
 * which keeps it.
 */
const keptHeaders = (named: unknown, plain: unknown): unknown =>
  isFields(named) && isFields(plain)
    ? mapFields(named, (value, name) => (isSecretName(value) ? (plain[name] ?? MASK) : plain[name]))
    : plain;

/**
 * Returns the members of a map that the server merges with the saved one; removed members are null.
 */
export const inPlaceOf = (before: unknown, after: unknown): Json => ({
  ...(isFields(before) ? Object.fromEntries(Object.keys(before).map((name) => [name, null])) : {}),
  ...(isFields(after) ? after : {}),
});

/** Converts a masked response field (`masked_x`) to the secret in a file, under its own name. */
export function unmasked(fields: Json, ...owner: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (name.startsWith('masked_')) {
        const plain = name.slice('masked_'.length);
        return [plain, secretName(...owner, plain)];
      }
      if (name === 'custom_headers' && isFields(value)) return [name, headersOf(value, owner)];
      return [name, value];
    }),
  );
}

const headersOf = (headers: Json, owner: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === MASK ? secretName(...owner, 'header', name) : value,
    ]),
  );

/** Replaces texts by variable names where `shown` has a secret, so that both compare as equal. */
export function withoutLiterals(value: unknown, shown: unknown): unknown {
  if (isSecretName(shown)) return typeof value === 'string' ? shown : value;
  if (Array.isArray(value) && Array.isArray(shown)) {
    return value.map((item, index) => withoutLiterals(item, shown[index]));
  }
  if (!isFields(value) || !isFields(shown)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withoutLiterals(item, shown[name])]),
  );
}

/**
 * Sets to null each secret that `before` has and `wanted` omits; a secret whose variable is not set
 * is kept.
 */
export function withClearedSecrets(item: Json, before: Json, wanted: Json): Json {
  const names = new Set([...Object.keys(item), ...Object.keys(before)]);
  return Object.fromEntries(
    [...names].flatMap((name): [string, unknown][] => {
      const [value, saved, meant] = [item[name], before[name], wanted[name]];
      if (isSecretName(saved) && meant === undefined) return [[name, null]];
      if (isFields(value) && isFields(saved) && isFields(meant)) {
        return [[name, withClearedSecrets(value, saved, meant)]];
      }
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Sorts rows by one of their members. */
export const byText = (rows: readonly Json[], member: string): Json[] =>
  rows.toSorted((one, other) => (String(one[member]) < String(other[member]) ? -1 : 1));

/**
 * Configurations of an integration for an update. A secret that is not available is omitted and so
 * kept.
 */
export function changedConfigurations(before: Json, item: Json): Json {
  const all = inPlaceOf(before['configurations'], item['configurations']);
  const saved = (before['configurations'] as Json | undefined) ?? {};
  const given = (item['configurations'] as Json | undefined) ?? {};
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name, value]) => value !== null || !isSecretName(saved[name]) || given[name] === null,
    ),
  );
}
