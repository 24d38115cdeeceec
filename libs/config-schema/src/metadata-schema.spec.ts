import { applyMetadataSchema, readMetadataSchema } from './metadata-schema';

const open = { type: 'object', additionalProperties: true };
const faultsOf = (schema: unknown): string[] =>
  readMetadataSchema(schema, 's').faults.map(({ path }) => path);

describe('readMetadataSchema and applyMetadataSchema', () => {
  it.each([
    [null, ['s']],
    [{ type: 'array', additionalProperties: true }, ['s.type']],
    [{ type: 'object' }, ['s.additionalProperties']],
    [{ ...open, patternProperties: {} }, ['s.patternProperties']],
    [{ ...open, properties: { a: { type: 'number' } } }, ['s.properties.a.type']],
    [{ ...open, properties: { a: { type: 'string', format: 'email' } } }, ['s.properties.a.format']],
    [{ ...open, properties: { a: { type: 'string', pattern: '(?=x)' } } }, ['s.properties.a.pattern']],
    [{ ...open, properties: { a: { type: 'string', enum: [] } } }, ['s.properties.a.enum']],
    [
      { ...open, properties: { a: { type: 'string', enum: ['x'], default: 'y' } } },
      ['s.properties.a.default'],
    ],
    [{ ...open, required: [1] }, ['s.required']],
    [{ ...open }, []],
    [{ ...open, required: ['a'], properties: { b: { type: 'string', pattern: '^x' } } }, []],
  ])('reports for %j faults at %j', (schema, faults) => {
    expect(faultsOf(schema)).toEqual(faults);
  });

  it('add defaults and report keys that are missing and values that are not allowed', () => {
    const { schema } = readMetadataSchema(
      {
        ...open,
        required: ['team'],
        properties: {
          team: { type: 'string', enum: ['a', 'b'] },
          env: { type: 'string', default: 'prod' },
          code: { type: 'string', pattern: '^[0-9]+$', maxLength: 3 },
        },
      },
      's',
    );
    expect(applyMetadataSchema(schema, { team: 'a', other: 'x' }, 'm')).toEqual({
      metadata: { team: 'a', other: 'x', env: 'prod' },
      faults: [],
    });
    const paths = applyMetadataSchema(schema, { code: '1234' }, 'm').faults.map(({ path }) => path);
    expect(paths).toEqual(['m.team', 'm.code']);
    expect(applyMetadataSchema(schema, { team: 'c' }, 'm').faults).toEqual([
      { path: 'm.team', message: 'must be one of a, b' },
    ]);
    expect(applyMetadataSchema([], { a: 'b' }, 'm').faults).toEqual([]);
  });

  it('count characters as JSON Schema does, so that an emoji is one', () => {
    const properties = { mood: { type: 'string', minLength: 2, maxLength: 2 } };
    const { schema } = readMetadataSchema({ ...open, properties }, 's');
    const accepted = ['ab', '🙂🙂', '🙂', 'a🙂b'].map(
      (mood) => applyMetadataSchema(schema, { mood }, 'm').faults.length === 0,
    );
    expect(accepted).toEqual([true, true, false, false]);
  });
});
