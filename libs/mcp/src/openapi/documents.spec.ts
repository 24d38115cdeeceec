import { capabilityDigest } from '../capabilities/capability';
import type { JsonObject } from '../protocol';
import { OpenApiFault } from './document';
import { openApiRequest, openApiUrl } from './request';
import { OPENAPI_BOUNDS, readOpenApiText } from './text';
import { openApiTools, splitOperation, withOperation, type OpenApiTool } from './tools';

const ALL = { include: { methods: ['get', 'post', 'put', 'delete'] as const } };

const document = (operation: JsonObject, more: JsonObject = {}, path = '/p'): JsonObject => ({
  ...{ openapi: '3.0.3', paths: { [path]: { post: operation } } },
  ...more,
});

function toolOf(of: JsonObject, selection: object = ALL): OpenApiTool {
  const { tools, refused } = openApiTools(of, selection);
  expect(refused).toEqual([]);
  return tools[0] as OpenApiTool;
}

const bodyOf = (schema: JsonObject): JsonObject => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
});

describe('readOpenApiText', () => {
  const noYaml = (): Promise<Buffer> => Promise.reject(new Error('The text is JSON.'));
  const asYaml = (json: string) => () => Promise.resolve(Buffer.from(json));

  it('parses JSON with or without a byte order mark, and YAML through the given reader', async () => {
    expect(await readOpenApiText('\ufeff {"a":[1]}', noYaml)).toEqual({ a: [1] });
    expect(await readOpenApiText('a: [1]', asYaml('{"a":[1]}'))).toEqual({ a: [1] });
  });

  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 10_002 }, (_, at) => [at, 0])));
  it.each([
    ['text that begins like JSON', '{"a":', noYaml, 'begins like JSON'],
    ['JSON of more than 5 MiB', `["${'x'.repeat(OPENAPI_BOUNDS.bytesMax)}"]`, noYaml, 'larger than'],
    [
      'YAML of more than 1 MiB',
      `a: ${'x'.repeat(OPENAPI_BOUNDS.yamlBytesMax)}`,
      noYaml,
      'convert it to JSON',
    ],
    [
      'YAML that becomes too large',
      'a: 1',
      asYaml(`["${'x'.repeat(OPENAPI_BOUNDS.bytesMax)}"]`),
      'larger than',
    ],
    ['YAML with very many values', 'a: 1', asYaml(`[${'1,'.repeat(500_001)}1]`), 'values'],
    ['deep JSON', `${'['.repeat(200)}${']'.repeat(200)}`, noYaml, 'levels'],
    ['JSON of very many values', `[${'1,'.repeat(500_001)}1]`, noYaml, 'values'],
    ['an object of very many members', wide, noYaml, 'members'],
  ])('refuses %s', async (_what, text, yaml, message) => {
    await expect(readOpenApiText(text, yaml)).rejects.toBeInstanceOf(OpenApiFault);
    await expect(readOpenApiText(text, yaml)).rejects.toThrow(message);
  });
});

