import type { JsonObject } from '../call';
import { closedSchema } from './anthropic-schema';

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...rest,
});
const closed = (schema: JsonObject): unknown => {
  const found = closedSchema(schema);
  return 'refused' in found ? found.refused : found.schema;
};
const isRelaxed = (schema: JsonObject): unknown => {
  const found = closedSchema(schema);
  return 'refused' in found ? null : found.relaxed;
};

describe('closedSchema', () => {
  it('does not change a schema that Anthropic enforces', () => {
    const schema = object(
      {
        z: { type: ['string', 'null'], format: 'date-time', title: 't', description: 'd', default: null },
        a: { type: 'array', items: { $ref: '#/$defs/n' }, minItems: 1 },
        m: { anyOf: [{ const: 1 }, { enum: ['x', null, true] }], allOf: [{ type: 'number' }] },
      },
      { required: ['z'], $defs: { n: object({}) } },
    );
    expect(closedSchema(schema)).toEqual({ schema, relaxed: false });
    expect(Object.keys((closed(schema) as JsonObject)['properties'] as object)).toEqual(['z', 'a', 'm']);
  });

  it('closes objects wherever they are', () => {
    const open = { type: 'object', properties: { a: { properties: {} }, b: { type: ['object', 'null'] } } };
    expect(closed(open)).toEqual({
      type: 'object',
      properties: {
        a: { properties: {}, additionalProperties: false },
        b: { type: ['object', 'null'], additionalProperties: false },
      },
      additionalProperties: false,
    });
    expect(isRelaxed(open)).toBe(true);
  });

  it.each<[JsonObject, JsonObject]>([
    [
      { type: 'integer', minimum: 1, multipleOf: 2 },
      { type: 'integer', description: '{minimum: 1, multipleOf: 2}' },
    ],
    [
      { type: 'string', description: 'd', maxLength: 3 },
      { type: 'string', description: 'd\n\n{maxLength: 3}' },
    ],
    [
      { type: 'string', pattern: '^a$' },
      { type: 'string', description: '{pattern: "^a$"}' },
    ],
    [
      { type: 'string', format: 'color' },
      { type: 'string', description: '{format: "color"}' },
    ],
    [
      { type: 'array', minItems: 2, uniqueItems: true },
      { type: 'array', description: '{minItems: 2, uniqueItems: true}' },
    ],
    [{ enum: [{ a: 1 }] }, { description: '{enum: [{"a":1}]}' }],
    [
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', description: '{items: [{"type":"string"}]}' },
    ],
    [{ oneOf: [{ type: 'string' }] }, { anyOf: [{ type: 'string' }] }],
    [
      { $ref: '#/$defs/a', description: 'd', $defs: { a: { type: 'string' } } },
      { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
    ],
  ])('relaxes %j', (schema, expected) => {
    expect(closed(schema)).toEqual(expected);
    expect(isRelaxed(schema)).toBe(true);
  });

  it('leaves out the name of the schema dialect without a loss', () => {
    expect(
      closedSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'x', type: 'string' }),
    ).toEqual({
      schema: { type: 'string' },
      relaxed: false,
    });
  });

  it.each<[string, JsonObject]>([
    ['a map', { type: 'object', additionalProperties: true }],
    ['a map of one type', { type: 'object', additionalProperties: { type: 'string' } }],
    ['patterns of properties', { type: 'object', patternProperties: { '^x': {} } }],
    ['a reference outside of the schema', { $ref: 'https://example.com/schema' }],
    ['a property that is no schema', object({ a: true })],
    ['a schema that refers to itself', object({ a: { $ref: '#' } })],
    [
      'a definition that refers to itself',
      { $ref: '#/$defs/a', $defs: { a: object({ b: { $ref: '#/$defs/a' } }) } },
    ],
    [
      'definitions that refer to each other',
      {
        $ref: '#/definitions/a',
        definitions: {
          a: object({ b: { $ref: '#/definitions/b' } }),
          b: { anyOf: [{ $ref: '#/definitions/a' }] },
        },
      },
    ],
    [
      'a property that refers to itself',
      object({ 'a/b': { type: 'array', items: { anyOf: [{ $ref: '#/properties/a~1b' }] } } }),
    ],
    ['objects joined by allOf', { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }],
    ['a joined definition', { allOf: [{ $ref: '#/$defs/a' }, object({})], $defs: { a: object({}) } }],
    ['an object that is joined with its alternatives', { type: 'object', oneOf: [object({ a: {} })] }],
    [
      'a joined object inside of alternatives',
      { allOf: [{ anyOf: [{ properties: {} }, { type: 'null' }] }, object({})] },
    ],
  ])('refuses %s', (_title, schema) => {
    expect(closedSchema(schema)).toHaveProperty('refused');
  });

  it.each<JsonObject>([
    { allOf: [object({ a: {} }), object({ a: {} })] },
    { allOf: [{ $ref: '#/$defs/a' }, { description: 'd' }], $defs: { a: object({}) } },
    { ...object({ a: {} }), anyOf: [{ required: ['a'] }, { required: [] }] },
    { anyOf: [object({ a: {} }), object({ b: {} }), { $ref: '#/$defs/a' }], $defs: { a: object({}) } },
  ])('accepts %j, in which closed objects do not exclude each other', (schema) => {
    expect(closedSchema(schema)).toEqual({ schema, relaxed: false });
  });

  it('does not split a surrogate pair', () => {
    const { description } = closed({ type: 'string', pattern: `${'x'.repeat(1_989)}😀` }) as JsonObject;
    expect(String(description)).toMatch(/x\}$/);
  });

  it('accepts a reference to another property', () => {
    const schema = object({ a: { type: 'string' }, b: { $ref: '#/properties/a' } });
    expect(closedSchema(schema)).toEqual({ schema, relaxed: false });
  });

  it('accepts a definition that is used twice', () => {
    const schema = object(
      { a: { $ref: '#/$defs/x~1y' }, b: { $ref: '#/$defs/x~1y' } },
      { $defs: { 'x/y': { type: 'string' } } },
    );
    expect(closedSchema(schema)).toEqual({ schema, relaxed: false });
  });

  it('refuses schemas that are too large or too deep, in linear time', () => {
    const wide = object(
      Object.fromEntries(
        Array.from({ length: 30_000 }, (_, index) => [`p${String(index)}`, { type: 'string' }]),
      ),
    );
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 50_000; level += 1) deep = { type: 'array', items: deep };
    expect(closed(wide)).toBe('The schema is too large or too deep.');
    expect(closed(deep)).toBe('The schema is too large or too deep.');
  });

  it('finds recursion through many definitions in linear time', () => {
    const count = 9_000;
    const definitions = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `d${String(index)}`,
        { anyOf: [{ $ref: `#/$defs/d${String(Math.min(index + 1, count - 1))}` }] },
      ]),
    );
    expect(closedSchema({ $ref: '#/$defs/d0', $defs: definitions })).toEqual({
      refused: 'Anthropic takes no recursive schemas.',
    });
  });

  it('keeps names of the object prototype as plain properties', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"additionalProperties":false}',
    ) as JsonObject;
    expect(JSON.stringify(closed(schema))).toBe(JSON.stringify(schema));
  });
});
