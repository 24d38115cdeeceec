import { isObject } from './is-object';

/**
 * Returns JSON in the canonical form of RFC 8785: members sorted by UTF-16 code units, no white
 * space, numbers as ECMAScript writes them. The depth of the value must be bounded; undefined
 * members are omitted.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort(byUnits)
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

const byUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
