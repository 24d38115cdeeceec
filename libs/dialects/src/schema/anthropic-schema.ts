import { truncated } from '@gw/kernel';
import type { JsonObject } from '../call';
import { asObject } from '../values/json';
import { isRecursive, type References } from './references';

/** Maximum number of schemas inside a schema. */
const NODES_MAX = 20_000;
/** Maximum depth of schemas. */
const LEVELS_MAX = 100;
/** Maximum number of characters of the constraints that move into a description. */
const CONSTRAINTS_MAX = 2_000;

/** String formats that Anthropic enforces. */
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** A schema in the form that Anthropic accepts, or the reason why it has none. */
export type ClosedSchema =
  { readonly schema: JsonObject; readonly relaxed: boolean } | { readonly refused: string };

/**
 * Returns the schema with closed objects, and without the constraints that Anthropic cannot
 * enforce: they move into the description. `relaxed` tells whether the enforced schema differs from
 * the client's. Takes linear time and keeps the order of members. Source: Anthropic's guide to
 * structured outputs and the transformation of its SDK, November 2026.
 */
export function closedSchema(schema: JsonObject): ClosedSchema {
  const walk = new Walk();
  try {
    const closed = walk.schema(schema, 1);
    if (isRecursive(walk.references)) return { refused: NO_RECURSION };
    return { schema: closed, relaxed: walk.relaxed };
  } catch (thrown) {
    if (thrown instanceof Refused) return { refused: thrown.message };
    throw thrown;
  }
}

/** Thrown for a schema that cannot be expressed. */
class Refused extends Error {}

type Entry = [name: string, value: unknown];

/** Annotations without constraints, which are left out without a loss. */
const IGNORED: ReadonlySet<string> = new Set(['$schema', '$id', '$comment']);
/** Members that are copied unchanged. */
const KEPT: ReadonlySet<string> = new Set(['type', 'title', 'description', 'required', 'default']);

class Walk {
  relaxed = false;
  /** Names of the definitions that each definition refers to; '' is the schema itself. */
  readonly references: References = new Map();
  private nodes = 0;
  /** Name of the current definition; '' outside of definitions. */
  private currentDefinition = '';
  /** Names and indexes from the root to the current schema. */
  private readonly path: string[] = [];

  /**
   * Returns the converted schema. `isJoined` tells whether other object schemas apply to the same
   * value.
   */
  schema(value: unknown, level: number, isJoined = false): JsonObject {
    const schema = asObject(value);
    if (schema === null) throw new Refused('Anthropic takes schemas that are objects only.');
    this.nodes += 1;
    if (this.nodes > NODES_MAX || level > LEVELS_MAX)
      throw new Refused('The schema is too large or too deep.');
    if (typeof schema['$ref'] === 'string') {
      if (isJoined) throw new Refused(NO_JOINED);
      return this.reference(schema, schema['$ref'], level);
    }
    const areJoined = isJoined || joinedObjects(schema) > 1;
    const entries: Entry[] = [];
    const moved: Entry[] = [];
    for (const [name, member] of Object.entries(schema)) {
      if (IGNORED.has(name)) continue;
      const entry = this.member(schema, name, member, level, areJoined);
      if (entry === null) moved.push([name, member]);
      else entries.push(entry);
    }
    this.close(schema, entries, areJoined);
    if (moved.length > 0) this.describe(entries, moved);
    return Object.fromEntries(entries);
  }

  /** Returns the converted member; null when it cannot be enforced. */
  private member(
    schema: JsonObject,
    name: string,
    value: unknown,
    level: number,
    areJoined: boolean,
  ): Entry | null {
    switch (name) {
      case 'properties':
        return [name, this.map(value, level)];
      case '$defs':
      case 'definitions':
        return [name, this.definitions(name, value, level)];
      case 'items':
        return Array.isArray(value) ? null : [name, this.within(['items'], value, level)];
      case 'anyOf':
      case 'allOf':
      case 'oneOf':
        return this.list(schema, name, value, level, areJoined);
      case 'patternProperties':
      case 'additionalProperties':
        return closedProperties(name, value);
      default:
        return isEnforced(name, value) ? [name, value] : null;
    }
  }

  /** Converts a schema inside the current one. */
  private within(place: readonly string[], value: unknown, level: number, isJoined = false): JsonObject {
    this.path.push(...place);
    const schema = this.schema(value, level + 1, isJoined);
    this.path.length -= place.length;
    return schema;
  }

  private map(value: unknown, level: number): JsonObject {
    return Object.fromEntries(
      Object.entries(asObject(value) ?? {}).map(([name, member]) => [
        name,
        this.within(['properties', name], member, level),
      ]),
    );
  }

  private definitions(keyword: string, value: unknown, level: number): JsonObject {
    const outer = this.currentDefinition;
    const entries = Object.entries(asObject(value) ?? {}).map(([name, member]): Entry => {
      // Definitions inside of a definition count as part of it.
      this.currentDefinition = outer === '' ? name : outer;
      return [name, this.within([keyword, name], member, level)];
    });
    this.currentDefinition = outer;
    return Object.fromEntries(entries);
  }

