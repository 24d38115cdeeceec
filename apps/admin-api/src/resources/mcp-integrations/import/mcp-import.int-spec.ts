import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpIntegrationEntity } from '@gw/entities';
import { TestAdminApi, type GatewayResponse } from '../../../spec-support/admin-api';

const PATH = '/v1/mcp-integrations';

interface Imported {
  readonly id: string | null;
  readonly slug: string | null;
  readonly name: string;
  readonly remotes: readonly object[];
  readonly packages: readonly object[];
  readonly error?: { readonly type: string; readonly param?: string; readonly message: string };
}

const NAME = 'com.example/weather';
const WEATHER = {
  ...{ name: NAME, title: 'Weather', description: 'Forecasts.', version: '1.2.0' },
  remotes: [
    {
      ...{ type: 'streamable-http', url: 'https://{tenant}.example.com/mcp' },
      variables: { tenant: { description: 'Your tenant.', isRequired: true } },
      headers: [
        { name: 'Authorization', value: 'Bearer {token}', isSecret: true, isRequired: true },
        { name: 'X-Api-Version', value: '3' },
      ],
    },
    { type: 'sse', url: 'https://mcp.example.com/sse' },
  ],
};
const VALUES = { variables: { tenant: 'acme' }, headers: { Authorization: 'Bearer secret-token' } };

