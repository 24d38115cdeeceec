import { isObject } from '@gw/kernel';

/** Levels of a value that has a canonical form. */
const DEPTH_MAX = 64;

/** A value has no canonical form: it is no JSON of I-JSON (RFC 7493), or it has more than 64 levels. */
export class CanonicalFault extends Error {
  override readonly name = 'CanonicalFault';
}

/**
 * Returns the canonical form of a JSON value (JCS, RFC 8785): members in the order of their UTF-16 units, no white space, numbers and
 * texts as ECMAScript writes them. Members that are undefined are left out. Throws `CanonicalFault`.
 */
export const canonicalJson = (value: unknown): string => written(value, 0);

function written(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) throw new CanonicalFault(`A value has at most ${String(DEPTH_MAX)} levels.`);
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return `[${value.map((item) => written(item, depth + 1)).join(',')}]`;
  if (!isObject(value)) throw new CanonicalFault('A value must be JSON.');
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort(byUnits)
    .map((name) => `${text(name)}:${written(value[name], depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** Texts are compared by UTF-16 units, without a locale. */
const byUnits = (one: string, other: string): number => (one < other ? -1 : 1);

function text(value: string): string {
  if (!isWellFormed(value)) throw new CanonicalFault('A text must be well-formed Unicode.');
  return JSON.stringify(value);
}

/** Whether a text has no half of a surrogate pair alone, which UTF-8 cannot express. */
const isWellFormed = (value: string): boolean =>
  (value as string & { readonly isWellFormed: () => boolean }).isWellFormed();

function number(value: number): string {
  if (!Number.isFinite(value)) throw new CanonicalFault('A number must be finite.');
  return JSON.stringify(value);
}
