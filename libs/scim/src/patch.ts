import { findPath, isExtension, type AttributePath } from './attribute-path';
import { holderOf, isList, isParts, withValue, type ScimDocument, type Value } from './document';
import { addElements, changeElements, removeElements, replaceElements } from './patch-lists';
import type { PatchOperation, PatchPath } from './patch-operation';
import { isWritable } from './read-resource';
import type { ResourceKind } from './schemas';
import { fault } from './scim-error';
import { readPart, readParts, readValue } from './values';

/**
 * Applies all operations to a copy of a resource and returns the copy. It ignores the members of
 * groups, which `memberChanges` reads. Throws `invalidPath`, `invalidValue`, `mutability` and
 * `noTarget`.
 */
export function applyPatch(
  kind: ResourceKind,
  document: ScimDocument,
  operations: readonly PatchOperation[],
): ScimDocument {
  return operations.reduce((patched, operation) => applied(kind, patched, operation), document);
}

function applied(
  kind: ResourceKind,
  document: ScimDocument,
  { op, path, value }: PatchOperation,
): ScimDocument {
  if (path === null) return withMembers(kind, document, op, value as object);
  if (path.attribute.name === 'members') return document;
  if (path.attribute.mutability === 'writeOnly') return document;
  assertWritable(path);
  return changedAt(document, op, path, value);
}

/**
 * Applies an operation without a path. Ignores unknown and read-only attributes, because identity
 * providers send ids and groups too.
 */
function withMembers(
  kind: ResourceKind,
  document: ScimDocument,
  op: PatchOperation['op'],
  members: object,
  prefix = '',
): ScimDocument {
  let patched = document;
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    if (prefix === '' && isExtension(kind, name) && typeof value === 'object' && value !== null) {
      patched = withMembers(kind, patched, op, value, `${name}:`);
      continue;
    }
    const path = findPath(kind, `${prefix}${name}`);
    if (path === null || !isWritable(path)) continue;
    patched = changedAt(patched, op, { ...path, filter: null }, value);
  }
  return patched;
}

function assertWritable({ attribute, sub }: PatchPath): void {
  if ((attribute.mutability ?? sub?.mutability) === undefined) return;
  throw fault('mutability', `${sub === null ? attribute.name : sub.name} cannot be changed.`);
}

function changedAt(
  document: ScimDocument,
  op: PatchOperation['op'],
  path: PatchPath,
  raw: unknown,
): ScimDocument {
  const before = holderOf(document, path)[path.attribute.name];
  const after =
    path.attribute.multiValued === true ? listAt(before, op, path, raw) : singleAt(before, op, path, raw);
  assertKept(path, after);
  return withValue(document, path, after);
}

function listAt(
  before: Value | undefined,
  op: PatchOperation['op'],
  path: PatchPath,
  raw: unknown,
): Value | undefined {
  const elements = isList(before) ? before : [];
  if (op === 'remove') return removeElements(elements, path, raw);
  if (path.filter !== null || path.sub !== null) return changeElements(elements, path, raw);
  return op === 'add' ? addElements(elements, path, raw) : replaceElements(path, raw);
}

function singleAt(
  before: Value | undefined,
  op: PatchOperation['op'],
  { attribute, sub }: AttributePath,
  raw: unknown,
): Value | undefined {
  if (attribute.type !== 'complex') return op === 'remove' ? undefined : readValue(attribute, raw);
  const parts = isParts(before) ? before : {};
  if (op === 'remove') return sub === null ? undefined : readParts(attribute, { ...parts, [sub.name]: null });
  if (sub !== null) return readParts(attribute, { ...parts, [sub.name]: readPart(sub, raw) });
  // Unnamed sub-attributes stay. Sent names may differ in case, so they come last to take
  // precedence.
  const sent = raw === null || raw === '' ? {} : (readParts(attribute, raw) ?? {});
  return readParts(attribute, { ...parts, ...sent });
}

/**
 * Throws `invalidValue` when a required attribute or a boolean such as `active` would lose its
 * value.
 */
function assertKept({ attribute }: PatchPath, after: Value | undefined): void {
  if (after !== undefined || (attribute.required !== true && attribute.type !== 'boolean')) return;
  throw fault('invalidValue', `${attribute.name} must have a value.`);
}