describe('schemas of tools', () => {
  const inputOf = (schema: JsonObject): JsonObject =>
    (
      toolOf(document(bodyOf({ type: 'object', properties: { a: schema } }))).definition['inputSchema'] as {
        properties: { a: JsonObject };
      }
    ).properties.a;

  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'integer', minimum: 5, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 5 },
    ],
    [
      { type: 'integer', maximum: 5, exclusiveMaximum: false },
      { type: 'integer', maximum: 5 },
    ],
    [
      { oneOf: [{ type: 'string', pattern: '^a' }, { type: 'string' }], not: { pattern: '^ab' } },
      { anyOf: [{ type: 'string', description: 'Pattern: ^a' }, { type: 'string' }] },
    ],
    [{ type: 'file', required: true, minLength: '1', enum: [] }, {}],
    [
      { type: 'string', pattern: '(?i)a', description: 'An a.', 'x-mcp-header': 'Authorization' },
      { type: 'string', description: 'An a.\nPattern: (?i)a' },
    ],
    [
      { type: 'string', enum: [{ $ref: '#/x' }] },
      { type: 'string', enum: [{ $ref: '#/x' }] },
    ],
    [
      { type: 'object', properties: { example: { type: 'string' }, 'x-a': true, $ref: { type: 'null' } } },
      { type: 'object', properties: { example: { type: 'string' }, 'x-a': true, $ref: { type: 'null' } } },
    ],
    [
      { type: 'object', properties: { id: { readOnly: true }, name: {} }, required: ['id', 'name', 'name'] },
      { type: 'object', properties: { name: {} }, required: ['name'] },
    ],
  ])('converts %j to %j', (schema, wanted) => {
    expect(inputOf(schema)).toEqual(wanted);
  });

  const responded = (responses: JsonObject): unknown =>
    toolOf(document({ responses })).definition['outputSchema'];
  const json = (schema: JsonObject): JsonObject => ({ content: { 'application/json': { schema } } });

  it('describes responses without constraints', () => {
    const schema = {
      ...{ type: 'object', required: ['a'], additionalProperties: false },
      properties: { a: { type: 'string', enum: ['x'], description: 'An a.' }, b: { writeOnly: true } },
    };
    expect(responded({ 200: json(schema) })).toEqual({
      ...{ type: 'object', properties: { a: { type: 'string', description: 'An a.' } } },
    });
  });

  it('describes responses of which several schemas may hold without their constraints', () => {
    const oneOf = ['a', 'b'].map((kind) => ({ type: 'object', properties: { kind: { const: kind } } }));
    const shown = { type: 'object', properties: { kind: {} } };
    expect(responded({ 200: json({ oneOf }) })).toEqual({ anyOf: [shown, shown] });
  });

  it('has no output schema for responses of several forms, or if the selection disables output schemas', () => {
    const one = json({ type: 'object' });
    expect(responded({ 200: one, 204: { description: 'Nothing.' } })).toBeUndefined();
    expect(responded({ 200: one, 201: json({ type: 'array' }) })).toBeUndefined();
    expect(responded({ 200: one, 404: json({ type: 'string' }) })).toEqual({ type: 'object' });
    const { definition } = toolOf(document({ responses: { 200: one } }), { ...ALL, hasOutputSchemas: false });
    expect(definition['outputSchema']).toBeUndefined();
  });

  it('ends circular references, and bounds all schemas of a document together', () => {
    const circle = { components: { schemas: { A: { $ref: '#/components/schemas/A' } } } };
    const { inputSchema } = toolOf(document(bodyOf({ $ref: '#/components/schemas/A' }), circle))
      .definition as { inputSchema: JsonObject };
    expect(inputSchema).toMatchObject({ properties: { body: {} } });
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array(6_000)
          .fill(0)
          .map((_, at) => [`p${String(at)}`, {}]),
      ),
    };
    const paths = Object.fromEntries(
      Array(60)
        .fill(0)
        .map((_, at) => [`/p${String(at)}`, { post: bodyOf({ $ref: '#/components/schemas/W' }) }]),
    );
    const { tools, refused } = openApiTools(
      { openapi: '3.1.0', paths, components: { schemas: { W: wide } } },
      ALL,
    );
    expect(tools.length).toBeLessThan(60);
    expect(refused.map(({ reason }) => reason)).toContain(
      'The schemas of the selected operations are too large together; select fewer.',
    );
  });
});

describe('bounds of texts that references repeat', () => {
  const text = 'x'.repeat(200_000);
  const documentOf = (schema: JsonObject, count: number): JsonObject => {
    const $ref = '#/components/schemas/Big';
    const properties = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`p${String(at)}`, { $ref }]),
    );
    const operation = bodyOf({ type: 'object', properties });
    const paths = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`/${String(at)}`, { post: operation }]),
    );
    return { openapi: '3.1.0', paths, components: { schemas: { Big: schema } } };
  };

  it.each([
    ['a description', { description: text }],
    ['a choice', { enum: [text] }],
    ['a default', { default: { a: text } }],
    ['a name of a default', { default: { [text]: 1 } }],
    ['a name', { properties: { [text]: {} } }],
  ])('refuses schemas that repeat %s too often', (_what, schema) => {
    const once = openApiTools(documentOf(schema, 1), ALL);
    expect([once.tools.length > 10, once.refused.at(-1)?.reason]).toEqual([
      ...[true, 'The schemas of the selected operations are too large together; select fewer.'],
    ]);
    const often = openApiTools(documentOf(schema, 1_500), ALL);
    expect([often.tools, often.refused[0]?.reason]).toEqual([
      [],
      'The schemas of the operation are too large.',
    ]);
  });
});

