/**
 * Short forms of JSON Schemas. Objects are closed: a member that a dialect does not have is a
 * fault.
 */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const filled: Schema = { type: 'string', minLength: 1 };
export const count: Schema = { type: 'integer', minimum: 0 };
export const flag: Schema = { type: 'boolean' };
export const anyObject: Schema = { type: 'object' };
/** A JSON Schema of an object, as tools and structured output have it. */
export const objectSchema: Schema = {
  type: 'object',
  properties: { type: { const: 'object' }, properties: { type: 'object' } },
  required: ['type'],
};
export const empty: Schema = { type: 'object', additionalProperties: false };
export const only = (...values: readonly unknown[]): Schema => ({ enum: values });
export const list = (items: Schema, minItems = 1): Schema => ({ type: 'array', items, minItems });
export const either = (...anyOf: readonly Schema[]): Schema => ({ anyOf });

export const closed = (
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});
