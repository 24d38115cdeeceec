import { isObject } from '@gw/kernel';
import { findPath, isExtension, type AttributePath } from './attribute-path';
import { isList, withValue, type ScimDocument } from './document';
import type { ResourceKind } from './schemas';
import { fault } from './scim-error';
import { readValue, withOnePrimary } from './values';

/**
 * Reads the body of a POST or PUT. Ignores unknown and read-only attributes. Throws `invalidSyntax`
 * and `invalidValue`.
 */
export function readResource(kind: ResourceKind, body: unknown): ScimDocument {
  if (!isObject(body)) throw fault('invalidSyntax', 'The body must be an object.');
  assertSchemas(kind, body['schemas']);
  let document: ScimDocument = {};
  for (const [path, raw] of attributesIn(kind, body)) document = set(document, path, raw);
  for (const { name, required } of kind.schema.attributes) {
    if (required === true && document[name] === undefined) {
      throw fault('invalidValue', `${name} is required.`);
    }
  }
  return document;
}

function assertSchemas({ schema }: ResourceKind, schemas: unknown): void {
  const named: readonly unknown[] = Array.isArray(schemas) ? schemas : [];
  if (named.some((urn) => typeof urn === 'string' && urn.toLowerCase() === schema.id.toLowerCase())) return;
  throw fault('invalidSyntax', `schemas must name ${schema.id}.`);
}

function set(document: ScimDocument, path: AttributePath, raw: unknown): ScimDocument {
  const value = readValue(path.attribute, raw);
  return withValue(document, path, isList(value) ? withOnePrimary(value) : value);
}

/** Yields the writable attributes of an object by their paths, those of the extension included. */
function* attributesIn(kind: ResourceKind, body: object, prefix = ''): Generator<[AttributePath, unknown]> {
  for (const [name, raw] of Object.entries(body) as [string, unknown][]) {
    if (prefix === '' && isExtension(kind, name)) {
      if (isObject(raw)) yield* attributesIn(kind, raw, `${name}:`);
      continue;
    }
    const path = findPath(kind, `${prefix}${name}`);
    if (path === null || path.sub !== null || !isWritable(path)) continue;
    yield [path, raw];
  }
}

/**
 * Whether requests may set the attribute. Members of groups are excluded, because `memberIds` reads
 * them.
 */
export const isWritable = ({ attribute }: AttributePath): boolean =>
  attribute.mutability === undefined && attribute.name !== 'members';