  /** Converts a list of schemas; `oneOf` becomes `anyOf`, because Anthropic treats them alike. */
  private list(
    schema: JsonObject,
    name: string,
    value: unknown,
    level: number,
    areJoined: boolean,
  ): Entry | null {
    const isOneOf = name === 'oneOf';
    if (!Array.isArray(value) || (isOneOf && 'anyOf' in schema)) return null;
    if (isOneOf) this.relaxed = true;
    const walk = (item: unknown, index: number): JsonObject =>
      this.within([name, String(index)], item, level, areJoined);
    return [isOneOf ? 'anyOf' : name, value.map(walk)];
  }

  /**
   * Returns a reference with only `$ref` and the definitions, because Anthropic ignores other
   * members next to it.
   */
  private reference(schema: JsonObject, target: string, level: number): JsonObject {
    if (!target.startsWith('#')) throw new Refused('Anthropic takes references inside of the schema only.');
    const entries: Entry[] = [['$ref', target]];
    for (const name of ['$defs', 'definitions'])
      if (name in schema) entries.push([name, this.definitions(name, schema[name], level)]);
    if (Object.keys(schema).length > entries.length) this.relaxed = true;
    const named = definitionName(target);
    if (named === null && this.isInside(target)) throw new Refused(NO_RECURSION);
    const from = this.references.get(this.currentDefinition) ?? new Set();
    if (named !== null) this.references.set(this.currentDefinition, from.add(named));
    return Object.fromEntries(entries);
  }

  /** Returns whether a local reference names a schema that contains the current one. */
  private isInside(target: string): boolean {
    const place = target.slice('#/'.length).split('/').map(unescaped);
    return place.length <= this.path.length && place.every((name, at) => name === this.path[at]);
  }

  /** Refuses joined objects: when each of them is closed, they exclude each other's properties. */
  private close(schema: JsonObject, entries: Entry[], areJoined: boolean): void {
    if (!isObjectSchema(schema) || 'additionalProperties' in schema) return;
    if (areJoined) throw new Refused(NO_JOINED);
    this.relaxed = true;
    entries.push(['additionalProperties', false]);
  }

  /** Writes constraints into the description, as the SDK does. */
  private describe(entries: Entry[], moved: readonly Entry[]): void {
    this.relaxed = true;
    const constraints = moved.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
    const text = `{${truncated(constraints, CONSTRAINTS_MAX)}}`;
    const found = entries.find(([name]) => name === 'description');
    if (found === undefined) entries.push(['description', text]);
    else found[1] = typeof found[1] === 'string' && found[1] !== '' ? `${found[1]}\n\n${text}` : text;
  }
}

const NO_RECURSION = 'Anthropic takes no recursive schemas.';
const NO_JOINED =
  'Anthropic takes no objects that several schemas describe together; write them as one object, without allOf.';
const NO_MAPS = 'Anthropic takes no objects with other properties than the declared ones.';

function closedProperties(name: string, value: unknown): Entry {
  if (value !== false) throw new Refused(NO_MAPS);
  return [name, false];
}

/** Returns whether Anthropic enforces a member with this value. */
function isEnforced(name: string, value: unknown): boolean {
  if (KEPT.has(name)) return true;
  switch (name) {
    case 'minItems':
      return value === 0 || value === 1;
    case 'format':
      return FORMATS.has(value);
    case 'enum':
      return Array.isArray(value) && value.every(isPrimitive);
    case 'const':
      return isPrimitive(value);
    default:
      return false;
  }
}

const isPrimitive = (value: unknown): boolean => value === null || typeof value !== 'object';

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;

/**
 * Returns the number of object schemas that apply to one value: the schema itself, each part of
 * `allOf`, and the alternatives as one.
 */
function joinedObjects(schema: JsonObject): number {
  const parts = (list: unknown): number =>
    Array.isArray(list) ? list.filter((part) => mayBeObject(asObject(part) ?? {})).length : 0;
  const alternatives = parts(schema['anyOf'] ?? schema['oneOf']);
  return Number(isObjectSchema(schema)) + parts(schema['allOf']) + Math.min(alternatives, 1);
}

const mayBeObject = (schema: JsonObject): boolean =>
  isObjectSchema(schema) || ['$ref', 'allOf', 'anyOf', 'oneOf'].some((name) => name in schema);

/**
 * Returns the name of the definition that a local reference names; '' for the whole schema; null
 * for any other reference.
 */
function definitionName(reference: string): string | null {
  if (reference === '#' || reference === '#/') return '';
  const prefix = ['#/$defs/', '#/definitions/'].find((known) => reference.startsWith(known));
  if (prefix === undefined) return null;
  const rest = reference.slice(prefix.length);
  const end = rest.indexOf('/');
  return unescaped(end < 0 ? rest : rest.slice(0, end));
}

/** Decodes a name in a JSON pointer (RFC 6901). */
const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');
