import {
  McpIntegrationEntity,
  McpIntegrationWorkspaceEntity,
  McpServerEntity,
  McpServerUserEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type Call, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';

const api = new TestAdminApi({ PUBLIC_URL: 'https://gateway.example.com', OAUTH_ENABLED: 'off' });
let tenant: Tenant;
let upstream: McpIntegrationEntity;
beforeEach(async () => {
  tenant = await api.tenant();
  upstream = await insertMcpIntegration(api.dataSource.manager, tenant);
});

const OFFICIAL = 'io.modelcontextprotocol.registry/official';

interface Written {
  readonly server: { readonly name: string; readonly title: string; readonly version: string };
  readonly _meta: Readonly<Record<string, { readonly publishedAt: string }>>;
}
interface Page {
  readonly servers: Written[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

const read = <T = Page>(path = '', by: Call = { key: tenant.key }): Promise<GatewayResponse<T>> =>
  api.get<T>(`/v0.1/servers${path}`, by);
const titles = async (path = '', by?: Call): Promise<string[]> =>
  (await read(path, by)).body.servers.map(({ server }) => server.title);
const slugOf = (workspaceId: string): string => `ws-${workspaceId.slice(-12)}`;
const add = (more: Partial<McpServerEntity> = {}, workspaceId = tenant.workspaceId, integration = upstream) =>
  insertMcpServer(api.dataSource.manager, { ...tenant, workspaceId }, integration.id, more);

describe('the MCP registry', () => {
  it('lists the servers of the workspace in the form of registries, newest first [REL-02 MCP registry]', async () => {
    await add({ name: 'Old', createdAt: new Date('2026-01-01T00:00:00Z') });
    const { slug, createdAt } = await add({ name: 'Files', description: 'Reads files.' });
    const { status, body } = await read();
    expect([status, body.metadata]).toEqual([200, { count: 2 }]);
    expect(body.servers.map(({ server }) => server.title)).toEqual(['Files', 'Old']);
    const workspace = slugOf(tenant.workspaceId);
    expect(body.servers[0]).toEqual({
      server: {
        $schema: expect.stringContaining('/2025-12-11/server.schema.json'),
        name: `com.example.gateway.${workspace}/${slug}`,
        ...{ title: 'Files', description: 'Reads files.', version: '1.1.0' },
        remotes: [{ type: 'streamable-http', url: `https://gateway.example.com/${workspace}/${slug}/mcp` }],
      },
      _meta: {
        [OFFICIAL]: {
          ...{ status: 'active', isLatest: true, publishedAt: createdAt.toISOString() },
          updatedAt: expect.any(String),
        },
      },
    });
  });

  it('leaves out archived servers, those without access, and those of other tenants', async () => {
    const { manager } = api.dataSource;
    const { organisationId, workspaceId } = tenant;
    await add({ name: 'Archived', status: 'archived' });
    const archived = await insertMcpIntegration(manager, tenant, { status: 'archived' });
    await add({ name: 'Integration archived' }, workspaceId, archived);
    const granted = await insertMcpIntegration(manager, tenant, { globalWorkspaceAccess: null });
    const grant = { integrationId: granted.id, workspaceId };
    await manager.insert(McpIntegrationWorkspaceEntity, { id: uuidv7(), ...grant, enabled: true });
    await add({ name: 'Granted', createdAt: new Date(0) }, workspaceId, granted);
    const closed = await api.workspace(organisationId);
    await add({ name: 'In another workspace' }, closed);
    const other = await api.tenant();
    const foreign = await insertMcpIntegration(manager, other);
    await insertMcpServer(manager, other, foreign.id, { name: 'Of another tenant' });
    const admin = { key: tenant.adminKey };
    expect(await titles()).toEqual(['Granted']);
    expect(await titles('', admin)).toEqual(['In another workspace', 'Granted']);
    await manager.update(McpIntegrationWorkspaceEntity, grant, { enabled: false });
    await manager.update(WorkspaceEntity, closed, { status: 'archived' });
    expect(await titles()).toEqual([]);
    expect(await titles('', admin)).toEqual([]);
    expect(await titles('', { key: other.adminKey })).toEqual(['Of another tenant']);
  });

  it('shows users only the servers that user access allows', async () => {
    const { organisationId, workspaceId } = tenant;
    const [user, other] = [
      await api.user(organisationId, 'member', { [workspaceId]: 'member' }),
      await api.user(organisationId, 'member', { [workspaceId]: 'member' }),
    ];
    const server = await add({ name: 'Closed', defaultUserAccess: 'deny' });
    await api.dataSource.manager.insert(McpServerUserEntity, {
      ...{ serverId: server.id, userId: user.id, enabled: true },
    });
    const seenBy = async ({ id, email }: { id: string; email: string }): Promise<unknown> => {
      const at = { organisationId, workspaceId, userId: id };
      const token = await api.login(email);
      return [
        await titles('', { token: await api.apiKey('workspace-user', at, ['mcp_servers.list']) }),
        await titles('', { token }),
      ];
    };
    expect(await seenBy(user)).toEqual([['Closed'], ['Closed']]);
    expect(await seenBy(other)).toEqual([[], []]);
  });

  it('limits callers of the organisation to the workspace that they name', async () => {
    const elsewhere = await api.workspace(tenant.organisationId);
    await add({ name: 'Here' });
    await add({ name: 'There' }, elsewhere);
    const admin = { key: tenant.adminKey };
    for (const named of [elsewhere, elsewhere.toUpperCase(), slugOf(elsewhere)])
      expect(await titles(`?workspace_id=${named}`, admin)).toEqual(['There']);
    expect(await titles(`?workspace_id=${slugOf(tenant.workspaceId)}`)).toEqual(['Here']);
    const foreign = (await api.tenant()).workspaceId;
    for (const [named, by] of [
      [foreign, admin],
      ['none', admin],
      [elsewhere, { key: tenant.key }],
    ] as const) {
      const { status, body } = await read(`?workspace_id=${named}`, by);
      expect([status, body]).toEqual([404, { error: expect.any(String) }]);
    }
  });

  it('contains every server once over all pages, and finds servers by text and time', async () => {
    const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
    for (const day of [1, 2, 3])
      await add({ name: `Server ${String(day)}`, createdAt: at(day), lastUpdatedAt: at(day) });
    await api.dataSource.query(`UPDATE mcp_integrations SET last_updated_at = '2025-12-01'`);
    const first = (await read('?limit=2')).body;
    const { nextCursor = '' } = first.metadata;
    const rest = `?limit=2&cursor=${encodeURIComponent(nextCursor)}`;
    const second = (await read(rest)).body;
    expect([...first.servers, ...second.servers].map(({ server }) => server.title)).toEqual([
      ...['Server 3', 'Server 2', 'Server 1'],
    ]);
    expect(second.metadata).toEqual({ count: 1 });
    expect((await read(rest, { key: tenant.adminKey })).status).toBe(400);
    expect(await titles('?search=SERVER%202')).toEqual(['Server 2']);
    expect(await titles('?updated_since=2026-01-02T00:00:00Z')).toEqual(['Server 3', 'Server 2']);
  });

  it('returns the version of a server, whose number increases when the server or its integration changes', async () => {
    const { id, slug } = await add();
    const path = `/${encodeURIComponent(`com.example.gateway.${slugOf(tenant.workspaceId)}/${slug}`)}/versions`;
    expect((await read(path)).body.servers).toHaveLength(1);
    const latest = async (): Promise<string> => (await read<Written>(`${path}/latest`)).body.server.version;
    expect(await latest()).toBe('1.1.0');
    await api.put(`/v1/mcp-servers/${id}`, { key: tenant.key, body: { name: 'Renamed' } });
    expect(await latest()).toBe('1.2.0');
    await api.put(`/v1/mcp-integrations/${upstream.id}`, { key: tenant.adminKey, body: { name: 'Renamed' } });
    expect(await latest()).toBe('1.3.0');
    expect((await read<Written>(`${path}/1.3.0`)).body.server.title).toBe('Renamed');
    const other = await api.tenant();
    for (const [at, by] of [
      [`${path}/1.1.0`, undefined],
      [`/${encodeURIComponent('com.example/none')}/versions`, undefined],
      [path, { key: other.adminKey }],
    ] as const)
      expect((await read(at, by)).status).toBe(404);
  });

  it('sends refusals in the form of registries, and lets pages of any origin read it', async () => {
    const { organisationId, workspaceId } = tenant;
    const lacking = await api.apiKey('workspace-service', { organisationId, workspaceId }, ['logs.list']);
    const key = { key: tenant.key };
    const requests: [method: string, path: string, call: Call, status: number][] = [
      ['GET', '', {}, 401],
      ['GET', '', { key: 'unknown' }, 401],
      ['GET', '', { key: lacking }, 403],
      ['GET', '?limit=0', key, 400],
      ['GET', '?limit=101', key, 400],
      ['GET', '?cursor=abc', key, 400],
      ['GET', '?updated_since=yesterday', key, 400],
      ['GET', '/a%2Fb', key, 404],
      ...['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method): typeof requests => [
        [method, '/a%2Fb', { ...key, body: {} }, 501],
        [method, '', { body: '<a/>', headers: { 'content-type': 'text/xml' } }, 501],
      ]),
    ];
    for (const [method, path, call, status] of requests) {
      const response = await api.call(method, `/v0.1/servers${path}`, call);
      expect([method, path, response.status, response.body]).toEqual([
        ...[method, path, status, { error: expect.any(String) }],
      ]);
      expect(response.headers['access-control-allow-origin']).toBe('*');
    }
    expect((await read('', key)).headers['access-control-allow-origin']).toBe('*');
    const head = await api.call('HEAD', '/v0.1/servers', key);
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await api.call('HEAD', '/v0.1/servers')).status).toBe(401);
    const preflight = await api.call('OPTIONS', '/v0.1/servers');
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('x-gw-api-key');
  });

  it('lists for a restricted key only servers that it names, or of which it names a tool', async () => {
    const [files, mail] = [await add({ name: 'Files' }), await add({ name: 'Mail' })];
    await add({ name: 'Other' });
    const restricted = async (mcp: object): Promise<string[]> => {
      const { body } = await api.post<{ key: string }>('/v1/api-keys/workspace/service', {
        key: tenant.key,
        body: { name: 'restricted', scopes: ['mcp_servers.list'], mcp },
      });
      return titles('', { key: body.key });
    };
    expect(await restricted({ servers: [files.slug] })).toEqual(['Files']);
    expect(await restricted({ tools: [`${mail.slug}/send`, `${files.slug}/*`] })).toEqual(['Mail', 'Files']);
    expect(await restricted({ servers: [files.slug], tools: [`${mail.slug}/*`] })).toEqual([]);
    expect(await restricted({ read_only: true })).toHaveLength(3);
  });
});
