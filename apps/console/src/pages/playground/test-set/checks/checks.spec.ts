import { prepareCheck } from './prepare';
import type { Check } from './check';
import { verdictOf } from './judge';

const judge = async (check: Check, answer: string) => {
  const prepared = await prepareCheck('w', check);
  if (typeof prepared === 'string') return prepared;
  return (await prepared.judge(answer, new AbortController().signal)).verdict;
};
const outcome = async (check: Check, answer: string): Promise<string> => {
  const verdict = await judge(check, answer);
  return typeof verdict === 'string' ? verdict : verdict.outcome;
};

describe('check: contains', () => {
  it('ignores case', async () => {
    expect(await outcome({ kind: 'contains', text: 'oslo' }, 'It is OSLO.')).toBe('passed');
    expect(await outcome({ kind: 'contains', text: 'Rome' }, 'It is Oslo.')).toBe('failed');
    expect(await outcome({ kind: 'contains', text: '' }, 'x')).toBe(
      'Write the text that an answer contains.',
    );
  });
});

describe('check: regular expression', () => {
  const regex = (pattern: string): Check => ({ kind: 'regex', pattern });

  it('accepts a pattern with or without flags', async () => {
    expect(await outcome(regex(String.raw`\b\d{3}\b`), 'room 404')).toBe('passed');
    expect(await outcome(regex('^no'), 'yes\nno')).toBe('failed');
    expect(await outcome(regex('/^NO/im'), 'yes\nno')).toBe('passed');
  });

  it('searches in linear time for patterns that need exponential time with backtracking', async () => {
    for (const pattern of ['(a+)+$', '(a|a)*b', '(.*)*x', String.raw`(\w+\s?)+!`])
      expect(await outcome(regex(pattern), `${'a'.repeat(20_000)} `)).toBe('failed');
  });

  it('returns unjudged for a text that is too long for the pattern', async () => {
    expect(await outcome(regex('(?:a{10}){90}'), 'a'.repeat(20_000))).toBe('unjudged');
  });

  it.each([
    ['', 'Write a pattern.'],
    ['(', /not valid RE2 syntax/],
    [String.raw`(a)\1`, /not valid RE2 syntax/],
    ['/a/x', /flags x/],
    ['a'.repeat(1_025), /at most 1,024 characters/],
    ['(?:(?:a{50}){50}){50}', /RE2|too large/],
    [String.raw`\p{L}`.repeat(51), /Unicode classes/],
  ])('rejects the pattern %.30j', async (pattern, message) => {
    expect(await prepareCheck('w', regex(pattern))).toMatch(message);
  });
});

describe('check: JSON Schema', () => {
  const schema = (value: unknown): Check => ({ kind: 'schema', schema: JSON.stringify(value) });
  const contact = schema({
    $defs: { city: { enum: ['Oslo', { b: 1, a: 2 }] } },
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, description: 'Of a person' },
      age: { type: ['integer', 'null'], minimum: 0 },
      city: { $ref: '#/$defs/city' },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    },
    required: ['name'],
    additionalProperties: false,
  });

  it.each([
    ['{"name":"Ada","age":null,"city":{"a":2,"b":1}}', 'passed', 'It matches the schema.'],
    ['Here:\n```json\n{"name":"Ada"}\n```\nDone.', 'passed', 'It matches the schema.'],
    ['Here it is: {"name":"Ada"} – done.', 'passed', 'It matches the schema.'],
    ['[note] It is {"name":"Ada"}.', 'passed', 'It matches the schema.'],
    ['} no {', 'failed', 'There is no JSON in the answer.'],
    ['[]', 'failed', '$ is not of the type object.'],
    ['{}', 'failed', '$ lacks the member name.'],
    ['{"name":""}', 'failed', '$.name breaks minLength 1.'],
    ['{"name":"a","age":1.5}', 'failed', '$.age is not of the type integer or null.'],
    ['{"name":"a","age":-1}', 'failed', '$.age breaks minimum 0.'],
    ['{"name":"a","city":"Rome"}', 'failed', '$.city is none of the values that are allowed.'],
    ['{"name":"a","tags":["x",1]}', 'failed', '$.tags[1] is not of the type string.'],
    ['{"name":"a","tags":["x","y","z"]}', 'failed', '$.tags breaks maxItems 2.'],
    ['{"name":"a","constructor":1}', 'failed', '$.constructor is not allowed.'],
  ])('judges %s as %s with the reason', async (answer, result, reason) => {
    expect(await judge(contact, answer)).toEqual({ outcome: result, reason });
  });

  it('supports anyOf, oneOf, allOf, not and prefixItems', async () => {
    const either = schema({ oneOf: [{ type: 'string' }, { const: 'x' }], not: { const: 'no' } });
    expect(await outcome(either, '"y"')).toBe('passed');
    expect(await outcome(either, '"x"')).toBe('failed');
    expect(await outcome(either, '"no"')).toBe('failed');
    expect(await outcome(schema({ anyOf: [{ type: 'null' }, { type: 'number' }] }), '1')).toBe('passed');
    expect(await outcome(schema({ allOf: [{ minimum: 1 }, { maximum: 2 }] }), '3')).toBe('failed');
    expect(await outcome(schema({ prefixItems: [{ const: 1 }], items: false }), '[1,2]')).toBe('failed');
  });

  it.each([
    ['x', /no JSON object/],
    ['[]', /no JSON object/],
    ['{"patternProperties":{}}', /patternProperties/],
    ['{"properties":{"a":{"pattern":"a"}}}', /pattern/],
    ['{"type":"text"}', /type/],
    ['{"$ref":"https://example.com/x"}', /example\.com/],
    ['{"$ref":"#/$defs/none"}', /none/],
  ])('rejects the unsupported schema %s', async (source, message) => {
    expect(await prepareCheck('w', { kind: 'schema', schema: source })).toMatch(message);
  });

  it('returns unjudged for schemas that need too many steps', async () => {
    expect(await outcome(schema({ $ref: '#' }), '1')).toBe('unjudged');
    const doubling = schema({
      ...{
        $defs: Object.fromEntries(
          Array.from({ length: 30 }, (_, at) => [
            `d${String(at)}`,
            at === 0 ? true : { allOf: [1, 2].map(() => ({ $ref: `#/$defs/d${String(at - 1)}` })) },
          ]),
        ),
      },
      $ref: '#/$defs/d29',
    });
    expect(await outcome(doubling, '1')).toBe('unjudged');
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(await outcome(schema({ enum: [1] }), deep)).toMatch(/failed|unjudged/);
  });
});

describe('verdictOf', () => {
  it.each([
    ['PASS\nIt names the clause.', 'passed', 'It names the clause.'],
    ['**Fail**: no clause.', 'failed', 'no clause.'],
    ['pass', 'passed', ''],
    ['I think it passes', 'unjudged', 'The model said neither PASS nor FAIL first.'],
    ['', 'unjudged', 'The model said neither PASS nor FAIL first.'],
  ])('reads %j as %s', (said, result, reason) => {
    expect(verdictOf(said)).toEqual({ outcome: result, reason });
  });
});
