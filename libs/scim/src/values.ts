import { isObject, isStorableText } from '@gw/kernel';
import { noneIfEmpty, type Parts, type Value } from './document';
import type { Attribute } from './schemas';
import { fault } from './scim-error';

const CHARACTERS_MAX = 1_024;
const ELEMENTS_MAX = 100;

/**
 * Reads the value of an attribute. Accepts the variants of identity providers: a list of one for a
 * single value, an object for a list of one, a text for a complex value, "True" for true. Returns
 * undefined for null, an empty text and an empty list. Throws `invalidValue`.
 */
export function readValue(attribute: Attribute, raw: unknown): Value | undefined {
  if (attribute.multiValued === true) return readList(attribute, raw);
  const single = unwrapped(attribute, raw);
  if (single === null || single === undefined || single === '') return undefined;
  return attribute.type === 'complex' ? readParts(attribute, single) : readSimple(attribute, single);
}

function unwrapped(attribute: Attribute, raw: unknown): unknown {
  if (!Array.isArray(raw)) return raw;
  if (raw.length > 1)
    throw fault('invalidValue', `${attribute.name} has one value; ${String(raw.length)} were sent.`);
  return raw[0] as unknown;
}

function readList(attribute: Attribute, raw: unknown): readonly Parts[] | undefined {
  if (raw === null || raw === undefined) return undefined;
  const elements = Array.isArray(raw) ? (raw as unknown[]) : [raw];
  if (elements.length > ELEMENTS_MAX) {
    throw fault('invalidValue', `${attribute.name} has at most ${String(ELEMENTS_MAX)} values.`);
  }
  return noneIfEmpty(
    elements.flatMap((element) => {
      const parts = element === null || element === '' ? undefined : readParts(attribute, element);
      return parts === undefined ? [] : [parts];
    }),
  );
}

/** Reads a complex value. Ignores names that the schema does not have. */
export function readParts(attribute: Attribute, raw: unknown): Parts | undefined {
  const subs = attribute.sub ?? [];
  const members = isObject(raw) ? new Map(Object.entries(raw)) : new Map([['value', raw]]);
  if (!isObject(raw) && !subs.some(({ name }) => name === 'value')) {
    throw fault('invalidValue', `${attribute.name} must be an object.`);
  }
  const byName = new Map([...members].map(([name, value]) => [name.toLowerCase(), value]));
  const entries = subs.flatMap((sub): [string, string | boolean][] => {
    const value = readPart(sub, byName.get(sub.name.toLowerCase()));
    return value === undefined ? [] : [[sub.name, value]];
  });
  return noneIfEmpty(Object.fromEntries(entries));
}

export function readPart(sub: Attribute, raw: unknown): string | boolean | undefined {
  const single = unwrapped(sub, raw);
  return single === null || single === undefined || single === '' ? undefined : readSimple(sub, single);
}

function readSimple({ name, type }: Attribute, raw: unknown): string | boolean {
  if (type === 'boolean') return readBoolean(name, raw);
  const value = typeof raw === 'number' ? String(raw) : raw;
  if (typeof value !== 'string') throw fault('invalidValue', `${name} must be a string.`);
  if (value.length > CHARACTERS_MAX) {
    throw fault('invalidValue', `${name} has at most ${String(CHARACTERS_MAX)} characters.`);
  }
  if (!isStorableText(value))
    throw fault('invalidValue', `${name} must not have the character NUL or half of a surrogate pair.`);
  return value;
}

function readBoolean(name: string, raw: unknown): boolean {
  if (typeof raw === 'boolean') return raw;
  const text = typeof raw === 'string' ? raw.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw fault('invalidValue', `${name} must be true or false.`);
}

/** Leaves at most one primary element: the last primary one in `later`, else the first one. */
export function withOnePrimary(elements: readonly Parts[], later: readonly Parts[] = []): readonly Parts[] {
  const primary = later.findLast((each) => each['primary'] === true);
  const chosen = primary ?? elements.find((each) => each['primary'] === true);
  return elements.map((each) =>
    each['primary'] === true && each !== chosen ? { ...each, primary: false } : each,
  );
}
