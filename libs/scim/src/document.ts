import type { AttributePath } from './attribute-path';

/** Parts of a complex value, by the names of the schema. */
export type Parts = Readonly<Record<string, string | boolean>>;
export type Value = string | boolean | Parts | readonly Parts[];

/**
 * A resource by the attribute names of its schema; attributes of an extension are below its URN. All names come from the schema
 * tables, never from a request.
 */
export interface ScimDocument {
  readonly [name: string]: Value | Readonly<Record<string, Value>> | undefined;
}

type Attributes = Readonly<Record<string, Value | undefined>>;

/** The attributes that a path's attribute is one of: those of the document or of its extension. */
export const holderOf = (
  document: ScimDocument,
  { extension }: Pick<AttributePath, 'extension'>,
): Attributes => (extension === null ? document : (document[extension] ?? {})) as Attributes;

/** Returns a copy with another value of the attribute; without it when the value is undefined. */
export function withValue(
  document: ScimDocument,
  path: AttributePath,
  value: Value | undefined,
): ScimDocument {
  const holder = changed(holderOf(document, path), path.attribute.name, value);
  return path.extension === null ? holder : changed(document, path.extension, noneIfEmpty(holder));
}

/** Returns a copy with another value of the member; without the member when the value is undefined. */
export function changed<T>(
  members: Readonly<Record<string, T | undefined>>,
  name: string,
  value: T | undefined,
): Record<string, T> {
  const others = Object.entries(members).filter(
    (entry): entry is [string, T] => entry[0] !== name && entry[1] !== undefined,
  );
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

export const noneIfEmpty = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

export const isList = (value: Value | undefined): value is readonly Parts[] => Array.isArray(value);

export const isParts = (value: Value | undefined): value is Parts =>
  typeof value === 'object' && !Array.isArray(value);

/** The text of an attribute; empty without one. */
export function textOf(document: ScimDocument, name: string): string {
  const value = document[name];
  return typeof value === 'string' ? value : '';
}
