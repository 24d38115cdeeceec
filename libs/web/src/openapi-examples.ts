import { isObject } from '@gw/kernel';
import type { OpenAPIObject } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, unknown>>;

const OF_FORMATS: Readonly<Record<string, string>> = {
  uuid: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  'date-time': '2026-05-03T17:08:55.000Z',
  email: 'ada@example.com',
};

/**
 * Adds an example to every JSON body of the document, built from the examples of its fields.
 * Changes the document.
 */
export function addExamples(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const operations = Object.values(document.paths).flatMap((item): unknown[] =>
    Object.values(item as object),
  );
  for (const operation of operations) {
    if (!isObject(operation)) continue;
    const { requestBody, responses } = operation;
    // A request example has the required fields and those with an example; a response example has
    // all fields.
    if (isObject(requestBody)) addExample(requestBody, (schema) => exampleOf(schema, schemas, false, []));
    for (const response of isObject(responses) ? Object.values(responses) : []) {
      if (isObject(response)) addExample(response, (schema) => exampleOf(schema, schemas, true, []));
    }
  }
}

function addExample(body: Schema, make: (schema: Schema) => unknown): void {
  for (const media of isObject(body['content']) ? Object.values(body['content']) : []) {
    if (!isObject(media) || !isObject(media['schema'])) continue;
    media['example'] ??= make(media['schema']);
  }
}

/**
 * Builds the example of a schema. `path`: the references followed so far; a circular reference
 * becomes undefined.
 */
function exampleOf(schema: Schema, schemas: Schemas, isWhole: boolean, path: readonly string[]): unknown {
  if ('example' in schema) return schema['example'];
  const { $ref, enum: values, default: standard } = schema;
  if (typeof $ref === 'string') {
    const target = schemas[$ref.split('/').at(-1) ?? ''];
    if (!isObject(target) || path.includes($ref)) return undefined;
    return exampleOf(target, schemas, isWhole, [...path, $ref]);
  }
  const union = [schema['anyOf'], schema['oneOf'], schema['allOf']].find(Array.isArray) as
    unknown[] | undefined;
  const first = union?.[0];
  if (isObject(first)) return exampleOf(first, schemas, isWhole, path);
  if (Array.isArray(values)) return values[0];
  return standard ?? ofType(schema, (inner) => exampleOf(inner, schemas, isWhole, path), isWhole);
}

function ofType(schema: Schema, inner: (schema: Schema) => unknown, isWhole: boolean): unknown {
  const [type] = [schema['type']].flat();
  switch (type) {
    case 'object':
      return ofFields(schema, inner, isWhole);
    case 'array': {
      const item = isObject(schema['items']) ? inner(schema['items']) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'string':
      return OF_FORMATS[String(schema['format'])] ?? 'example'.padEnd(Number(schema['minLength'] ?? 0), '-');
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function ofFields(schema: Schema, inner: (schema: Schema) => unknown, isWhole: boolean): unknown {
  const { properties, required } = schema;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const shown = Object.entries(isObject(properties) ? properties : {}).filter(
    ([name, field]) => isWhole || needed.has(name) || (isObject(field) && 'example' in field),
  );
  const fields = shown.flatMap(([name, field]) => {
    const value = isObject(field) ? inner(field) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(fields);
}
