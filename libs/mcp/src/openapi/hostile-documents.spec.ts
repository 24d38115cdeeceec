import { builtinSteps } from '@gw/testing';
import type { JsonObject } from '../protocol';
import { METHODS } from './http-operation';
import { readOperation } from './operation';
import { SchemaReader } from './schema';
import { openApiTools } from './tools';

const ALL = { include: { methods: METHODS } };
const REF = { $ref: '#/components/shared' };

const many = (count: number, value: unknown): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${String(at)}`, value]));
const list = (count: number, item: unknown): readonly unknown[] => Array.from({ length: count }, () => item);

/** Returns a document with one operation, and something that it may refer to often. */
const documentOf = (operation: JsonObject, shared: unknown): JsonObject => ({
  ...{ openapi: '3.1.0', paths: { '/p': { post: operation } }, components: { shared } },
});
const bodyOf = (schema: unknown): JsonObject => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
});
const responsesOf = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [String(200 + at), REF]));

describe('documents with many references to something wide', () => {
  const WIDE: Readonly<Record<string, unknown>> = {
    'hidden properties': { type: 'object', properties: many(8_000, { readOnly: true }) },
    'a long enum': { enum: list(20_000, 1) },
    'a long list of required names': { required: list(20_000, 'a') },
    'a long list of types': { type: list(20_000, 'string') },
    'a default with many members': { default: many(8_000, 1) },
    'a choice of many booleans': { anyOf: list(2_000, true) },
  };

  it.each(Object.entries(WIDE))('take a few steps for each further reference to %s', (_what, shared) => {
    const stepsOf = (count: number): number =>
      builtinSteps(
        () => void openApiTools(documentOf(bodyOf({ properties: many(count, REF) }), shared), ALL),
      );
    expect(stepsOf(60) - stepsOf(20)).toBeLessThan(40 * 200);
  });

  it('take a few steps for each further response with many media types', () => {
    const stepsOf = (count: number): number => {
      const shared = { content: { ...many(8_000, {}), 'application/json': { schema: {} } } };
      const document = documentOf({ responses: responsesOf(count) }, shared);
      return builtinSteps(() => void openApiTools(document, ALL));
    };
    expect(stepsOf(60) - stepsOf(20)).toBeLessThan(40 * 200);
  });

  it('are read with no more of a long text than the description has', () => {
    const operation = { summary: 'A', description: 'x'.repeat(1_000_000) };
    const document = documentOf(operation, {});
    const schemas = new SchemaReader(document);
    const { summary } = readOperation({ document, schemas, path: '/p', method: 'post' });
    expect(summary.length).toBeLessThan(2_048);
  });
});

describe('documents with odd references, names and texts', () => {
  const parametersOf = (parameters: readonly unknown[], more: JsonObject = {}) =>
    openApiTools({ openapi: '3.1.0', paths: { '/p': { post: { parameters } } }, ...more }, ALL);

  it('follow references of many parts to their end', () => {
    let at: JsonObject = { in: 'query', name: 'inner' };
    for (let depth = 0; depth < 25; depth += 1) at = { in: 'query', name: 'outer', a: at };
    const { tools } = parametersOf([{ $ref: `#${'/a'.repeat(25)}` }], at);
    expect(tools[0]?.operation.parameters).toMatchObject([{ name: 'inner' }]);
  });

  it('have no arguments for members that a referenced schema makes read-only', () => {
    const schema = { type: 'object', properties: { id: REF, name: {} }, required: ['id', 'name'] };
    const { tools } = openApiTools(documentOf(bodyOf(schema), { type: 'integer', readOnly: true }), ALL);
    expect(tools[0]?.definition['inputSchema']).toMatchObject({ required: ['name'] });
    expect(tools[0]?.operation.body?.members).toEqual(['name']);
  });

  it.each([
    ['a header that is none', 'a b', '/p', 'is not a name of a header'],
    ['a path parameter with a slash', 'x', '/p/{a/b}', 'characters or dot segments'],
  ])('refuse operations with %s', (_what, name, path, reason) => {
    const parameters = [
      { in: 'header', name },
      { in: 'path', name: 'a/b' },
    ];
    const { refused } = openApiTools({ openapi: '3.1.0', paths: { [path]: { get: { parameters } } } });
    expect(refused[0]?.reason).toContain(reason);
  });

  it('have descriptions that can be stored, whatever character is at their end', () => {
    const description = `${'x'.repeat(1_023)}\u{1f600}`;
    const { tools } = parametersOf([{ in: 'query', name: 'q', description }]);
    expect(JSON.stringify(tools[0]?.definition)).not.toContain('\\ud83d');
  });

  it('name tools alike in every order', () => {
    const paths = ['/a', '/b'].map((path) => [path, { get: { operationId: 'same' } }] as const);
    const namesOf = (of: typeof paths): readonly string[] =>
      openApiTools({ openapi: '3.1.0', paths: Object.fromEntries(of) })
        .tools.map(({ name, operation }) => `${operation.path} ${name}`)
        .toSorted();
    expect(namesOf(paths.toReversed())).toEqual(namesOf(paths));
  });
});

describe('documents with operations that have many tags', () => {
  const selected = (tags: readonly unknown[]): readonly string[] =>
    openApiTools(documentOf({ operationId: 'drop', tags }, {}), {
      ...ALL,
      exclude: { tags: ['admin'] },
    }).tools.map(({ name }) => name);

  it('cannot hide a tag from an exclusion', () => {
    expect(selected(['pets'])).toEqual(['drop']);
    expect(selected([...list(49, 'pets'), 'admin'])).toEqual([]);
    expect(selected([...list(49, 1), 'admin'])).toEqual([]);
    expect(() => selected([...list(50, 'pets'), 'admin'])).toThrow(
      'The operation post /p has more than 50 tags.',
    );
  });
});
