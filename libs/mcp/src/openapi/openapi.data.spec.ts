import type { JsonObject } from '../protocol';
import { own } from '../rpc/message';
import { vectors } from '../spec-support/vectors';
import { OpenApiFault, openApiServerUrl } from './document';
import { METHODS } from './http-operation';
import { openApiRequest, openApiUrl } from './request';
import { openApiResult } from './result';
import { openApiTools, type OpenApiTool } from './tools';

interface OpenApiCase {
  readonly input: {
    readonly operation: JsonObject & { readonly path: string; readonly method: string };
    readonly call?: JsonObject;
    readonly tool?: boolean;
    readonly answer?: readonly [status: number, body: unknown];
  };
  readonly expect: string | { readonly url: string };
}

const NODE = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } };
const ALL = { include: { methods: METHODS } };

function documentOf({ path, method, ...operation }: OpenApiCase['input']['operation']): JsonObject {
  if (operation['swagger'] !== undefined) return operation;
  return {
    openapi: '3.1.0',
    paths: { [path]: { [method]: { responses: {}, ...operation } } },
    components: { schemas: { Node: NODE } },
  };
}

const toolOf = (operation: OpenApiCase['input']['operation']): OpenApiTool => {
  const { tools, refused } = openApiTools(documentOf(operation), ALL);
  const [tool] = tools;
  if (tool === undefined) throw new OpenApiFault(refused[0]?.reason ?? 'There is no tool.');
  return tool;
};

/** Returns how many levels of `next` a schema has. */
const depthOf = (schema: JsonObject): number => {
  const next = own((own(schema, 'properties') ?? {}) as JsonObject, 'next') as JsonObject | undefined;
  return next === undefined ? 0 : 1 + depthOf(next);
};

const CHECKS: Readonly<Record<string, (input: OpenApiCase['input']) => void>> = {
  'parameter dropped': ({ operation }) =>
    expect(toolOf(operation).definition['inputSchema']).toMatchObject({ properties: {} }),
  'not listed by default; destructive and idempotent when selected': ({ operation }) => {
    expect(openApiTools(documentOf(operation)).tools).toEqual([]);
    expect(toolOf(operation).definition['annotations']).toMatchObject({
      destructiveHint: true,
      idempotentHint: true,
    });
  },
  'accept: cycle cut at depth 8': ({ operation }) => {
    const { inputSchema } = toolOf(operation).definition as { inputSchema: JsonObject };
    expect(depthOf(inputSchema)).toBe(8);
  },
  'structuredContent for modern clients, text for all': ({
    operation,
    answer: [status, body] = [200, null],
  }) => {
    expect(toolOf(operation).definition['outputSchema']).toEqual({ type: 'array' });
    const response = { status, contentType: 'application/json', body: Buffer.from(JSON.stringify(body)) };
    const content = [{ type: 'text', text: '[1]' }];
    const options = { uri: 'x', promisesObject: false };
    expect(openApiResult(response, { ...options, era: 'modern' }).result).toEqual({
      resultType: 'complete',
      content,
      structuredContent: [1],
    });
    expect(openApiResult(response, { ...options, era: 'legacy' }).result).toEqual({ content });
  },
  'isError, not followed': ({ answer: [status, body] = [302, ''] }) => {
    const response = { status, contentType: '', body: Buffer.from(String(body)) };
    const options = { era: 'legacy', uri: 'x', promisesObject: false } as const;
    expect(openApiResult(response, options).result).toMatchObject({ isError: true });
  },
};

