import { isHeaderName, isObject } from '@gw/kernel';
import { own } from '../rpc/message';
import type { JsonObject } from '../protocol';

/**
 * An argument that clients repeat in the header `Mcp-Param-<header>` (MCP 2026-07-28,
 * `x-mcp-header`).
 */
export interface HeaderParameter {
  /** Header name without `mcp-param-`, in lower case. */
  readonly header: string;
  /** Property names from the root of the arguments to this argument. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

/** The header parameters of a tool, or the reason why the tool must be removed from the list. */
export type HeaderParameters =
  | { readonly ok: true; readonly parameters: readonly HeaderParameter[] }
  | { readonly ok: false; readonly reason: string };

const ANNOTATION = 'x-mcp-header';
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
const PARAMETERS_MAX = 100;
const DEPTH_MAX = 64;
/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples', 'required']);
/** Keywords whose values map names to schemas, so that these names are not keywords. */
const MAPS: ReadonlySet<string> = new Set(['patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/**
 * Reads the `x-mcp-header` annotations of an input schema. They are allowed on string, integer and
 * boolean properties that only `properties` keywords lead to from the root; their names are tokens
 * of RFC 9110, unique without regard to case. A schema may have at most 100 of them.
 */
export function headerParameters(inputSchema: unknown): HeaderParameters {
  const found: HeaderParameter[] = [];
  const reason = visit(inputSchema, [], found);
  return reason === null ? { ok: true, parameters: found } : { ok: false, reason };
}

/**
 * Collects the annotations of a schema in `found`. Returns what is wrong, or null. `path` is null
 * if keywords other than `properties` lead to the schema.
 */
function visit(
  schema: unknown,
  path: readonly string[] | null,
  found: HeaderParameter[],
  depth = 0,
): string | null {
  if (depth > DEPTH_MAX) return 'The schema is nested too deeply.';
  if (Array.isArray(schema)) return first(schema, (each) => visit(each, null, found, depth + 1));
  if (!isObject(schema)) return null;
  if (Object.hasOwn(schema, ANNOTATION)) {
    const reason = annotate(schema, path, found);
    if (reason !== null) return reason;
  }
  return first(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword) || keyword === ANNOTATION) return null;
    const isProperties = keyword === 'properties';
    if ((!isProperties && !MAPS.has(keyword)) || !isObject(value))
      return visit(value, null, found, depth + 1);
    return first(Object.entries(value), ([name, each]) =>
      visit(each, isProperties && path !== null ? [...path, name] : null, found, depth + 1),
    );
  });
}

function annotate(
  schema: JsonObject,
  path: readonly string[] | null,
  found: HeaderParameter[],
): string | null {
  const [name, type] = [schema[ANNOTATION], own(schema, 'type')];
  if (typeof name !== 'string' || !isHeaderName(name)) return `${ANNOTATION} must be a token of RFC 9110.`;
  if (path === null || path.length === 0)
    return `${ANNOTATION} is allowed on properties that only properties lead to.`;
  if (!TYPES.includes(type)) return `${ANNOTATION} is allowed on string, integer and boolean properties.`;
  const header = name.toLowerCase();
  if (found.some((each) => each.header === header)) return `${ANNOTATION} names ${name} twice.`;
  if (found.length >= PARAMETERS_MAX) return `A tool has at most ${String(PARAMETERS_MAX)} headers.`;
  found.push({ header, path, type: type as HeaderParameter['type'] });
  return null;
}

function first<T>(items: readonly T[], reasonOf: (item: T) => string | null): string | null {
  for (const item of items) {
    const reason = reasonOf(item);
    if (reason !== null) return reason;
  }
  return null;
}
