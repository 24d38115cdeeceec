import { isObject } from '@gw/kernel';
import { findPath, type AttributePath } from './attribute-path';
import { parseElementFilter, type Filter } from './filter';
import type { ResourceKind } from './schemas';
import { fault } from './scim-error';

/** Target of an operation: an attribute, and for a list an optional filter of its elements. */
export interface PatchPath extends AttributePath {
  readonly filter: Filter | null;
}

export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** Null: `value` is an object that names the attributes. */
  readonly path: PatchPath | null;
  /** Undefined when the operation has none. */
  readonly value: unknown;
}

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const OPERATIONS_MAX = 1_000;
/**
 * Matches a path with a filter such as `emails[type eq "work"].value`: list, filter and
 * sub-attribute.
 */
const WITH_FILTER = /^([^[\]]+)\[(.*)\](?:\.([A-Za-z$][\w$-]*))?$/s;

/**
 * Parses the body of a PATCH (RFC 7644, section 3.5.2). Throws `invalidSyntax`, `invalidPath`,
 * `invalidFilter` and `noTarget`.
 */
export function readPatch(kind: ResourceKind, body: unknown): readonly PatchOperation[] {
  const members = isObject(body) ? new Map(Object.entries(body)) : new Map<string, unknown>();
  const operations = members.get('Operations') ?? members.get('operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw fault('invalidSyntax', 'Operations must be a list of at least one operation.');
  }
  if (operations.length > OPERATIONS_MAX) {
    throw fault('tooMany', `A request has at most ${String(OPERATIONS_MAX)} operations.`);
  }
  return operations.map((operation) => readOperation(kind, operation));
}

function readOperation(kind: ResourceKind, raw: unknown): PatchOperation {
  const operation = isObject(raw) ? raw : {};
  const op = readOp(operation['op']);
  const { path, value } = operation;
  if (path === undefined || path === null || path === '') return withoutPath(op, value);
  if (typeof path !== 'string') throw fault('invalidPath', 'path must be a string.');
  if (value === undefined && op !== 'remove') throw fault('invalidValue', `${op} needs a value.`);
  return { op, path: readPath(kind, path), value };
}

function readOp(raw: unknown): PatchOperation['op'] {
  const op = typeof raw === 'string' ? raw.toLowerCase() : '';
  if (op === 'add' || op === 'replace' || op === 'remove') return op;
  throw fault('invalidSyntax', 'op must be add, replace or remove.');
}

function withoutPath(op: PatchOperation['op'], value: unknown): PatchOperation {
  if (op === 'remove') throw fault('noTarget', 'remove needs a path.');
  if (!isObject(value)) throw fault('invalidValue', `${op} without a path needs an object as its value.`);
  return { op, path: null, value };
}

function readPath(kind: ResourceKind, text: string): PatchPath {
  const [, list, filter, sub] = WITH_FILTER.exec(text) ?? [];
  const path = findPath(kind, list === undefined ? text : sub === undefined ? list : `${list}.${sub}`);
  if (path === null) throw fault('invalidPath', `The path ${text.slice(0, 100)} names no attribute.`);
  if (filter === undefined) return { ...path, filter: null };
  if (path.attribute.multiValued !== true) {
    throw fault('invalidPath', `${path.attribute.name} is no list, so it cannot be filtered.`);
  }
  return { ...path, filter: parseElementFilter(kind, { ...path, sub: null }, filter) };
}
