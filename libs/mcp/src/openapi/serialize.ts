import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { OpenApiFault } from './document';
import type { HttpParameter } from './http-operation';

const ITEMS_MAX = 1_000;

/** Percent-encodes everything but unreserved characters. */
export function encoded(value: unknown): string {
  const text = scalarText(value);
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw new OpenApiFault('An argument has a broken surrogate.');
  }
}

export function scalarText(value: unknown): string {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new OpenApiFault(
      'An integer of more than 53 bits may have changed on its way; send it as a string.',
    );
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return String(value);
  if (value === null || value === undefined) return '';
  throw new OpenApiFault(
    'Lists and objects inside of a list or object cannot be written into a URL or header.',
  );
}

export const itemsOf = (value: readonly unknown[]): readonly unknown[] => {
  if (value.length > ITEMS_MAX) throw new OpenApiFault(`A list has at most ${String(ITEMS_MAX)} items.`);
  return value;
};

const pairsOf = (value: JsonObject): readonly (readonly [string, unknown])[] => {
  const pairs = Object.entries(value);
  itemsOf(pairs);
  return pairs;
};

/** Serialises a value in OpenAPI's style `simple`, for paths. */
export function simple(
  { explode }: HttpParameter,
  value: unknown,
  write: (value: unknown) => string = encoded,
): string {
  if (Array.isArray(value))
    return itemsOf(value as readonly unknown[])
      .map(write)
      .join(',');
  if (!isObject(value)) return write(value);
  return pairsOf(value)
    .map(([name, each]) => `${write(name)}${explode ? '=' : ','}${write(each)}`)
    .join(',');
}

const DELIMITERS = {
  form: ',',
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
  deepObject: ',',
  simple: ',',
  json: ',',
} as const;

/** A query parameter, or a form field that is serialised like one. */
export type WrittenPair = Pick<HttpParameter, 'name' | 'style' | 'explode'>;

/**
 * Returns the `name=value` pairs of a query parameter or form field. Throws an `OpenApiFault` if a
 * member of an object has one of the other `names`, since rules judge arguments by their names.
 */
export function pairsWithin(
  pair: WrittenPair,
  value: unknown,
  names: ReadonlySet<string>,
): readonly string[] {
  const pairs = queryPairs(pair, value);
  for (const each of isObject(value) ? pairs : []) {
    const name = decodeURIComponent(each.slice(0, each.indexOf('=')));
    if (name !== pair.name && names.has(name))
      throw new OpenApiFault(`A member of ${pair.name.slice(0, 128)} has the name of another argument.`);
  }
  return pairs;
}

/** Returns the `name=value` pairs of a query parameter. */
function queryPairs({ name, style, explode }: WrittenPair, value: unknown): readonly string[] {
  const key = encoded(name);
  if (style === 'json') return [`${key}=${encoded(JSON.stringify(value))}`];
  const delimiter = DELIMITERS[style];
  if (Array.isArray(value)) {
    const items = itemsOf(value as readonly unknown[]).map(encoded);
    return explode ? items.map((item) => `${key}=${item}`) : [`${key}=${items.join(delimiter)}`];
  }
  if (!isObject(value)) return [`${key}=${encoded(value)}`];
  const pairs = pairsOf(value).map(([member, each]) => [encoded(member), encoded(each)] as const);
  if (style === 'deepObject') return pairs.map(([member, each]) => `${key}%5B${member}%5D=${each}`);
  if (explode) return pairs.map(([member, each]) => `${member}=${each}`);
  return [`${key}=${pairs.flat().join(delimiter)}`];
}
