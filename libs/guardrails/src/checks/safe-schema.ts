import { isObject, listOf, type JsonObject } from '../json';

type Path = readonly (string | number)[];

/** Why a schema is not taken, and where. */
export interface SchemaFault {
  readonly path: Path;
  readonly rule: string;
  readonly message: string;
}

const EXPANSIONS_MAX = 10_000;
const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];
/** Members whose own members are names, not keywords. */
const NAMED = new Set([
  'properties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'dependentRequired',
]);
/** Members that hold data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

/**
 * What in a user's schema could make its validation take longer than its size and that of the data allow, or reach out of the
 * document: patterns, which run on an engine that a pattern can hold up; references that lead back to themselves, fan out or lead
 * elsewhere; uniqueness of objects, each of which is compared with each. Null: nothing.
 */
export function schemaFault(schema: JsonObject): SchemaFault | null {
  return keywordFault(schema, ['schema']) ?? referenceFault(schema);
}

function keywordFault(value: unknown, path: Path): SchemaFault | null {
  if (typeof value !== 'object' || value === null) return null;
  const areNames = NAMED.has(String(path.at(-1))) && !NAMED.has(String(path.at(-2)));
  for (const [key, item] of Object.entries(value)) {
    const message = areNames ? null : faultOf(key, item, value as JsonObject);
    if (message !== null) return { path: [...path, key], rule: key, message };
    if (!areNames && DATA.has(key)) continue;
    const below = keywordFault(item, [...path, key]);
    if (below) return below;
  }
  return null;
}

const NOT_TAKEN: Readonly<Record<string, string>> = {
  pattern: 'is not taken in a schema; use the check regexMatch',
  patternProperties: 'is not taken in a schema; use the check regexMatch',
  $dynamicRef: 'is not taken in a schema',
  $recursiveRef: 'is not taken in a schema',
  $id: 'is not taken in a schema',
};

function faultOf(key: string, item: unknown, schema: JsonObject): string | null {
  if (key === '$ref') return isLocal(item) ? null : 'must lead to a place in the schema';
  if (key === 'uniqueItems' && item === true) {
    return hasScalarItems(schema) ? null : 'is taken only beside items of one plain type';
  }
  return Object.hasOwn(NOT_TAKEN, key) ? (NOT_TAKEN[key] ?? null) : null;
}

const isLocal = (reference: unknown): boolean =>
  typeof reference === 'string' && (reference === '#' || reference.startsWith('#/'));

function hasScalarItems({ items }: JsonObject): boolean {
  return isObject(items) && SCALARS.includes(String(items['type']));
}

/** Follows every reference as a validator would, and counts. */
function referenceFault(root: JsonObject): SchemaFault | null {
  const costs = new Map<unknown, number>();
  const open = new Set<unknown>();
  const costOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    if (open.has(value)) return Number.POSITIVE_INFINITY;
    const known = costs.get(value);
    if (known !== undefined) return known;
    open.add(value);
    let cost = 1;
    for (const [key, item] of Object.entries(value)) {
      // Definitions cost what refers to them.
      if (key === '$defs' || key === 'definitions') continue;
      cost += key === '$ref' && typeof item === 'string' ? costOf(target(root, item)) : costOf(item);
    }
    open.delete(value);
    costs.set(value, cost);
    return cost;
  };
  const cost = costOf(root);
  if (cost <= EXPANSIONS_MAX) return null;
  const message = Number.isFinite(cost)
    ? 'has references that fan out too far'
    : 'has a reference that leads back to itself';
  return { path: ['schema'], rule: '$ref', message };
}

function target(root: JsonObject, reference: string): unknown {
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = listOf(at)[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}
