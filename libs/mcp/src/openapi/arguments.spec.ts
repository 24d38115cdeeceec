import type { JsonObject } from '../protocol';
import { METHODS } from './http-operation';
import { openApiRequest } from './request';
import { openApiTools, type OpenApiTool } from './tools';

const ALL = { include: { methods: METHODS } };

function toolOf(operation: JsonObject, path = '/p', item: JsonObject = {}): OpenApiTool {
  const { tools, refused } = openApiTools(
    { openapi: '3.1.0', paths: { [path]: { post: operation, ...item } } },
    ALL,
  );
  const [tool] = tools;
  if (tool === undefined) throw new Error(refused[0]?.reason);
  return tool;
}

const bodyOf = (type: string, schema: JsonObject, encoding: JsonObject = {}): JsonObject => ({
  requestBody: { required: true, content: { [type]: { schema, encoding } } },
});
const inQuery = (name: string, more: JsonObject = {}): JsonObject => ({ in: 'query', name, ...more });

describe('arguments of tools', () => {
  it('have distinct names, also if a parameter is named like the replacement of another one', () => {
    const parameters = [inQuery('id'), { in: 'header', name: 'path_id' }, { in: 'path', name: 'id' }];
    const { operation, definition } = toolOf({ parameters }, '/p/{id}');
    expect(operation.parameters.map(({ argument }) => argument)).toEqual(['id', 'path_id', 'path_id_']);
    expect(Object.keys((definition['inputSchema'] as { properties: object }).properties)).toHaveLength(3);
    expect(openApiRequest(operation, { path_id: 'h', path_id_: 'p' })).toMatchObject({
      ...{ target: '/p/p', headers: { path_id: 'h' } },
    });
  });

  it('have a name for the body that no parameter has', () => {
    const parameters = [inQuery('body'), inQuery('request_body')];
    const { operation } = toolOf({ parameters, ...bodyOf('application/json', { type: 'array' }) });
    expect(operation.body?.argument).toBe('request_body_');
  });

  it('are those of the operation where its path has the same header in another case', () => {
    const header = (name: string, required: boolean): JsonObject => ({ in: 'header', name, required });
    const { operation } = toolOf({ parameters: [header('x-tag', true)] }, '/p', {
      parameters: [header('X-Tag', false)],
    });
    expect(operation.parameters).toMatchObject([{ name: 'x-tag', argument: 'X-Tag', isRequired: true }]);
  });

  it('do not lead to other paths by names of members, or together', () => {
    const path = (name: string): JsonObject => ({ in: 'path', name });
    const { operation } = toolOf({ parameters: [path('a'), path('b')] }, '/p/{a}{b}');
    const target = (a: unknown, b: unknown): string => openApiRequest(operation, { a, b }).target;
    expect(target({ x: 'y' }, ['z'])).toBe('/p/x,yz');
    for (const [a, b] of [
      [{ '../../admin': 'x' }, 'y'],
      [{ '..%2fadmin': 'x' }, 'y'],
      [['x/.'], ['./y']],
    ])
      expect(() => target(a, b)).toThrow('must not have the segments');
  });

  const object = { type: 'object', additionalProperties: true };

  it('do not set other parameters by members of an object', () => {
    const parameters = [
      inQuery('filter', { schema: object }),
      inQuery('deep', { schema: object, style: 'deepObject' }),
      inQuery('account'),
      inQuery('deep[account]'),
    ];
    const { operation } = toolOf({ parameters });
    const target = (args: JsonObject): string => openApiRequest(operation, args).target;
    expect(target({ account: 'a', filter: { filter: 1, 'b&': 2 }, deep: { b: 1 } })).toBe(
      '/p?filter=1&b%26=2&deep%5Bb%5D=1&account=a',
    );
    for (const args of [{ filter: { account: 'b' } }, { deep: { account: 'b' } }])
      expect(() => target(args)).toThrow('has the name of another argument');
  });

  it('do not set other fields of a form by members of an object', () => {
    const schema = { type: 'object', properties: { filter: object, account: { type: 'string' } } };
    const encoding = { filter: { style: 'form', explode: true } };
    const type = 'application/x-www-form-urlencoded';
    const flat = toolOf(bodyOf(type, schema, encoding)).operation;
    expect(openApiRequest(flat, { filter: { b: 1 } }).body?.bytes.toString()).toBe('b=1');
    expect(() => openApiRequest(flat, { filter: { account: 'b' } })).toThrow('name of another argument');
    const whole = toolOf(bodyOf(type, { ...schema, additionalProperties: true }, encoding)).operation;
    const body = { account: 'a', filter: { account: 'b' } };
    expect(() => openApiRequest(whole, { body })).toThrow('name of another argument');
  });

  it.each([
    ['application/merge-patch+json', 'application/merge-patch+json'],
    ['Application/vnd.Api+JSON; ext=bulk', 'application/vnd.api+json'],
    ['application/json; charset=utf-8', 'application/json'],
    ['application/x\r\ny: z+json', 'application/json'],
  ])('are sent as JSON of the media type of the document, such as %j', (type, sent) => {
    const flat = toolOf(bodyOf(type, { type: 'object', properties: { a: {} } })).operation;
    expect(openApiRequest(flat, { a: 1 }).body).toEqual({ type: sent, bytes: Buffer.from('{"a":1}') });
    const whole = toolOf(bodyOf(type, { type: 'array' })).operation;
    expect(openApiRequest(whole, { body: [1] }).body).toEqual({ type: sent, bytes: Buffer.from('[1]') });
  });
});
