import { isObject, isRawNumber } from '@gw/kernel';
import type { JsonObject } from '../call';
import { invalid } from '../losses';

/** Returns the value as a JSON object; null for everything else, including lists. */
export const asObject = (value: unknown): JsonObject | null => (isObject(value) ? value : null);

export const asString = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isFiniteNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/**
 * Returns a finite number, also the nearest double of one that `parseExact` has kept as text; null
 * for everything else.
 */
export function asNumber(value: unknown): number | null {
  const number = isRawNumber(value) ? Number(value.rawJSON) : value;
  return isFiniteNumber(number) ? number : null;
}

export const asArray = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null);

/** Returns the objects of a list; other items are skipped, and anything but a list is empty. */
export const objectsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map(asObject).filter((item) => item !== null) : [];

/** Returns whether a member is absent. A null of a client or provider counts as absent. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/**
 * Parses JSON that must be an object; null for anything else, so that invalid provider bytes never
 * throw.
 */
export function parseObject(json: string): JsonObject | null {
  try {
    return asObject(JSON.parse(json));
  } catch {
    return null;
  }
}

/**
 * Serialises JSON; null for a value with so many levels (some thousand) that this overflows the
 * stack.
 */
export function writtenJson(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

/**
 * Readers of a client's member: absent and null give undefined, another type throws
 * `validation_failed`.
 */
export const read = {
  string: (value: unknown, path: string): string | undefined =>
    checked(value, path, 'a string', (found): found is string => typeof found === 'string'),
  number: (value: unknown, path: string): number | undefined =>
    checked(value, path, 'a number', isFiniteNumber),
  integer: (value: unknown, path: string): number | undefined =>
    checked(value, path, 'a whole number', (found): found is number => Number.isInteger(found)),
  boolean: (value: unknown, path: string): boolean | undefined =>
    checked(value, path, 'true or false', (found): found is boolean => typeof found === 'boolean'),
  object: (value: unknown, path: string): JsonObject | undefined =>
    checked(value, path, 'an object', isObject),
  array: (value: unknown, path: string): readonly unknown[] | undefined =>
    checked(value, path, 'a list', (found): found is unknown[] => Array.isArray(found)),
  /** Returns a list of objects; throws for an item of another type. */
  objects(value: unknown, path: string): JsonObject[] | undefined {
    return read
      .array(value, path)
      ?.map((item, index) =>
        required(read.object(item, `${path}.${String(index)}`), `${path}.${String(index)}`, 'an object'),
      );
  },
  strings(value: unknown, path: string): string[] | undefined {
    return read
      .array(value, path)
      ?.map((item, index) =>
        required(read.string(item, `${path}.${String(index)}`), `${path}.${String(index)}`, 'a string'),
      );
  },
};

function checked<T>(
  value: unknown,
  path: string,
  expected: string,
  fits: (found: unknown) => found is T,
): T | undefined {
  if (isAbsent(value)) return undefined;
  if (fits(value)) return value;
  throw invalid(path, `${path} must be ${expected}.`);
}

/** Returns the value; throws `validation_failed` when it is absent. */
export function required<T>(value: T | undefined, path: string, expected: string): T {
  if (value === undefined) throw invalid(path, `${path} is required: ${expected}.`);
  return value;
}

/** Returns the object without its undefined members. */
export function compact<T extends JsonObject>(object: T): JsonObject {
  const result: JsonObject = {};
  for (const name in object) if (object[name] !== undefined) result[name] = object[name];
  return result;
}

/**
 * Returns `{ [name]: value }`, or `{}` when the value is undefined; for members with
 * `exactOptionalPropertyTypes`.
 */
export const optional = <K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> =>
  value === undefined ? {} : ({ [name]: value } as Record<K, V>);

/** Returns the members of a body that are not in `known`; undefined when there are none. */
export function membersBesides(body: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: JsonObject | undefined;
  for (const name in body) {
    if (known.has(name) || body[name] === undefined || name === '__proto__') continue;
    rest ??= {};
    rest[name] = body[name];
  }
  return rest;
}
