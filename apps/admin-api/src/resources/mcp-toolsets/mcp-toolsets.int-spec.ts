import { documentKey } from '@gw/contracts';
import {
  ApiKeyEntity,
  AuditLogEntity,
  ChangeEventEntity,
  McpServerEntity,
  McpServerUserEntity,
  McpToolsetEntity,
  type McpIntegrationEntity,
} from '@gw/entities';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { insertCapability, insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';

const SCHEMA = {
  type: 'object',
  properties: { repo: { type: 'string' }, text: { type: 'string' }, debug: { type: 'boolean' } },
  required: ['repo', 'text'],
};

const api = new TestAdminApi({ PUBLIC_URL: 'https://gateway.example.com', OAUTH_ENABLED: 'off' });
let tenant: Tenant;
/** Id of the key `tenant.key`. */
let keyId: string;
let integration: McpIntegrationEntity;
let github: McpServerEntity;
let jira: McpServerEntity;

async function server(slug: string, tools: readonly string[]): Promise<McpServerEntity> {
  const { manager } = api.dataSource;
  integration = await insertMcpIntegration(manager, tenant);
  for (const [position, name] of tools.entries())
    await insertCapability(manager, integration.id, name, {
      position,
      ...{ definition: { name, inputSchema: SCHEMA }, approved: { name, inputSchema: SCHEMA } },
    });
  return insertMcpServer(manager, tenant, integration.id, { slug });
}

beforeEach(async () => {
  tenant = await api.tenant();
  const { workspaceId } = tenant;
  keyId = (await api.dataSource.manager.findOneByOrFail(ApiKeyEntity, { workspaceId })).id;
  github = await server('github', ['search', 'create']);
  jira = await server('jira', ['search']);
});

interface Made {
  readonly id: string;
  readonly slug: string;
}

const create = (members: readonly object[], more: object = {}, key = tenant.key) =>
  api.post<Made & Failure>('/v1/mcp-toolsets', { key, body: { name: 'Desk', members, ...more } });

const made = async (members: readonly object[], more: object = {}): Promise<Made> => {
  const response = await create(members, more);
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body;
};

/** Returns status and type of a failure, with the paths of its details. */
const faultOf = ({ status, body }: GatewayResponse<Partial<Failure>>): unknown => [
  ...[status, body.error?.type],
  (body.error as { readonly details?: { path: string }[] } | undefined)?.details?.map(({ path }) => path),
];
const refused = (...paths: string[]): unknown => [400, 'validation_failed', paths];

describe('MCP toolsets', () => {
  it('are created, shown with their address, changed and deleted, with audit records', async () => {
    const member = {
      ...{ server: github.id, prefix: 'code', include: ['s*', 'create'], exclude: ['sea'] },
      aliases: { search: 'find' },
      overrides: { create: { title: 'File a bug', fixed_arguments: { repo: 'acme/app' } } },
    };
    const { id, slug } = await made([member, { server: 'jira' }], {
      instructions: 'Be brief.',
      mode: 'search',
    });
    expect(slug).toMatch(/^desk-[0-9a-f]{6}$/);
    const { key, adminKey, workspaceId } = tenant;
    const workspaceSlug = `ws-${workspaceId.slice(-12)}`;
    const shown = await api.get<{ members: object[] }>(`/v1/mcp-toolsets/${slug}`, { key });
    const plain = { prefix: null, include: [], exclude: [], aliases: {}, overrides: {} };
    expect(shown.body).toMatchObject({
      ...{ id, slug, name: 'Desk', description: null, instructions: 'Be brief.', mode: 'search' },
      ...{ failure: 'partial', workspace_id: workspaceId, workspace_slug: workspaceSlug },
      members: [
        { ...member, server: 'github' },
        { ...plain, server: 'jira' },
      ],
      url: `https://gateway.example.com/${workspaceSlug}/${slug}/mcp`,
    });
    const body = { members: shown.body.members.slice(1), mode: 'list', failure: 'strict', name: 'Renamed' };
    expect((await api.put(`/v1/mcp-toolsets/${id}`, { key, body })).body).toEqual({});
    const again = await api.get(`/v1/mcp-toolsets/${id}`, { key: adminKey });
    expect(again.body).toMatchObject({ name: 'Renamed', failure: 'strict', members: [{ server: 'jira' }] });
    expect(again.headers['etag']).not.toBe(shown.headers['etag']);
    const listed = await api.get<{ data: Made[]; total: number }>('/v1/mcp-toolsets?search=renam', { key });
    expect([listed.body.total, listed.body.data[0]?.id]).toEqual([1, id]);
    expect((await api.delete(`/v1/mcp-toolsets/${id}`, { key })).body).toEqual({});
    expect((await api.get(`/v1/mcp-toolsets/${id}`, { key })).status).toBe(404);
    const audited = await api.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    expect(audited.map(({ action, resourceType }) => [action, resourceType]).sort()).toEqual([
      ['create', 'mcp_toolsets'],
      ['delete', 'mcp_toolsets'],
      ['update', 'mcp_toolsets'],
    ]);
  });

  it('share the slugs of their workspace with its servers', async () => {
    const { key } = tenant;
    expect((await create([], { slug: 'github' })).status).toBe(409);
    await made([], { slug: 'desk' });
    expect((await create([], { slug: 'desk' })).status).toBe(409);
    const taken = await api.post('/v1/mcp-servers', {
      key,
      body: { name: 'x', slug: 'desk', mcp_integration_id: integration.slug },
    });
    expect(taken.status).toBe(409);
    for (const slug of ['all', 'mcp', 'SSE', 'messages'])
      expect((await create([], { slug })).status).toBe(400);
    const races = await Promise.all([
      create([], { slug: 'race' }),
      api.post('/v1/mcp-servers', {
        key,
        body: { name: 'x', slug: 'race', mcp_integration_id: integration.slug },
      }),
      create([], { slug: 'race' }),
    ]);
    expect(races.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('contain servers of their workspace that the caller may use, each once', async () => {
    const { manager } = api.dataSource;
    const elsewhere = await api.workspace(tenant.organisationId);
    const sibling = await insertMcpServer(
      manager,
      { organisationId: tenant.organisationId, workspaceId: elsewhere },
      integration.id,
    );
    const other = await api.tenant();
    const foreign = await insertMcpServer(manager, other, (await insertMcpIntegration(manager, other)).id);
    const closed = await insertMcpIntegration(manager, tenant, { globalWorkspaceAccess: null });
    const unusable = await insertMcpServer(manager, tenant, closed.id);
    for (const server of [sibling.id, foreign.id, sibling.slug, unusable.slug, 'unknown'])
      expect([server, faultOf(await create([{ server }]))]).toEqual([server, refused('members.0.server')]);
    expect(faultOf(await create([{ server: 'github' }, { server: github.id }]))).toEqual(
      refused('members.1.server'),
    );
    const user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'manager' });
    await manager.insert(McpServerUserEntity, { serverId: jira.id, userId: user.id, enabled: false });
    const { organisationId, workspaceId } = tenant;
    const at = { organisationId, workspaceId, userId: user.id };
    const key = await api.apiKey('workspace-user', at, ['mcp_servers.create']);
    expect(faultOf(await create([{ server: 'jira' }], {}, key))).toEqual(refused('members.0.server'));
    expect((await create([{ server: 'github' }], {}, key)).status).toBe(200);
  });

  it('may name only tools and arguments that exist and that the caller may use', async () => {
    const member = (more: object) => [{ server: 'github', ...more }];
    const cases: readonly [object, string][] = [
      [{ include: ['a*b'] }, 'include.0'],
      [{ aliases: { unknown: 'x' } }, 'aliases.unknown'],
      [{ aliases: { search: 'a b' } }, 'aliases.search'],
      [{ overrides: { unknown: {} } }, 'overrides.unknown'],
      [{ overrides: { search: { titel: 'x' } } }, 'overrides.search.titel'],
      [{ overrides: { search: { title: '' } } }, 'overrides.search.title'],
      [{ overrides: { search: { hidden_arguments: ['unknown'] } } }, 'overrides.search.hidden_arguments'],
      [{ overrides: { search: { hidden_arguments: ['repo'] } } }, 'overrides.search.hidden_arguments'],
      [{ overrides: { search: { hidden_arguments: 'debug' } } }, 'overrides.search.hidden_arguments'],
      [
        { overrides: { search: { fixed_arguments: { unknown: 1 } } } },
        'overrides.search.fixed_arguments.unknown',
      ],
      [{ overrides: { search: { fixed_arguments: ['repo'] } } }, 'overrides.search.fixed_arguments'],
      [{ overrides: { search: null } }, 'overrides.search'],
      [{ overrides: { search: { title: null } } }, 'overrides.search.title'],
      [{ overrides: { search: { hidden_arguments: null } } }, 'overrides.search.hidden_arguments'],
      [{ overrides: { search: { fixed_arguments: null } } }, 'overrides.search.fixed_arguments'],
    ];
    for (const [more, path] of cases)
      expect([more, faultOf(await create(member(more)))]).toEqual([more, refused(`members.0.${path}`)]);
    const { manager } = api.dataSource;
    const rule = { subject: { type: 'key', id: keyId }, tools: ['create'], effect: 'deny', when: [] };
    await manager.update(McpServerEntity, github.id, { accessRules: [rule] });
    expect(faultOf(await create(member({ aliases: { create: 'file' } })))).toEqual(
      refused('members.0.aliases.create'),
    );
    const hidden = { hidden_arguments: ['debug', 'repo'], fixed_arguments: { repo: 'acme/app' } };
    expect((await create(member({ overrides: { search: hidden } }))).status).toBe(200);
  });

  it('have distinct names, also after a change of the mode', async () => {
    const collide = [{ server: 'github' }, { server: 'jira', aliases: { search: 'github__search' } }];
    expect(faultOf(await create(collide))).toEqual([409, 'conflict', ['members.1']]);
    expect(
      faultOf(
        await create([
          { server: 'github', prefix: '' },
          { server: 'jira', prefix: '' },
        ]),
      ),
    ).toEqual(refused('members.1.prefix'));
    expect(
      faultOf(
        await create([
          { server: 'github', prefix: 'x' },
          { server: 'jira', prefix: 'x' },
        ]),
      ),
    ).toEqual([409, 'conflict', ['members.1']]);
    const { id } = await made([{ server: 'github', aliases: { search: 'call_tool' } }]);
    const { key } = tenant;
    const searched = await api.put<Failure>(`/v1/mcp-toolsets/${id}`, { key, body: { mode: 'search' } });
    expect(faultOf(searched)).toEqual([409, 'conflict', ['members.0']]);
  });

  it('lose a server that ends, and gateways get the change', async () => {
    const { manager } = api.dataSource;
    const { id, slug } = await made([{ server: 'github' }, { server: 'jira' }]);
    const before = await api.get(`/v1/mcp-toolsets/${id}`, tenant);
    const changes = (): Promise<ChangeEventEntity[]> => manager.find(ChangeEventEntity);
    const earlier = new Set((await changes()).map(({ sequence }) => sequence));
    await api.delete(`/v1/mcp-servers/${jira.id}`, tenant);
    const after = await api.get<{ members: { server: string }[] }>(`/v1/mcp-toolsets/${id}`, tenant);
    expect(after.body.members.map(({ server }) => server)).toEqual(['github']);
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
    const { workspaceId } = tenant;
    const changed = (await changes()).filter(({ sequence }) => !earlier.has(sequence));
    expect(changed.flatMap((event) => event.changed)).toEqual(
      expect.arrayContaining([
        documentKey.mcpToolset(workspaceId, slug),
        documentKey.mcpToolset(workspaceId, id),
        documentKey.mcpCatalogue(workspaceId),
      ]),
    );
    await api.delete(`/v1/mcp-integrations/${github.integrationId}`, { key: tenant.adminKey });
    expect((await api.get<{ members: [] }>(`/v1/mcp-toolsets/${id}`, tenant)).body.members).toEqual([]);
    const audited = await manager.findBy(AuditLogEntity, { resourceId: id, action: 'update' });
    expect(audited).toHaveLength(2);
  });

  it('can be previewed when an override was stored with null', async () => {
    const { id } = await made([{ server: 'github' }]);
    const override = { hidden_arguments: null, fixed_arguments: null } as never;
    const { manager } = api.dataSource;
    const { members } = await manager.findOneByOrFail(McpToolsetEntity, { id });
    const stored = members.map((member) => ({ ...member, overrides: { create: override } }));
    await manager.update(McpToolsetEntity, id, { members: stored });
    const preview = await api.get<{ data: { name: string }[] }>(
      `/v1/mcp-toolsets/${id}/preview?api_key_id=${keyId}`,
      {
        key: tenant.key,
      },
    );
    expect(preview.status).toBe(200);
    expect(preview.body.data.map(({ name }) => name)).toContain('github__create');
  });

  it('are previewed as a user or key sees them, under the names that clients use', async () => {
    const { manager } = api.dataSource;
    const unread = await insertMcpServer(manager, tenant, (await insertMcpIntegration(manager, tenant)).id, {
      slug: 'unread',
    });
    const fixed = { description: 'Files a bug.', fixed_arguments: { repo: 'acme/app' } };
    const { id } = await made([
      { server: 'jira', aliases: { search: 'tickets' } },
      { server: 'github', overrides: { create: fixed } },
      { server: unread.slug },
    ]);
    const user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const rule = { subject: { type: 'user', id: user.id }, tools: ['search'], effect: 'deny', when: [] };
    await manager.update(McpServerEntity, github.id, { accessRules: [rule] });
    interface Preview {
      readonly data: { name: string; server: string; original_name: string; input_schema: object }[];
      readonly unavailable: string[];
    }
    const preview = async (query: string) =>
      (await api.get<Preview>(`/v1/mcp-toolsets/${id}/preview?${query}`, tenant)).body;
    const seen = await preview(`user_id=${user.id}&type=tool`);
    expect(seen.data.map(({ name, server, original_name }) => [name, server, original_name])).toEqual([
      ['tickets', 'jira', 'search'],
      ['github__create', 'github', 'create'],
    ]);
    expect(seen.data[1]).toMatchObject({
      description: 'Files a bug.',
      input_schema: { properties: { text: {}, debug: {} }, required: ['text'] },
    });
    expect(seen.data[1]?.input_schema).not.toHaveProperty('properties.repo');
    expect(seen.unavailable).toEqual(['unread']);
    const ofKey = await preview(`api_key_id=${keyId}&page=2&page_size=2`);
    expect(ofKey.data.map(({ name }) => name)).toEqual(['github__create']);
    expect((await api.get(`/v1/mcp-toolsets/${id}/preview`, tenant)).status).toBe(400);
  });
});
