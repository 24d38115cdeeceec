import type { AttributePath } from './attribute-path';

/** Sub-attributes of a complex value, by their names in the schema. */
export type Parts = Readonly<Record<string, string | boolean>>;
export type Value = string | boolean | Parts | readonly Parts[];

/**
 * A resource: values by the attribute names of its schema, and those of an extension below its URN.
 * All names come from the schema tables, never from a request.
 */
export interface ScimDocument {
  readonly [name: string]: Value | Readonly<Record<string, Value>> | undefined;
}

type Attributes = Readonly<Record<string, Value | undefined>>;

/** Returns the object that contains a path's attribute: the document or its extension. */
export const holderOf = (
  document: ScimDocument,
  { extension }: Pick<AttributePath, 'extension'>,
): Attributes => (extension === null ? document : (document[extension] ?? {})) as Attributes;

/**
 * Returns a copy of the document with a new value of the attribute; undefined removes the
 * attribute.
 */
export function withValue(
  document: ScimDocument,
  path: AttributePath,
  value: Value | undefined,
): ScimDocument {
  const holder = changed(holderOf(document, path), path.attribute.name, value);
  return path.extension === null ? holder : changed(document, path.extension, noneIfEmpty(holder));
}

/** Returns a copy of the members with a new value of one of them; undefined removes the member. */
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

/** Returns the text of an attribute; an empty text when it is absent or not a text. */
export function textOf(document: ScimDocument, name: string): string {
  const value = document[name];
  return typeof value === 'string' ? value : '';
}
