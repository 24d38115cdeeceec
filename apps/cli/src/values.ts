import type { Json } from './api-client';

const MASK = '*****';

export const isFields = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without what says nothing: null, undefined, empty lists and empty objects, at any depth. */
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

/** A secret in a file: the name of the environment variable that holds it. */
export interface SecretName {
  readonly env: string;
}

export const isSecretName = (value: unknown): value is SecretName =>
  isFields(value) && Object.keys(value).length === 1 && typeof value['env'] === 'string';

/** The variable that an export names for a secret. */
export const secretName = (...parts: readonly string[]): SecretName => ({
  env: ['TOLLGATE', ...parts]
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_'),
});

/** One text for values that mean the same: members in order, secrets without the name of their variable. */
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
 * The value with its secrets. One whose variable is not set is left out, so that the saved one is kept;
 * with `required` it is an error that names the variable.
 */
export function withSecrets(value: unknown, environment: NodeJS.ProcessEnv, required: boolean): unknown {
  if (isSecretName(value)) {
    const secret = environment[value.env];
    if (secret !== undefined && secret !== '') return secret;
    if (required) throw new Error(`The environment variable ${value.env} is needed and not set.`);
    return undefined;
  }
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, environment, required));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => {
        const plain = withSecrets(item, environment, required);
        return [name, name === 'custom_headers' ? keptHeaders(item, plain) : plain] as const;
      })
      .filter(([, item]) => item !== undefined),
  );
}

/** Headers are written as a whole: one whose secret is not at hand goes back as it was shown, which keeps it. */
const keptHeaders = (named: unknown, plain: unknown): unknown =>
  isFields(named) && isFields(plain)
    ? Object.fromEntries(Object.keys(named).map((name) => [name, plain[name] ?? MASK]))
    : plain;

/** The members of a map that is laid over the saved one: what it leaves out of it is cleared. */
export const inPlaceOf = (before: unknown, after: unknown): Json => ({
  ...(isFields(before) ? Object.fromEntries(Object.keys(before).map((name) => [name, null])) : {}),
  ...(isFields(after) ? after : {}),
});

/** A masked field of an answer (`masked_x`) as the secret that a file names, under its own name. */
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

/** The value with the names of variables in the place of texts where `shown` has a secret, so that both compare as equal. */
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

/** The item with null for each secret that `before` has and `wanted` leaves out; one whose variable is not set is kept. */
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

/** Rows in the order of one of their members. */
export const byText = (rows: readonly Json[], member: string): Json[] =>
  rows.toSorted((one, other) => (String(one[member]) < String(other[member]) ? -1 : 1));

/** Configurations of an integration, as a change sends them. A secret that is not at hand is left out, and so kept. */
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
