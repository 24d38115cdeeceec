// The facts of a new family: one row of `ROUTE_FAMILIES`.
import '../spec-support/poems-family';
import { REQUEST_TYPES } from '@gw/guardrails';
import { providerOfRow, PROVIDERS, registryOf, row } from '@gw/providers';
import { StubProvider } from '@gw/testing';
import { endpointTypesOf } from '../limits/endpoint-types';
import { GatewayHarness } from '../spec-support/harness';
import { openApiDocument } from './openapi/document';
import { routeOf } from './route-table';

// Its routes: one file of `families/`, and one line of its list.
jest.mock('./families', () => {
  const families: typeof import('./families') = jest.requireActual('./families');
  const { route }: typeof import('./route-rows') = jest.requireActual('./route-rows');
  const { integer, named, object, text }: typeof import('./checks/rules') =
    jest.requireActual('./checks/rules');
  const checkBody = named('CreatePoemRequest', object({ topic: text, lines: integer(1, 14) }));
  const poems = route('POST', '/poems', 'poems' as 'models', 'poems.create', 'Write a poem', { checkBody });
  return { ROUTE_ROWS: [...families.ROUTE_ROWS, poems] };
});

const POETS = providerOfRow(row('poets', 'Poets', 'https://api.poets.example/v1', 'poems'));

describe('a route family added by one row, one file and one line', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start({}, null, undefined, registryOf([...PROVIDERS.values(), POETS]));
    stub = await StubProvider.start();
    gateway.addProvider('poets', 'poets', stub.origin);
    gateway.addConfig('cached', { provider: '@poets', cache: { mode: 'simple' } });
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const post = (body: object, headers: Record<string, string> = { 'x-gw-provider': '@poets' }) =>
    fetch(`${gateway.baseUrl}/poems`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('has its bodies checked, with errors that name the field and the rule', async () => {
    const response = await post({ topic: 'sea', lines: 15 });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'validation_failed',
        param: 'lines',
        message: 'lines must be a whole number from 1 to 14; it is 15.',
      },
    });
  });

  it('has the same bounds in the OpenAPI document', () => {
    expect(openApiDocument.paths).toMatchObject({
      '/poems': { post: { operationId: 'poems.create', tags: ['poems'], summary: 'Write a poem' } },
    });
    expect(openApiDocument.components.schemas).toMatchObject({
      CreatePoemRequest: { properties: { lines: { minimum: 1, maximum: 14 } } },
    });
  });

  it('reaches its provider at its own path, and is cached if a config enables it', async () => {
    stub.respondJson({ text: 'waves' });
    const cached = { 'x-gw-config': 'cached' };
    for (const status of ['MISS', 'HIT']) {
      const response = await post({ topic: 'sea' }, cached);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-gw-cache-status')).toBe(status);
      await response.text();
    }
    expect(stub.requests.map(({ url }) => url)).toEqual(['/v1/poems']);
  });

  it('has a name for guardrails and policies, also on passthrough', () => {
    expect(REQUEST_TYPES).toContain('writePoem');
    expect(endpointTypesOf(routeOf('POST', '/poems'))).toEqual(['writePoem']);
    expect(endpointTypesOf(routeOf('POST', '/v2/poems'))).toEqual(['proxy', 'writePoem']);
  });
});
