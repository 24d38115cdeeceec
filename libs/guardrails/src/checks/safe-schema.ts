import { isObject } from '@gw/kernel';
import { type JsonObject } from '../json';

type Path = readonly (string | number)[];

/** Why and where a schema is refused. */
export interface SchemaFault {
  readonly path: Path;
  readonly rule: string;
  readonly message: string;
}

/** Maximum steps to validate one value, with every reference followed. */
const COST_MAX = 10_000;
/** Maximum levels of nested schemas, with every reference followed. */
const DEPTH_MAX = 40;
const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];

/**
 * How to read the value of a keyword. Keywords not listed (`default`, `enum`, unknown ones) contain
 * data, never schemas.
 */
const HOLDS: Readonly<Record<string, 'schema' | 'list' | 'names'>> = {
  ...Object.fromEntries(
    ['additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not']
      .concat(['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'])
      .map((keyword) => [keyword, 'schema'] as const),
  ),
  ...Object.fromEntries(
    ['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => [keyword, 'list'] as const),
  ),
  ...Object.fromEntries(
    ['$defs', 'definitions', 'dependentSchemas', 'properties'].map((keyword) => [keyword, 'names'] as const),
  ),
};

const UNSUPPORTED: Readonly<Record<string, string>> = {
  pattern: 'is not supported in a schema; use the check regexMatch',
  patternProperties: 'is not supported in a schema; use the check regexMatch',
  ...Object.fromEntries(
    ['$anchor', '$dynamicAnchor', '$dynamicRef', '$id', '$recursiveAnchor', '$recursiveRef']
      .concat(['additionalItems', 'dependencies'])
      .map((keyword) => [keyword, 'is not supported in a schema']),
  ),
};

/**
 * Finds what could make the validation of a user's schema cost more than the product of the sizes
 * of schema and data, or reach outside the document: patterns; references that are circular, fan
 * out, or lead to anything but a schema of the document; uniqueness of objects, each of which is
 * compared with every other one.
 */
export function schemaFault(schema: JsonObject): SchemaFault | null {
  const schemas = new Map<string, unknown>();
  const fault = faultIn(schema, ['schema'], '#', schemas);
  if (fault) return fault;
  const cost = costOf(schema, schemas, { open: new Set(), costs: new Map() });
  if (cost <= COST_MAX) return null;
  const message = Number.isFinite(cost)
    ? `costs more than ${String(COST_MAX)} steps per value, with its references followed; make it smaller`
    : `has a circular reference, or more than ${String(DEPTH_MAX)} levels`;
  return { path: ['schema'], rule: '$ref', message };
}

/** Returns the maximum steps to validate one value. The schema must have passed `schemaFault`. */
export function schemaCost(schema: JsonObject): number {
  const schemas = new Map<string, unknown>();
  faultIn(schema, ['schema'], '#', schemas);
  return costOf(schema, schemas, { open: new Set(), costs: new Map() });
}

/**
 * Returns the first fault in a schema; null for none. Walks exactly the values that a validator
 * would treat as schemas, and stores each by its JSON pointer. Whether a member is a keyword or a
 * name depends on its container, never on its own name.
 */
function faultIn(
  value: unknown,
  path: Path,
  pointer: string,
  schemas: Map<string, unknown>,
): SchemaFault | null {
  if (path.length > 3 * DEPTH_MAX) return { path, rule: 'nesting', message: 'is nested too deeply' };
  schemas.set(pointer, value);
  if (!isObject(value)) return null;
  for (const [keyword, item] of Object.entries(value)) {
    const at = [...path, keyword];
    const message = faultOf(keyword, item, value);
    if (message !== null) return { path: at, rule: keyword, message };
    for (const [name, schema] of schemasOf(keyword, item)) {
      const steps = name === null ? [keyword] : [keyword, name];
      const below = `${pointer}/${steps.map(escaped).join('/')}`;
      const fault = faultIn(schema, [...path, ...steps], below, schemas);
      if (fault) return fault;
    }
  }
  return null;
}

/**
 * Returns the schemas directly below a keyword with their names or indexes; null for a single
 * schema.
 */
function schemasOf(keyword: string, item: unknown): readonly (readonly [string | null, unknown])[] {
  const kind = Object.hasOwn(HOLDS, keyword) ? HOLDS[keyword] : undefined;
  if (kind === undefined) return [];
  if (kind === 'schema') return [[null, item]];
  return typeof item === 'object' && item !== null ? Object.entries(item) : [];
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function faultOf(keyword: string, item: unknown, schema: JsonObject): string | null {
  if (keyword === '$ref') {
    return isLocal(item) ? null : 'must refer to a schema of this document, such as #/$defs/name';
  }
  if (keyword === 'uniqueItems' && item === true) {
    return hasScalarItems(schema) ? null : 'is supported only with items of one scalar type';
  }
  return Object.hasOwn(UNSUPPORTED, keyword) ? (UNSUPPORTED[keyword] ?? null) : null;
}

/** Percent signs are refused, because they could be decoded in two ways. */
const isLocal = (reference: unknown): boolean =>
  typeof reference === 'string' &&
  (reference === '#' || reference.startsWith('#/')) &&
  !reference.includes('%');

function hasScalarItems({ items }: JsonObject): boolean {
  return isObject(items) && SCALARS.includes(String(items['type']));
}

interface Walk {
  readonly open: Set<unknown>;
  readonly costs: Map<unknown, number>;
}

/** Counts the steps by following every reference as a validator would. */
function costOf(schema: unknown, schemas: ReadonlyMap<string, unknown>, walk: Walk): number {
  if (!isObject(schema)) return 1;
  const computed = walk.costs.get(schema);
  if (computed !== undefined) return computed;
  if (walk.open.has(schema) || walk.open.size >= DEPTH_MAX) return Number.POSITIVE_INFINITY;
  walk.open.add(schema);
  let cost = 1;
  for (const [keyword, item] of Object.entries(schema)) {
    // Definitions cost something only where they are referred to.
    if (keyword === '$defs' || keyword === 'definitions') continue;
    if (keyword === '$ref') cost += costOfReference(String(item), schemas, walk);
    else if (!Object.hasOwn(HOLDS, keyword)) cost += sizeOf(item);
    else for (const [, below] of schemasOf(keyword, item)) cost += 1 + costOf(below, schemas, walk);
  }
  walk.open.delete(schema);
  walk.costs.set(schema, cost);
  return cost;
}

/**
 * A reference to anything but a schema counts as too expensive: a validator would treat data as a
 * schema.
 */
function costOfReference(reference: string, schemas: ReadonlyMap<string, unknown>, walk: Walk): number {
  return schemas.has(reference)
    ? 1 + costOf(schemas.get(reference), schemas, walk)
    : Number.POSITIVE_INFINITY;
}

/**
 * Counts the values in data that `enum` and `required` compare with. Data of a guardrail document
 * is not deeply nested.
 */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item), 1);
}
