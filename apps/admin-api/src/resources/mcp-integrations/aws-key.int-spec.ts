import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAwsSigned, startMcpFixture, type McpFixture } from '@gw/testing';
import { TestAdminApi } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

const PATH = '/v1/mcp-integrations';
const ID = 'AKIDSTUB00000000SELF';
const SECRET = 'stub+own/secret0123456789';
const KEY = {
  ...{ access_key_id: ID, region: 'eu-central-1', service: 'bedrock-agentcore' },
  secret_access_key: SECRET,
};

describe('MCP integrations with an AWS key', () => {
  const api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const ours = api.sharedTenant();
  const by = { key: ours.adminKey };
  let fixture: McpFixture;
  let signedOnly: Server;
  let url: string;

  /** Passes signed requests on to the fixture, and returns 403 to others. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '', headers } = request;
    const received = { method, url: path, headers, body } as never;
    if (!isAwsSigned(received, KEY.service, { [ID]: { secret: SECRET } })) {
      response.writeHead(403).end();
      return;
    }
    const { authorization: _signature, host: _host, ...rest } = headers;
    const forwarded = await fetch(fixture.url, {
      ...{ method, headers: rest as Record<string, string> },
      ...(method === 'POST' && { body }),
    });
    const type = forwarded.headers.get('content-type') ?? 'application/json';
    response.writeHead(forwarded.status, { 'content-type': type }).end(await forwarded.text());
  }

  beforeAll(async () => {
    fixture = await startMcpFixture();
    signedOnly = createServer((request, response) => void serve(request, response));
    await new Promise<void>((resolve) => signedOnly.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${String((signedOnly.address() as AddressInfo).port)}/mcp`;
  });
  afterAll(async () => {
    signedOnly.closeAllConnections();
    await new Promise((resolve) => signedOnly.close(resolve));
    await fixture.close();
  });

  async function create(key: object = KEY): Promise<string> {
    const response = await api.post<{ id: string }>(PATH, {
      ...by,
      body: {
        ...{ name: 'Signed', url, auth_type: 'aws_sigv4', transport: 'http' },
        configurations: { aws_sigv4: key },
      },
    });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body.id;
  }
  const sync = (id: string) => api.post<Failure>(`${PATH}/${id}/sync`, { ...by, body: {} });

  it('sign the requests of a sync, which fails with a wrong secret', async () => {
    expect((await sync(await create())).status).toBe(200);
    const wrong = await sync(await create({ ...KEY, secret_access_key: 'another-secret-of-a-key' }));
    expect(wrong.status).not.toBe(200);
  });

  it('mask the secret, accept the mask in an update, and require the secret for another URL', async () => {
    const id = await create();
    const shown = await api.get(`${PATH}/${id}`, by);
    expect(shown.text).not.toContain(SECRET);
    expect(JSON.parse(shown.text)).toMatchObject({
      configurations: { aws_sigv4: { ...KEY, secret_access_key: '*****' } },
    });
    const put = (body: object) => api.put<Failure>(`${PATH}/${id}`, { ...by, body });
    const configurations = { aws_sigv4: { ...KEY, region: 'us-east-1', secret_access_key: '*****' } };
    expect((await put({ configurations })).status).toBe(200);
    const moved = await put({ url: 'https://other.example.com/mcp' });
    expect([moved.status, moved.body.error.details?.map(({ path }) => path)]).toEqual([
      400,
      ['configurations.aws_sigv4.secret_access_key', 'url'],
    ]);
  });
});
