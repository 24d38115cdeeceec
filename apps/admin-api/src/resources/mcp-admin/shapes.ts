import { isObject } from '@gw/kernel';
import { own, type JsonObject } from '@gw/mcp';

/**
 * A part of a result: its JSON Schema, and a function that extracts it from a response of the REST
 * API.
 */
export interface Shape {
  readonly schema: JsonObject;
  /** Returns the value; undefined for a value that the response lacks or has as null. */
  readonly of: (value: unknown) => unknown;
}

const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'];

const leaf =
  (type: string) =>
  (description?: string): Shape => ({
    schema: { type, ...(description !== undefined && { description }) },
    of: (value) => value ?? undefined,
  });

export const text = leaf('string');
export const number = leaf('number');
export const integer = leaf('integer');
export const boolean = leaf('boolean');
export const object = leaf('object');
export const texts = (description?: string): Shape => ({
  schema: { type: 'array', items: { type: 'string' }, ...(description !== undefined && { description }) },
  of: (value) => value ?? undefined,
});
/**
 * Any JSON. The schema lists each type as a separate alternative, because schema checkers warn
 * about a schema without keywords and about a list of types.
 */
export const json = (description: string): Shape => ({
  schema: { anyOf: JSON_TYPES.map((type) => ({ type })), description },
  of: (value) => value ?? undefined,
});

/** An object with these members, each of which may be absent. */
export const members = (parts: Readonly<Record<string, Shape>>, description?: string): Shape => ({
  schema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(parts).map(([name, { schema }]) => [name, schema])),
    ...(description !== undefined && { description }),
  },
  of: (value) => (isObject(value) ? shown(parts, value) : undefined),
});

export const list = (item: Shape, description?: string): Shape => ({
  schema: { type: 'array', items: item.schema, ...(description !== undefined && { description }) },
  of: (value) => (Array.isArray(value) ? value.map(item.of) : undefined),
});

function shown(parts: Readonly<Record<string, Shape>>, value: JsonObject): JsonObject {
  const all = Object.entries(parts).map(([name, part]) => [name, part.of(own(value, name))] as const);
  return Object.fromEntries(all.filter(([, part]) => part !== undefined));
}
