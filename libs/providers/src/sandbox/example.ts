import { asObject, asString } from '@gw/dialects';
import type { JsonObject } from '../provider';

const DEPTH_MAX = 16;
const MEMBERS_MAX = 1_000;

/**
 * Returns a value of the shape that a JSON Schema describes, with required members only and the
 * first of several choices. Bounds, formats and patterns are ignored. Values past 16 levels or
 * 1,000 values are null.
 */
export function exampleOf(schema: unknown): unknown {
  return new Example(asObject(schema) ?? {}).of(schema, 0);
}

class Example {
  private left = MEMBERS_MAX;

  constructor(private readonly root: JsonObject) {}

  of(given: unknown, depth: number): unknown {
    const schema = this.resolved(asObject(given) ?? {});
    if (depth > DEPTH_MAX || (this.left -= 1) < 0) return null;
    if ('const' in schema) return schema['const'];
    for (const name of ['enum', 'examples']) {
      const values = schema[name];
      if (Array.isArray(values) && values.length > 0) return values[0] as unknown;
    }
    const choice = choiceOf(schema);
    return choice === null ? this.ofType(schema, depth) : this.of(choice, depth + 1);
  }

  private ofType(schema: JsonObject, depth: number): unknown {
    const { type } = schema;
    switch (Array.isArray(type) ? type[0] : (type ?? 'object')) {
      case 'string':
        return 'text';
      case 'integer':
      case 'number':
        return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
      case 'boolean':
        return true;
      case 'array':
        return [this.of(schema['items'], depth + 1)];
      case 'null':
        return null;
      default:
        return this.members(schema, depth);
    }
  }

  private members(schema: JsonObject, depth: number): JsonObject {
    const { required, properties } = schema;
    const names = (Array.isArray(required) ? required : []).filter((name) => typeof name === 'string');
    const known = asObject(properties) ?? {};
    return Object.fromEntries(names.map((name) => [name, this.of(known[name], depth + 1)]));
  }

  /** Follows a reference into the schema's own definitions, once. */
  private resolved(schema: JsonObject): JsonObject {
    const [, place = '', name = ''] =
      /^#\/(\$defs|definitions)\/([^/]+)$/.exec(asString(schema['$ref']) ?? '') ?? [];
    return asObject(asObject(this.root[place])?.[name]) ?? schema;
  }
}

function choiceOf(schema: JsonObject): unknown {
  for (const name of ['anyOf', 'oneOf', 'allOf']) {
    const choices = schema[name];
    if (Array.isArray(choices) && choices.length > 0) return choices[0] as unknown;
  }
  return null;
}
