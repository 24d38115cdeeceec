import type { JsonObject } from '../call';
import { asArray, asObject, objectsOf } from '../values/json';
import { DEPTH_MAX, NODES_MAX, tooLarge } from './gemini-schema';

/** Members of Google's schemas whose values are numbers written as text. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);
const SNAKE: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
};

/**
 * Converts a schema of Google's OpenAPI subset to a JSON Schema. Members that are the same in both
 * forms stay unchanged. Throws `validation_failed` with `path` for a schema beyond 10,000 nodes or
 * 64 levels.
 */
export function jsonSchemaOf(schema: JsonObject, path: string): JsonObject {
  let nodes = 0;
  const convert = (given: JsonObject, depth: number): JsonObject => {
    nodes += 1;
    if (nodes > NODES_MAX || depth > DEPTH_MAX) throw tooLarge(path);
    const result: JsonObject = {};
    let ordering: unknown;
    for (const [spelled, value] of Object.entries(given)) {
      const name = Object.hasOwn(SNAKE, spelled) ? (SNAKE[spelled] ?? spelled) : spelled;
      if (name === 'propertyOrdering') ordering = value;
      else if (name !== 'nullable' && name !== '__proto__')
        result[name] = jsonMember(name, value, (item) => convert(item, depth + 1));
    }
    orderProperties(result, ordering);
    if (given['nullable'] === true) addNull(result);
    return result;
  };
  return convert(schema, 0);
}

function jsonMember(name: string, value: unknown, convert: (schema: JsonObject) => JsonObject): unknown {
  switch (name) {
    case 'type':
      return typeof value === 'string' ? value.toLowerCase() : value;
    case 'properties':
    case '$defs':
    case 'defs':
      return Object.fromEntries(
        Object.entries(asObject(value) ?? {}).map(([member, schema]) => [
          member,
          convert(asObject(schema) ?? {}),
        ]),
      );
    case 'items':
    case 'additionalProperties':
      return convertedValue(value, convert);
    case 'anyOf':
    case 'prefixItems':
      return objectsOf(value).map(convert);
    default:
      return COUNTS.has(name) ? countOf(value) : value;
  }
}

function convertedValue(value: unknown, convert: (schema: JsonObject) => JsonObject): unknown {
  const schema = asObject(value);
  return schema === null ? value : convert(schema);
}

const countOf = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;

/** Orders the properties as in `ordering`, because the response follows the order of properties. */
function orderProperties(schema: JsonObject, ordering: unknown): void {
  const properties = asObject(schema['properties']);
  const names = asArray(ordering);
  if (properties === null || names === null) return;
  const first = new Set(names.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)));
  schema['properties'] = Object.fromEntries([
    ...[...first].map((name) => [name as string, properties[name as string]] as const),
    ...Object.entries(properties).filter(([name]) => !first.has(name)),
  ]);
}

function addNull(schema: JsonObject): void {
  const { type } = schema;
  const options = asArray(schema['anyOf']);
  if (typeof type === 'string') {
    schema['type'] = [type, 'null'];
    const values = asArray(schema['enum']);
    if (values !== null) schema['enum'] = [...values, null];
  } else if (options !== null) schema['anyOf'] = [...options, { type: 'null' }];
}
