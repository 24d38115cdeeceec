import fc from 'fast-check';
import { compileGuardrail } from '../compile';
import type { JsonObject } from '../json';
import { responding, verdictOf } from '../spec-support/judge';
import { userSchemaCompiler } from './json-schema';
import { schemaFault } from './safe-schema';

const BOMB = '^(a+)+$';
const BOMBS: readonly JsonObject[] = [{ pattern: BOMB }, { patternProperties: { [BOMB]: {} } }];

/** Keywords of JSON Schema, and names of members that are none. */
const KEYWORDS = [
  ...['additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not', 'propertyNames'],
  ...['then', 'unevaluatedItems', 'unevaluatedProperties', 'allOf', 'anyOf', 'oneOf', 'prefixItems'],
  ...['$defs', 'definitions', 'dependentSchemas', 'properties', 'dependentRequired', 'dependencies'],
  ...['additionalItems', 'patternProperties', 'const', 'enum', 'default', 'examples', 'title', 'x'],
];
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'enum', 'examples']);
const NAMES = new Set(['$defs', 'definitions', 'dependentSchemas', 'properties', 'dependencies']);

type Step = readonly [string, string];

function nested(steps: readonly Step[], inner: JsonObject): JsonObject {
  return steps.reduceRight<JsonObject>((schema, [keyword, name]) => {
    if (LISTS.has(keyword)) return { [keyword]: [schema] };
    return { [keyword]: NAMES.has(keyword) ? { [name]: schema } : schema };
  }, inner);
}

/**
 * Returns how often a validator compiles the pattern `BOMB` for a schema; 0 when it refuses the
 * schema.
 */
function patternsCompiled(schema: JsonObject): number {
  const compiler = userSchemaCompiler();
  const engine = compiler.opts.code.regExp;
  let count = 0;
  compiler.opts.code.regExp = Object.assign(
    (source: string, flags: string) => {
      if (source === BOMB) count += 1;
      return engine(source, flags);
    },
    { code: engine.code },
  );
  try {
    compiler.compile(schema);
  } catch {
    return 0;
  }
  return count;
}

describe('schemaFault', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...KEYWORDS), fc.constantFrom(...KEYWORDS)), {
    maxLength: 8,
  });

  it('refuses a schema whose pattern a validator would compile, at every depth and below every name', () => {
    let refused = 0;
    fc.assert(
      fc.property(steps, fc.constantFrom(...BOMBS), (path, bomb) => {
        const schema = nested(path, bomb);
        if (schemaFault(schema) !== null) refused += 1;
        else expect(patternsCompiled(schema)).toBe(0);
      }),
      { numRuns: 1_000, seed: 17 },
    );
    expect(refused).toBeGreaterThan(200);
  });

  it.each([
    ['properties', 'properties', 'properties', 'default'],
    ['properties', 'default', 'properties', 'const'],
    ['properties', '$defs', 'properties', 'definitions'],
    ['$defs', 'properties', 'properties', 'examples'],
  ])('refuses a pattern below the name of a keyword: %s/%s/%s/%s', (a, b, c, d) => {
    expect(schemaFault({ [a]: { [b]: { [c]: { [d]: { pattern: BOMB } } } } })).toMatchObject({
      path: ['schema', a, b, c, d, 'pattern'],
    });
  });

  it.each(['#/default', '#/properties/x/const', '#/x-mine', '#/$defs/%61', '#name', '#/nothing'])(
    'refuses a reference to anything but a schema of the document: %s',
    ($ref) => {
      const schema = {
        $defs: { a: {} },
        default: { pattern: BOMB },
        'x-mine': { pattern: BOMB },
        properties: { x: { const: { pattern: BOMB } } },
        allOf: [{ $ref }],
      };
      expect(schemaFault(schema)).toMatchObject({ rule: '$ref' });
    },
  );

  it('leaves a pattern that reaches the compiler to RE2', () => {
    const compiler = userSchemaCompiler();
    expect(() => compiler.compile({ pattern: '(?=a)a' })).toThrow('RE2');
    const matches = compiler.compile({ pattern: BOMB });
    expect(matches('a'.repeat(4_000) + '!')).toBe(false);
    expect(matches('aaa')).toBe(true);
  });

  it('refuses a schema that is too expensive per value; the check bounds cost times the size of the data', async () => {
    const wide = { anyOf: Array.from({ length: 6_000 }, (_, at) => ({ const: at })) };
    expect(schemaFault({ items: wide })).toMatchObject({ message: expect.stringContaining('10000 steps') });
    expect(compileGuardrail([{ id: 'default.jsonSchema', parameters: { schema: wide } }]).ok).toBe(false);

    const schema = { items: { anyOf: wide.anyOf.slice(0, 1_000) } };
    const shortList = responding(JSON.stringify(Array(100).fill(-1)));
    const longList = responding(JSON.stringify(Array(2_000).fill(-1)));
    expect(await verdictOf('jsonSchema', { schema }, shortList)).toMatchObject({ verdict: false });
    expect(await verdictOf('jsonSchema', { schema }, longList)).toMatchObject({
      error: { message: expect.stringContaining('values that this schema can check') },
    });
  });
});