describe('tools from OpenAPI', () => {
  it.each(vectors<OpenApiCase>('openapi'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    if (typeof wanted !== 'string') {
      expect(openApiRequest(toolOf(input.operation).operation, input.call ?? {}).target).toBe(wanted.url);
    } else if (wanted === 'reject') {
      expect(() => openApiRequest(toolOf(input.operation).operation, input.call ?? {})).toThrow(OpenApiFault);
    } else {
      const check = CHECKS[wanted];
      if (check === undefined) throw new Error(`no check for ${wanted}`);
      check(input);
    }
  });

  const query = (parameter: JsonObject, value: unknown): string =>
    openApiRequest(
      toolOf({ path: '/p', method: 'get', parameters: [{ in: 'query', name: 'f', ...parameter }] }).operation,
      { f: value },
    ).target;

  it.each([
    [{}, { a: 1, b: 'x y' }, '/p?a=1&b=x%20y'],
    [{ explode: false }, { a: 1, b: 2 }, '/p?f=a,1,b,2'],
    [{ style: 'deepObject' }, { a: 1, b: '&' }, '/p?f%5Ba%5D=1&f%5Bb%5D=%26'],
    [{ style: 'spaceDelimited' }, ['a', 'b'], '/p?f=a%20b'],
    [{ style: 'pipeDelimited' }, ['a', 'b|c'], '/p?f=a%7Cb%7Cc'],
    [{}, true, '/p?f=true'],
    [{}, 'a#?/&=', '/p?f=a%23%3F%2F%26%3D'],
  ])('serialise the parameter %j with %j as %s', (parameter, value, target) => {
    expect(query(parameter, value)).toBe(target);
  });

  it('refuse path values that change the path, alone and in combination', () => {
    const parameters = ['a', 'b'].map((name) => ({
      in: 'path',
      name,
      required: true,
      schema: { type: 'string' },
    }));
    const { operation } = toolOf({ path: '/x/{a}{b}/y', method: 'get', parameters });
    for (const [a, b] of [
      ['.', '.'],
      ['', ''],
      ['..', ''],
      ['', '.'],
    ])
      expect(() => openApiRequest(operation, { a, b })).toThrow(OpenApiFault);
    for (const a of ['../..', 'a/../b', 'a\\..', './a', '%2e%2e/a', '..', 'a\0'])
      expect(() => openApiRequest(operation, { a, b: 'b' })).toThrow(OpenApiFault);
    const request = openApiRequest(operation, { a: 'v1..2/', b: '?q#' });
    expect(request.target).toBe('/x/v1..2%2F%3Fq%23/y');
    expect(openApiUrl(new URL('https://api.example/v1'), request).href).toBe(
      `https://api.example/v1${request.target}`,
    );
  });

  it('take a body as one argument, or as one argument for each member of a flat object', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const requestBody = (more: JsonObject) => ({
      required: true,
      content: { 'application/json': { schema: { ...schema, ...more } } },
    });
    const flat = toolOf({ path: '/p', method: 'post', requestBody: requestBody({}) });
    expect(flat.definition['inputSchema']).toMatchObject({ required: ['a'] });
    expect(openApiRequest(flat.operation, { a: 'x', b: 1 }).body).toEqual({
      type: 'application/json',
      bytes: Buffer.from('{"a":"x"}'),
    });
    const whole = toolOf({
      path: '/p',
      method: 'post',
      requestBody: requestBody({ additionalProperties: true }),
    });
    expect(whole.definition['inputSchema']).toMatchObject({ required: ['body'] });
    expect(openApiRequest(whole.operation, { body: { a: 1, b: 2 } }).body).toEqual({
      type: 'application/json',
      bytes: Buffer.from('{"a":1,"b":2}'),
    });
    expect(() => openApiRequest(whole.operation, {})).toThrow(OpenApiFault);
  });

  it('have distinct names, and are at most 100', () => {
    const operation = { operationId: 'get it', responses: {} };
    const two = openApiTools({
      openapi: '3.0.3',
      paths: { '/a': { get: operation }, '/b': { get: operation } },
    });
    expect(two.tools.map(({ name }) => name)).toEqual([
      'get_it',
      expect.stringMatching(/^get_it_[0-9a-f]{6}$/),
    ]);
    const paths = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`/${String(at)}`, { get: {} }]));
    expect(() => openApiTools({ openapi: '3.0.3', paths })).toThrow('101 operations are selected');
  });

  it('leave out operations with references to other documents, and return the reason', () => {
    const parameters = [{ $ref: 'https://evil.example/p.json' }];
    const { tools, refused } = openApiTools({ openapi: '3.1.0', paths: { '/a': { get: { parameters } } } });
    expect([tools, refused]).toEqual([[], [{ operation: 'get /a', reason: expect.any(String) }]]);
  });

  it('stay within their bounds for schemas whose references multiply', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => {
        const $ref = `#/components/schemas/S${String(at + 1)}`;
        const names = Array.from({ length: 10 }, (_each, index) => [`p${String(index)}`, { $ref }]);
        return [`S${String(at)}`, { type: 'object', properties: Object.fromEntries(names) }];
      }),
    );
    const schema = { $ref: '#/components/schemas/S0' };
    const document = {
      openapi: '3.1.0',
      paths: { '/a': { get: { parameters: [{ in: 'query', name: 'a', schema }] } } },
      components: { schemas: { ...schemas, S9: { type: 'string' } } },
    };
    expect(JSON.stringify(openApiTools(document).tools).length).toBeLessThan(500_000);
  });

  it('call only servers whose variables have an enum', () => {
    const server = {
      url: 'https://{region}.example',
      variables: { region: { enum: ['eu', 'us'], default: 'eu' } },
    };
    expect(openApiServerUrl(server, { region: 'us' })).toBe('https://us.example');
    expect(() => openApiServerUrl(server, { region: 'evil.example/' })).toThrow(OpenApiFault);
    expect(() => openApiServerUrl({ url: 'https://{host}' }, { host: 'a' })).toThrow(OpenApiFault);
  });
});
