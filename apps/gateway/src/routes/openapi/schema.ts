/** A JSON Schema (2020-12), as in OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const orNull = (schema: Schema): Schema =>
  typeof schema['type'] === 'string' && !('enum' in schema) && !('const' in schema)
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const integer: Schema = { type: 'integer' };
export const unixSeconds: Schema = { type: 'integer', description: 'Unix seconds.' };
export const constant = (value: string): Schema => ({ type: 'string', const: value });
export const names = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const between = (type: 'integer' | 'number', minimum: number, maximum?: number): Schema => ({
  type,
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});
export const list = (items: Schema, maxItems?: number): Schema => ({
  type: 'array',
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
});

/** An object schema; unlisted fields are allowed. `required` fields are always present. */
export const object = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});

export const described = (schema: Schema, description: string): Schema => ({ ...schema, description });

/** A request schema in which every field may be null, which is the same as absent. */
export const request = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema =>
  object(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        required.includes(name) ? schema : orNull(schema),
      ]),
    ),
    required,
  );
