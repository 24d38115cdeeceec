import { isObject } from './is-object';

/**
 * JSON in the canonical form of RFC 8785: members in the order of their UTF-16 units, no white
 * space, numbers as ECMAScript writes them. The value must come from JSON of bounded depth;
 * undefined members are left out.
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