describe('operations of documents', () => {
  const refusal = (operation: JsonObject, path = '/p'): string | undefined =>
    openApiTools(document(operation, {}, path), ALL).refused[0]?.reason;

  it.each([
    ['servers of their own', { servers: [{ url: 'https://evil.example' }] }, '/p', 'Servers of single'],
    [
      'a body of another media type',
      { requestBody: { required: true, content: { 'text/xml': {} } } },
      '/p',
      'Only bodies in JSON and forms',
    ],
    [
      'a form without fields',
      { requestBody: { required: true, content: { 'multipart/form-data': {} } } },
      '/p',
      'Only forms whose schema has properties',
    ],
    [
      'a parameter of another media type',
      { parameters: [{ in: 'query', name: 'q', content: { 'text/xml': {} } }] },
      '/p',
      'not JSON',
    ],
    ['a query in the path', {}, '/p?admin=true', 'characters or dot segments'],
    ['a dot segment in the path', {}, '/a/%2e%2e/b', 'characters or dot segments'],
    ['a backslash in the path', {}, '/a\\b', 'characters or dot segments'],
    ['an open brace in the path', {}, '/a/{b', 'characters or dot segments'],
    [
      'a parameter that leads nowhere',
      { parameters: [{ $ref: '#/components/parameters/x' }] },
      '/p',
      'leads nowhere',
    ],
  ])('refuses operations with %s', (_what, operation, path, reason) => {
    expect(refusal(operation, path)).toContain(reason);
  });

  it('has no arguments for headers of credentials, of the connection, of the gateway and for method overrides', () => {
    const names = [
      'X-Api-Key',
      'Proxy-Authorization',
      'x-gw-api-key',
      'X-Forwarded-For',
      'Content-Type',
      'Mcp-Name',
      'Metadata-Flavor',
      'X-HTTP-Method-Override',
      'Transfer-Encoding',
      'X-Request-Tag',
    ];
    const parameters = names.map((name) => ({ in: 'header', name, schema: { type: 'string' } }));
    expect(toolOf(document({ parameters })).operation.parameters.map(({ name }) => name)).toEqual([
      'X-Request-Tag',
    ]);
  });

  it('names tools independently of their order in the document', () => {
    const paths = ['/a', '/b', '/c'].map((path) => [path, { get: { operationId: 'same' } }] as const);
    const namesOf = (of: readonly (readonly [string, object])[]): ReadonlyMap<string, string> =>
      new Map(
        openApiTools({ openapi: '3.1.0', paths: Object.fromEntries(of) }).tools.map(({ name, operation }) => [
          operation.path,
          name,
        ]),
      );
    const [first, second] = [namesOf(paths), namesOf(paths.toSpliced(1, 1))];
    expect(second.get('/c')).toBe(first.get('/c'));
    expect(second.get('/a')).toBe('same');
  });

  it('includes the operation in the digest of the tool, so that both are approved together', () => {
    const at = (path: string): JsonObject => withOperation(toolOf(document({ operationId: 'a' }, {}, path)));
    const [one, other] = [at('/p'), at('/q')];
    expect(capabilityDigest('tool', one)).not.toBe(capabilityDigest('tool', other));
    expect(splitOperation(one)).toMatchObject({ definition: { name: 'a' }, operation: { path: '/p' } });
    expect(splitOperation(one).definition).not.toHaveProperty('_meta');
  });

  it('marks an operation as read-only if the selection says so', () => {
    const { definition } = toolOf(document({ operationId: 'search' }), {
      ...ALL,
      readOnly: new Set(['search']),
    });
    expect(definition['annotations']).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  it('serialises a parameter with a JSON media type as JSON, and refuses an integer that lost precision', () => {
    const content = { 'application/json': { schema: { type: 'object' } } };
    const { operation } = toolOf(document({ parameters: [{ in: 'query', name: 'q', content }] }));
    expect(openApiRequest(operation, { q: { a: [1] } }).target).toBe('/p?q=%7B%22a%22%3A%5B1%5D%7D');
    const plain = toolOf(document({ parameters: [{ in: 'query', name: 'q' }] })).operation;
    expect(() => openApiRequest(plain, { q: 2 ** 60 })).toThrow('53 bits');
  });

  it('refuses URLs outside the base URL', () => {
    const target = '/%2e%2e/v1x';
    expect(() => openApiUrl(new URL('https://api.example/v1'), { target })).toThrow('leaves the base URL');
    expect(openApiUrl(new URL('https://api.example/v1/'), { target: '//evil.example' }).href).toBe(
      'https://api.example/v1//evil.example',
    );
  });
});