describe('imports of MCP servers', () => {
  const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const ours = admin.sharedTenant();
  const call = { key: ours.adminKey };
  let registry: Server;
  let registryUrl: string;
  let requested: string[];
  let respond: (response: ServerResponse) => void;
  beforeAll(async () => {
    registry = createServer((request, response) => {
      requested.push(request.url ?? '');
      respond(response);
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    registryUrl = `http://127.0.0.1:${String((registry.address() as AddressInfo).port)}`;
  });
  beforeEach(() => {
    requested = [];
    respond = (response) => response.end(JSON.stringify({ server: WEATHER }));
  });
  afterAll(() => new Promise((resolve) => registry.close(resolve)));

  const run = (body: object): Promise<GatewayResponse<Imported>> =>
    admin.post<Imported>(`${PATH}/import`, { ...call, body });
  const countOf = (): Promise<number> =>
    admin.dataSource.manager.countBy(McpIntegrationEntity, { name: 'Weather' });

  it('show what a server offers and requires, and save nothing', async () => {
    const before = await countOf();
    const { status, body } = await run({ server_json: WEATHER });
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ id: null, slug: null, name: NAME, title: 'Weather', version: '1.2.0', packages: [] },
        remotes: [
          {
            ...{ transport: 'http', url: 'https://{tenant}.example.com/mcp' },
            variables: [{ name: 'tenant', is_required: true, is_secret: false }],
            headers: [
              { name: 'Authorization', is_secret: true, value: null, template: 'Bearer {token}' },
              { name: 'X-Api-Version', value: '3' },
            ],
          },
          { transport: 'sse', url: 'https://mcp.example.com/sse', variables: [], headers: [] },
        ],
      },
    ]);
    expect(await countOf()).toBe(before);
  });

  it('create an integration with the requested values, whose secrets are sealed', async () => {
    const { body } = await run({ server_json: WEATHER, commit: true, slug: 'weather', ...VALUES });
    expect(body).toMatchObject({ id: expect.any(String), slug: 'weather' });
    const response = await admin.get(`${PATH}/weather`, call);
    expect(response.body).toMatchObject({
      ...{ name: 'Weather', description: 'Forecasts.', kind: 'server', url: 'https://acme.example.com/mcp' },
      ...{ transport: 'http', auth_type: 'headers' },
      configurations: { headers: { authorization: '*****', 'x-api-version': '*****' } },
    });
    expect(response.text).not.toContain('secret-token');
    const row = await admin.dataSource.manager.findOneByOrFail(McpIntegrationEntity, { id: body.id ?? '' });
    expect(JSON.stringify(row)).not.toContain('secret-token');
    const { body: other } = await run({
      server_json: WEATHER,
      commit: true,
      remote: 1,
      auth_type: 'oauth_auto',
    });
    expect((await admin.get(`${PATH}/${other.id ?? ''}`, call)).body).toMatchObject({
      ...{ transport: 'sse', auth_type: 'oauth_auto', url: 'https://mcp.example.com/sse' },
    });
  });

  it.each([
    ['a missing variable', { headers: VALUES.headers }, 'variables', 'tenant'],
    [
      'a variable that leaves its label',
      { ...VALUES, variables: { tenant: 'evil.example/' } },
      'variables',
      'letters',
    ],
    ['a missing header', { variables: VALUES.variables }, 'headers', 'Authorization'],
    ['another header', { ...VALUES, headers: { ...VALUES.headers, 'X-Other': '1' } }, 'headers', 'x-other'],
    [
      'a line break in a header',
      { ...VALUES, headers: { Authorization: 'a\r\nX: 1' } },
      'configurations.headers.authorization',
      '',
    ],
    ['a remote that is not there', { ...VALUES, remote: 2 }, 'remote', 'less than 2'],
  ])('refuse %s', async (_what, values, param, message) => {
    const { status, body } = await run({ server_json: WEATHER, commit: true, ...values });
    expect([status, body.error?.param]).toEqual([400, param]);
    expect(body.error?.message).toContain(message);
  });

  const remote = (more: object): object => ({
    type: 'streamable-http',
    url: 'https://mcp.example.com/mcp',
    ...more,
  });
  it.each([
    ['a private address', { ...WEATHER, remotes: [remote({ url: 'http://10.0.0.5/mcp' })] }],
    ['another scheme', { ...WEATHER, remotes: [remote({ url: 'file:///etc/passwd' })] }],
    ['no name', { ...WEATHER, name: undefined }],
    ['a command', { ...WEATHER, command: 'sh', args: ['-c', 'id'] }],
    ['an unknown type of remote', { ...WEATHER, remotes: [remote({ type: 'stdio' })] }],
  ])('refuse a document with %s', async (_what, document) => {
    const { status, body } = await run({ server_json: document });
    expect([status, body.error?.param]).toEqual([400, 'server_json']);
  });

  it('refuse connection headers, even when the document contains their values', async () => {
    for (const name of ['Host', 'Transfer-Encoding', 'x-gw-api-key']) {
      const server = { ...WEATHER, remotes: [remote({ headers: [{ name, value: 'x' }] })] };
      const { status, body } = await run({ server_json: server, commit: true });
      expect([status, body.error?.param]).toEqual([400, `configurations.headers.${name.toLowerCase()}`]);
    }
  });

  it('show packages with the reason why they are not run, and create nothing from them', async () => {
    const server = {
      ...WEATHER,
      remotes: [],
      packages: [{ registryType: 'npm', identifier: 'weather-mcp' }],
    };
    expect((await run({ server_json: server })).body).toMatchObject({
      packages: [
        { registry_type: 'npm', identifier: 'weather-mcp', reason: expect.stringContaining('bridge') },
      ],
    });
    const { status, body } = await run({ server_json: server, commit: true });
    expect([status, body.error?.type]).toEqual([400, 'mcp_transport_unsupported']);
  });

  it('read the server from a registry by its name and version, without a credential', async () => {
    for (const url of [registryUrl, `${registryUrl}/`, `${registryUrl}/v0.1/servers`])
      expect((await run({ registry_url: url, name: NAME })).body).toMatchObject({ name: NAME });
    await run({ registry_url: `${registryUrl}/sub`, name: NAME, version: '1.2.0' });
    expect(requested).toEqual([
      ...Array<string>(3).fill('/v0.1/servers/com.example%2Fweather/versions/latest'),
      '/sub/v0.1/servers/com.example%2Fweather/versions/1.2.0',
    ]);
  });

  it.each([
    ['no such server', (r: ServerResponse) => r.writeHead(404).end(), 'name', 'is not in the registry'],
    ['an error', (r: ServerResponse) => r.writeHead(500).end(), 'registry_url', 'status 500'],
    ['no JSON', (r: ServerResponse) => r.end('<html>'), 'registry_url', 'JSON'],
    [
      'another server',
      (r: ServerResponse) => r.end(JSON.stringify({ server: { ...WEATHER, name: 'a/b' } })),
      'registry_url',
      'check that',
    ],
    [
      'a text that cannot be stored',
      (r: ServerResponse) => r.end(JSON.stringify({ server: { ...WEATHER, title: 'a\u0000' } })),
      'registry_url',
      'check that',
    ],
    [
      'a redirect to a private address',
      (r: ServerResponse) => r.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      'registry_url',
      'refused',
    ],
    ['2 MB', (r: ServerResponse) => r.end(Buffer.alloc(2_000_000, ' ')), 'registry_url', 'larger'],
  ])('refuse a registry that responds with %s', async (_what, answer, param, message) => {
    respond = answer;
    const { status, body } = await run({ registry_url: registryUrl, name: NAME });
    expect([status, body.error?.param]).toEqual([400, param]);
    expect(body.error?.message).toContain(message);
  });

  it('refuse a private registry, and members that exclude each other', async () => {
    const { body } = await run({ registry_url: 'http://192.168.0.1', name: NAME });
    expect(body.error).toMatchObject({ type: 'custom_host_refused', param: 'registry_url' });
    for (const input of [{}, { registry_url: registryUrl }, { server_json: WEATHER, name: NAME }])
      expect((await run(input)).status).toBe(400);
    expect(requested).toEqual([]);
  });
});
