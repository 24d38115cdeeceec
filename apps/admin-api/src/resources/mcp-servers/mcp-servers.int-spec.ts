import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import { documentKey } from '@gw/contracts';
import {
  AuditLogEntity,
  ChangeEventEntity,
  GuardrailMcpServerEntity,
  McpConnectionEntity,
  McpIntegrationEntity,
  McpServerCapabilityEntity,
  McpServerUserEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { startMcpFixture } from '@gw/testing';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import {
  insertCapability,
  insertMcpIntegration,
  insertMcpServer,
  serverInfo,
} from '../../spec-support/mcp-servers';

const api = new TestAdminApi({
  ...{ PUBLIC_URL: 'https://gateway.example.com', OAUTH_ENABLED: 'off' },
  TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
});
let tenant: Tenant;
let upstream: McpIntegrationEntity;
beforeEach(async () => {
  tenant = await api.tenant();
  upstream = await insertMcpIntegration(api.dataSource.manager, tenant);
});

interface Made {
  readonly id: string;
  readonly slug: string;
}

const create = (more: object = {}, key = tenant.key): Promise<GatewayResponse<Made & Failure>> =>
  api.post('/v1/mcp-servers', { key, body: { name: 'Files', mcp_integration_id: upstream.slug, ...more } });

const faultOf = ({ status, body }: GatewayResponse<Partial<Failure>>): unknown => [
  status,
  body.error?.type,
  body.error?.param,
];

describe('MCP servers', () => {
  it('are created with a slug, and shown with their integration and address', async () => {
    const { manager } = api.dataSource;
    await manager.update(McpIntegrationEntity, upstream.id, {
      ...{ authType: 'oauth_client_credentials', sealedAuth: 'v1.sealed' },
      configurations: { oauth_client_credentials: { client_id: 'c' } },
      maskedAuth: { client_secret: '*****' },
    } as object);
    const made = await create({ slug: 'my-files', description: 'Reads files.' });
    const { key, workspaceId } = tenant;
    const shown = await api.get(`/v1/mcp-servers/my-files`, { key });
    const workspaceSlug = `ws-${workspaceId.slice(-12)}`;
    expect(shown.body).toMatchObject({
      ...{ id: made.body.id, slug: 'my-files', name: 'Files', description: 'Reads files.', status: 'active' },
      ...{ organisation_id: tenant.organisationId, workspace_id: workspaceId, workspace_slug: workspaceSlug },
      ...{ mcp_integration_id: upstream.id, mcp_integration_slug: upstream.slug },
      ...{ mcp_integration_url: upstream.url, auth_type: 'oauth_client_credentials' },
      url: `https://gateway.example.com/${workspaceSlug}/my-files/mcp`,
      mcp_integration_details: {
        ...{ id: upstream.id, slug: upstream.slug, status: 'active', transport: 'http' },
        configurations: { oauth_client_credentials: { client_id: 'c', client_secret: '*****' } },
      },
    });
    expect(shown.text).not.toContain('sealed');
    const generated = await create();
    expect(generated.body.slug).toMatch(/^files-[0-9a-f]{6}$/);
    const change = { key, body: { name: 'Renamed', description: null } };
    expect((await api.put(`/v1/mcp-servers/${made.body.id}`, change)).body).toEqual({});
    const byAdmin = await api.get(`/v1/mcp-servers/${made.body.id}`, { key: tenant.adminKey });
    expect(byAdmin.body).toMatchObject({ name: 'Renamed', description: null });
  });

  it('refuse slugs that are reserved or used, and integrations that the workspace may not use', async () => {
    expect((await create({ slug: 'files' })).status).toBe(200);
    expect(faultOf(await create({ slug: 'files' }))).toEqual([409, 'conflict', 'slug']);
    for (const slug of ['all', 'MCP', 'sse', 'messages', 'ab', 'a b', 'x'.repeat(51), uuidv7()])
      expect([slug, faultOf(await create({ slug }))]).toEqual([slug, [400, 'validation_failed', 'slug']]);
    const { manager } = api.dataSource;
    const closed = await insertMcpIntegration(manager, tenant, { globalWorkspaceAccess: null });
    const archived = await insertMcpIntegration(manager, tenant, { status: 'archived' });
    const elsewhere = await insertMcpIntegration(manager, tenant, {
      workspaceId: await api.workspace(tenant.organisationId),
    });
    const foreign = await insertMcpIntegration(manager, await api.tenant());
    for (const each of [closed, archived, elsewhere, foreign])
      expect(faultOf(await create({ mcp_integration_id: each.id }))).toEqual([
        ...[400, 'validation_failed', 'mcp_integration_id'],
      ]);
    // The slug can be used again once its server is archived, and in other workspaces.
    await api.delete('/v1/mcp-servers/files', { key: tenant.key });
    expect((await create({ slug: 'files' })).status).toBe(200);
    const other = await api.workspace(tenant.organisationId);
    expect((await create({ slug: 'files', workspace_id: other }, tenant.adminKey)).status).toBe(200);
  });

  it('are listed by page, id and text, newest first', async () => {
    const made: string[] = [];
    for (const name of ['Alpha', 'Beta', 'Gamma']) made.push((await create({ name })).body.id);
    const list = async (query: string, key = tenant.key): Promise<unknown> => {
      const { body } = await api.get<{ data: { name: string }[]; total: number; object?: string }>(
        ...([`/v1/mcp-servers?${query}`, { key }] as const),
      );
      expect(body).not.toHaveProperty('object');
      return [body.data.map(({ name }) => name), body.total];
    };
    expect(await list('page_size=2')).toEqual([['Gamma', 'Beta'], 3]);
    expect(await list('page_size=2&current_page=1')).toEqual([['Alpha'], 3]);
    expect(await list(`id=${made[0] ?? ''},${made[2] ?? ''}`)).toEqual([['Gamma', 'Alpha'], 2]);
    expect(await list('search=bet')).toEqual([['Beta'], 1]);
    expect(await list('', tenant.adminKey)).toEqual([['Gamma', 'Beta', 'Alpha'], 3]);
    const other = await api.workspace(tenant.organisationId);
    expect(await list(`workspace_id=${other}`, tenant.adminKey)).toEqual([[], 0]);
    expect((await api.get('/v1/mcp-servers?page_size=101', tenant)).status).toBe(400);
  });

  it('are tested with the credential of their integration, while the workspace may use it', async () => {
    const fixture = await startMcpFixture();
    try {
      const { manager } = api.dataSource;
      const reachable = await insertMcpIntegration(manager, tenant, { url: fixture.url.href });
      const server = await insertMcpServer(manager, tenant, reachable.id);
      const test = async (key: string): Promise<unknown> => {
        const { status, body } = await api.post(`/v1/mcp-servers/${server.id}/test`, { key });
        return status === 200 ? body : status;
      };
      expect(await test(tenant.key)).toEqual({
        ...{ success: true, status_code: 200, response_time_ms: expect.any(Number), error: null },
        ...{ url: fixture.url.href, server_name: 'tollgate-fixture' },
      });
      expect(await test((await api.tenant()).adminKey)).toBe(404);
      const { organisationId, workspaceId } = tenant;
      const at = { organisationId, workspaceId };
      expect(await test(await api.apiKey('workspace-service', at, ['mcp_servers.read']))).toBe(403);
      const seen = fixture.requests.length;
      await manager.update(McpIntegrationEntity, reachable.id, { globalWorkspaceAccess: null });
      expect(await test(tenant.key)).toMatchObject({
        ...{ success: false, status_code: null, url: null, error: expect.stringContaining('may not use') },
      });
      expect(fixture.requests).toHaveLength(seen);
    } finally {
      await fixture.close();
    }
  });

  it('are deleted with their connections, exceptions, switches and mappings', async () => {
    const { manager } = api.dataSource;
    const { organisationId, workspaceId } = tenant;
    const server = await insertMcpServer(manager, tenant, upstream.id);
    const user = await api.user(organisationId, 'member', { [workspaceId]: 'member' });
    const tool = await insertCapability(manager, upstream.id, 'read');
    const at = { serverId: server.id, userId: user.id };
    await manager.insert(McpServerUserEntity, { ...at, enabled: true });
    await manager.insert(McpConnectionEntity, { ...at, id: uuidv7(), organisationId, status: 'connected' });
    await manager.insert(McpServerCapabilityEntity, {
      ...{ serverId: server.id, capabilityId: tool.id, enabled: false },
    });
    const checks = [{ id: 'default.contains', parameters: { words: ['a'] } }];
    const body = { name: 'Tools', checks, target: 'mcp_tools' };
    const { slug } = (await api.post<Made>('/v1/guardrails', { key: tenant.key, body })).body;
    const map = { key: tenant.key, body: { mcp_servers: { [server.id]: {} } } };
    await api.put(`/v1/guardrails/${slug}/mcp-servers`, map);
    expect((await api.delete(`/v1/mcp-servers/${server.id}`, { key: tenant.key })).body).toEqual({});
    const serverId = server.id;
    expect([
      await manager.countBy(McpServerUserEntity, { serverId }),
      await manager.countBy(McpConnectionEntity, { serverId }),
      await manager.countBy(McpServerCapabilityEntity, { serverId }),
      await manager.countBy(GuardrailMcpServerEntity, { serverId }),
    ]).toEqual([0, 0, 0, 0]);
    expect((await api.get(`/v1/mcp-servers/${server.id}`, tenant)).status).toBe(404);
    const [event] = await manager.find(ChangeEventEntity, { order: { sequence: 'DESC' }, take: 1 });
    expect(event?.removed).toEqual([
      documentKey.mcpConnection(server.id, user.id),
      ...[server.slug, server.id].map((name) => documentKey.mcpServer(workspaceId, name)),
    ]);
  });

  it('publish their document with every write, which is in the audit log', async () => {
    const { manager } = api.dataSource;
    const server = await insertMcpServer(manager, tenant, upstream.id);
    await insertCapability(manager, upstream.id, 'read');
    const user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const keys = [server.slug, server.id].map((name) => documentKey.mcpServer(tenant.workspaceId, name));
    const rule = { subject: { type: 'user', id: user.id }, tools: ['*'], effect: 'deny' };
    for (const [path, body] of [
      ['', { name: 'Other' }],
      ['/capabilities', { capabilities: [{ type: 'tool', name: 'read', enabled: false }] }],
      ['/user-access', { user_access: [{ user_id: user.id, enabled: false }] }],
      ['/access-rules', { rules: [rule], default: 'deny' }],
    ] as const) {
      const url = `/v1/mcp-servers/${server.id}`;
      const before = (await api.get<{ etag: string }>(url, tenant)).body.etag;
      expect([path, (await api.put(url + path, { key: tenant.key, body })).status]).toEqual([path, 200]);
      const [event] = await manager.find(ChangeEventEntity, { order: { sequence: 'DESC' }, take: 1 });
      expect([path, event?.changed]).toEqual([path, keys]);
      expect([path, (await api.get<{ etag: string }>(url, tenant)).body.etag]).not.toEqual([path, before]);
    }
    const rows = await manager.findBy(AuditLogEntity, { resourceType: 'mcp_servers', action: 'update' });
    expect(rows.filter(({ resourceId }) => resourceId === server.id)).toHaveLength(4);
  });

  it('can be changed by managers while managersWriteMcpServers is on, and never by members', async () => {
    const { organisationId, workspaceId } = tenant;
    const server = await insertMcpServer(api.dataSource.manager, tenant, upstream.id);
    const change = async (role: 'manager' | 'member'): Promise<unknown> => {
      const { email } = await api.user(organisationId, 'member', { [workspaceId]: role });
      const token = await api.login(email);
      const url = `/v1/mcp-servers/${server.id}?workspace_id=${workspaceId}`;
      const { status, body } = await api.put<Partial<Failure>>(url, { token, body: { name: 'x' } });
      return [status, body.error?.type];
    };
    expect(await change('manager')).toEqual([200, undefined]);
    expect(await change('member')).toEqual([403, 'scope_missing']);
    const security_settings = { ...DEFAULT_SECURITY, managersWriteMcpServers: false };
    const saved = await api.put('/v1/admin/organisation/settings', {
      ...{ key: tenant.adminKey, body: { security_settings } },
    });
    expect(saved.status).toBe(200);
    expect(await change('manager')).toEqual([403, 'forbidden']);
  });
});

describe('metadata of an MCP server', () => {
  it('is null before the first sync, and then has the unchanged texts of the server [CTL-16]', async () => {
    const { manager } = api.dataSource;
    const server = await insertMcpServer(manager, tenant, upstream.id);
    const read = async (): Promise<object> =>
      (await api.get(`/v1/mcp-servers/${server.id}/metadata`, tenant)).body;
    expect(await read()).toEqual({
      ...{ server_name: null, server_version: null, protocol_version: null, capability_flags: null },
      ...{ sync_status: 'pending', last_synced_at: null, sync_error: null, title: null },
      ...{ description: null, icons: null, website_url: null, instructions: null },
    });
    const markup = '<script>alert(1)</script> [link](javascript:x)';
    const lastSyncedAt = new Date('2026-01-02T03:04:05.678Z');
    const info = serverInfo({ title: markup, instructions: markup, icons: [{ src: 'https://a.example/i' }] });
    await manager.update(McpIntegrationEntity, upstream.id, {
      ...{ serverInfo: info, syncStatus: 'synced', lastSyncedAt },
    } as object);
    const shown = await api.get(`/v1/mcp-servers/${server.id}/metadata`, tenant);
    expect(shown.headers['content-type']).toMatch(/^application\/json/);
    expect(shown.body).toEqual({
      ...{ server_name: 'files', server_version: '1.2.3', protocol_version: '2025-11-25' },
      capability_flags: { tools: { listChanged: true } },
      ...{ sync_status: 'synced', last_synced_at: lastSyncedAt.toISOString(), sync_error: null },
      ...{ title: markup, description: 'Reads files.', icons: [{ src: 'https://a.example/i' }] },
      ...{ website_url: 'https://files.example.com', instructions: markup },
    });
    await manager.update(McpIntegrationEntity, upstream.id, { syncStatus: 'failed', syncError: 'refused' });
    expect(await read()).toMatchObject({
      sync_status: 'failed',
      sync_error: 'refused',
      server_name: 'files',
    });
  });
});
