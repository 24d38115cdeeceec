import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, modernRequest, startRestService, type RestService } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { saveServer } from '../spec-support/mcp-server';
import { openApiServer, withHeaders } from '../spec-support/openapi-server';

const INFO = { name: 'spec-client', version: '1.0.0' };

describe('tools of an OpenAPI document', () => {
  let gateway: GatewayHarness;
  let service: RestService;
  let client: Client;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    service = await startRestService();
    const server = openApiServer(service, 'pets', {
      prices: { default: 0, tools: { addPet: 1_000_000, getPet: 500 } },
    });
    saveServer(gateway, withHeaders(gateway, server, { authorization: 'Bearer of-the-service' }));
    client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(url(), { requestInit: requestInit() }));
    await client.listTools();
  });
  afterAll(async () => {
    await client.close();
    await service.close();
    await gateway.stop();
  });
  const url = () => new URL(`http://127.0.0.1:${String(gateway.port)}/main/pets/mcp`);
  const requestInit = () => ({ headers: { 'x-gw-api-key': gateway.apiKey } });
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args });

  it('are listed without the requests that they make', async () => {
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'removePet')).toMatchObject({
      ...{ description: 'Removes a pet.', annotations: { destructiveHint: true, idempotentHint: true } },
      inputSchema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    });
    expect(JSON.stringify(tools)).not.toContain('gw/operation');
  });

  it('send numbers in JSON as the client wrote them', async () => {
    const big = '12345678901234567890';
    const request = modernRequest(gateway.apiKey, 'tools/call', {
      name: 'addPet',
      ...{ arguments: { name: 0.5 } },
    });
    const response = await fetch(url(), { ...request, body: request.body.replace('0.5', `[ ${big} ]`) });
    expect(response.status).toBe(200);
    expect(service.requests.at(-1)?.body).toBe(`{"name":[ ${big} ]}`);
  });

  it('become requests with path, query, header and body, and with the credential of the integration', async () => {
    await call('listPets', { tag: 'a&b', limit: 3 });
    await call('getPet', { id: 'a/b c' });
    await call('addPet', { name: 'Rex', other: 1 });
    await call('echo', { 'X-Request-Tag': 'blue' });
    const [list, get, add, echo] = service.requests.slice(-4);
    expect(list).toMatchObject({ method: 'GET', target: '/v1/pets?tag=a%26b&limit=3', body: '' });
    expect(get).toMatchObject({ method: 'GET', target: '/v1/pets/a%2Fb%20c' });
    expect(add).toMatchObject({ method: 'POST', target: '/v1/pets', body: '{"name":"Rex"}' });
    expect(add?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(echo?.headers).toMatchObject({ 'x-request-tag': 'blue', authorization: 'Bearer of-the-service' });
    expect(JSON.stringify(service.requests)).not.toContain(gateway.apiKey);
  });

  it('return JSON as text and structured content, with exact numbers', async () => {
    expect(await call('getPet', { id: '1' })).toMatchObject({
      content: [{ type: 'text', text: '{"id":"1","name":"Rex"}' }],
      structuredContent: { id: '1', name: 'Rex' },
    });
    expect(await call('big')).toMatchObject({ content: [{ text: '{"id":12345678901234567890}' }] });
    const list = await call('listPets');
    expect(list).toMatchObject({ content: [{ text: '[{"id":"1","name":"Rex"}]' }] });
    expect(list).not.toHaveProperty('structuredContent');
  });

  it('return other content unchanged, and an empty object where the schema promises one', async () => {
    expect(await call('text')).toMatchObject({ content: [{ type: 'text', text: 'a text' }] });
    expect(await call('photo')).toMatchObject({
      content: [
        { type: 'resource', resource: { uri: 'openapi:/photo', mimeType: 'image/png', blob: 'iVBORw==' } },
      ],
    });
    expect(await call('removePet', { id: '1' })).toMatchObject({ structuredContent: {} });
    expect(await call('compressed')).toMatchObject({ structuredContent: { a: 1 } });
  });

  it('report what the service refused', async () => {
    expect(await call('denied')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('status 401') }],
    });
    expect(await call('busy')).toMatchObject({
      isError: true,
      content: [{ text: 'The API answered with status 429. Retry after 7 s.\nslow down' }],
    });
    expect(await call('getPet')).toMatchObject({
      isError: true,
      content: [{ text: 'The argument id is required.' }],
    });
  });

  it('serve clients of SDK 2 that discover the era, with structured lists', async () => {
    const modern = new ModernClient(INFO, { versionNegotiation: { mode: 'auto' } });
    await modern.connect(new ModernTransport(url(), { requestInit: requestInit() }));
    expect((await modern.listTools()).tools.map(({ name }) => name)).toContain('listPets');
    expect(await modern.callTool({ name: 'listPets', arguments: {} })).toMatchObject({
      structuredContent: [{ id: '1', name: 'Rex' }],
    });
    await modern.close();
  });

  it('end when the call of the client ends', async () => {
    const abort = new AbortController();
    const calling = client.callTool({ name: 'slow', arguments: {} }, undefined, { signal: abort.signal });
    await eventually(() => service.open() === 1);
    abort.abort();
    await expect(calling).rejects.toThrow();
    await eventually(() => service.open() === 0);
  });

  it('cost nothing without a request, and are logged with the status of the service', async () => {
    await gateway.takeRecords();
    for (const [name, args] of [
      ['getPet', {}],
      ['denied', {}],
      ['addPet', { name: 'Tom' }],
    ] as const)
      await call(name, args);
    await eventually(async () => (await gateway.records()).length === 3);
    const seen = (await gateway.records()).map(({ cost, decision }) => ({
      cost,
      statuses: decision.attempts.map(({ status }) => status),
      isError: decision.mcp?.isError,
    }));
    expect(seen).toEqual([
      { cost: null, statuses: [], isError: true },
      { cost: null, statuses: [401], isError: true },
      { cost: 1_000_000, statuses: [201], isError: false },
    ]);
  });

  it('are logged and charged as tools of servers', async () => {
    const records = await gateway.records();
    const [add] = records.filter(({ spanName }) => spanName === 'tools/call addPet');
    expect(add).toMatchObject({
      ...{ route: 'mcp.tools.call', outcome: 'ok' },
      decision: { mcp: { server: 'pets', name: 'addPet' } },
    });
    expect(JSON.stringify(add)).toContain('1000000');
  });
});
