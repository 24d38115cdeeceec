import { findPath, isExtension, type AttributePath } from './attribute-path';
import { noneIfEmpty, type ScimDocument } from './document';
import type { ResourceKind } from './schemas';

/** Names of attributes that a client includes or excludes. */
export interface Projection {
  readonly attributes: readonly string[];
  readonly excluded: readonly string[];
}

const NAMES_MAX = 100;

/** Splits a comma-separated list of names, at most 100. */
export const namesOf = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',', NAMES_MAX)
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Returns the resource reduced to the projection. `id` and `schemas` are always included. */
export function project(
  kind: ResourceKind,
  document: ScimDocument,
  { attributes, excluded }: Projection,
): ScimDocument {
  if (attributes.length === 0 && excluded.length === 0) return document;
  const named = attributes.length > 0;
  const paths = pathsOf(kind, named ? attributes : excluded);
  const extensions = (named ? attributes : excluded).filter((name) => isExtension(kind, name));
  return mapped(document, (name, value) => {
    if (name === 'id' || name === 'schemas') return value;
    if (name !== kind.extension?.id) return kept(paths, null, name, value, named);
    if (extensions.length > 0) return named ? value : undefined;
    const inner = mapped(value as ScimDocument, (sub, each) => kept(paths, name, sub, each, named));
    return noneIfEmpty(inner);
  });
}

const pathsOf = (kind: ResourceKind, names: readonly string[]): readonly AttributePath[] =>
  names.flatMap((name) => findPath(kind, name) ?? []);

function mapped(document: ScimDocument, map: (name: string, value: unknown) => unknown): ScimDocument {
  const entries = Object.entries(document).map(([name, value]) => [name, map(name, value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as ScimDocument;
}

function kept(
  paths: readonly AttributePath[],
  extension: string | null,
  name: string,
  value: unknown,
  named: boolean,
): unknown {
  const own = paths.filter((path) => path.extension === extension && path.attribute.name === name);
  if (own.length === 0) return named ? undefined : value;
  if (own.some(({ sub }) => sub === null)) return named ? value : undefined;
  const subs = new Set(own.map(({ sub }) => sub?.name));
  const narrowed = (element: object): object =>
    Object.fromEntries(Object.entries(element).filter(([sub]) => subs.has(sub) === named));
  return Array.isArray(value) ? value.map((each) => narrowed(each as object)) : narrowed(value as object);
}
