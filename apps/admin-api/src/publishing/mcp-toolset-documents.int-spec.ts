import {
  documentKey,
  INTERNAL,
  MCP_CATALOGUE_MAX,
  type DocumentsResponse,
  type McpCatalogueDocument,
} from '@gw/contracts';
import { McpServerEntity, McpToolsetEntity, OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { SERVICE_TOKEN, TestAdminApi, type Tenant } from '../spec-support/admin-api';
import { insertMcpIntegration, insertMcpServer } from '../spec-support/mcp-servers';

const api = new TestAdminApi();
let tenant: Tenant;
let servers: [McpServerEntity, McpServerEntity];
beforeEach(async () => {
  tenant = await api.tenant();
  const { manager } = api.dataSource;
  const integration = await insertMcpIntegration(manager, tenant);
  servers = [
    await insertMcpServer(manager, tenant, integration.id, { createdAt: new Date(0) }),
    await insertMcpServer(manager, tenant, integration.id),
  ];
});

async function documentsOf(...keys: string[]): Promise<unknown[]> {
  const call = { token: SERVICE_TOKEN, body: { keys } };
  const { documents } = (await api.post<DocumentsResponse>(INTERNAL.documents, call)).body;
  return keys.map((key) => documents[key]);
}

const plain = { prefix: null, include: [], exclude: [], aliases: {} };

async function toolset(more: Partial<McpToolsetEntity> = {}): Promise<McpToolsetEntity> {
  const { organisationId, workspaceId } = tenant;
  const { manager } = api.dataSource;
  return manager.save(
    manager.create(McpToolsetEntity, {
      ...{ id: uuidv7(), organisationId, workspaceId, slug: 'desk', name: 'Desk' },
      members: servers.map(({ id }) => ({ server_id: id, ...plain, overrides: {} })),
      ...more,
    }),
  );
}

describe('documents of toolsets', () => {
  it('contain the members with the slugs of their servers, and are found by slug and by id', async () => {
    const [first] = servers;
    const overrides = {
      read: { title: 'T', description: 'D', hidden_arguments: ['a'], fixed_arguments: { b: 1 } },
    };
    const row = await toolset({
      ...{ instructions: 'Be brief.', mode: 'search', failure: 'strict' },
      members: [{ server_id: first.id, ...plain, prefix: '', aliases: { read: 'look' }, overrides }],
    });
    const { workspaceId, organisationId } = tenant;
    const [bySlug, byId, foreign] = await documentsOf(
      documentKey.mcpToolset(workspaceId, 'desk'),
      documentKey.mcpToolset(workspaceId, row.id),
      documentKey.mcpToolset(await api.workspace(organisationId), row.id),
    );
    expect(bySlug).toEqual({
      ...{
        kind: 'mcp_toolset',
        version: expect.any(String) as string,
        id: row.id,
        slug: 'desk',
        name: 'Desk',
      },
      ...{ organisationId, workspaceId, instructions: 'Be brief.', mode: 'search', failure: 'strict' },
      members: [
        {
          ...{ serverId: first.id, server: first.slug, ...plain, prefix: '', aliases: { read: 'look' } },
          overrides: {
            read: { title: 'T', description: 'D', hiddenArguments: ['a'], fixedArguments: { b: 1 } },
          },
        },
      ],
    });
    expect(byId).toEqual(bySlug);
    expect(foreign).toBeNull();
  });

  it('leave out servers that ended or belong to another workspace, and are null once their owners end', async () => {
    const { manager } = api.dataSource;
    const { workspaceId, organisationId } = tenant;
    const other = await api.tenant();
    const foreign = await insertMcpServer(manager, other, (await insertMcpIntegration(manager, other)).id);
    const { id } = await toolset({
      members: [...servers, foreign].map((each) => ({ server_id: each.id, ...plain, overrides: {} })),
    });
    const [first, second] = servers;
    await manager.update(McpServerEntity, first.id, { status: 'archived' });
    const key = documentKey.mcpToolset(workspaceId, id);
    expect(await documentsOf(key)).toMatchObject([{ members: [{ serverId: second.id }] }]);
    for (const [entity, at] of [
      [McpToolsetEntity, id],
      [WorkspaceEntity, workspaceId],
      [OrganisationEntity, organisationId],
    ] as const) {
      await manager.update(entity, at, { status: 'archived' });
      expect(await documentsOf(key)).toEqual([null]);
      await manager.update(entity, at, { status: 'active' });
    }
  });
});

describe('the catalogue of all servers of a workspace', () => {
  it('contains the oldest active servers in the order of their creation, and is null for an inactive workspace', async () => {
    const { manager } = api.dataSource;
    const { workspaceId, organisationId } = tenant;
    const key = documentKey.mcpCatalogue(workspaceId);
    const read = async (): Promise<McpCatalogueDocument> =>
      (await documentsOf(key))[0] as McpCatalogueDocument;
    const before = await read();
    expect(before).toMatchObject({ kind: 'mcp_catalogue', organisationId, workspaceId });
    expect(before.servers).toEqual(servers.map(({ id, slug }) => ({ id, slug })));
    await manager.update(McpServerEntity, servers[0].id, { status: 'archived' });
    const after = await read();
    expect(after.servers.map(({ id }) => id)).toEqual([servers[1].id]);
    expect(after.version).not.toBe(before.version);
    const { id } = await insertMcpIntegration(manager, tenant);
    for (let count = 0; count < MCP_CATALOGUE_MAX; count += 1) await insertMcpServer(manager, tenant, id);
    expect((await read()).servers).toHaveLength(MCP_CATALOGUE_MAX);
    const [empty, unknown] = await documentsOf(
      documentKey.mcpCatalogue(await api.workspace(organisationId)),
      documentKey.mcpCatalogue(uuidv7()),
    );
    expect([empty, unknown]).toEqual([expect.objectContaining({ servers: [] }), null]);
    await manager.update(WorkspaceEntity, workspaceId, { status: 'archived' });
    expect(await documentsOf(key)).toEqual([null]);
  });

  it('changes with each server that is created or ends, and ends with its workspace', async () => {
    const { workspaceId, adminKey, key } = tenant;
    const { manager } = api.dataSource;
    const times = async (column: 'changed' | 'removed', id = workspaceId): Promise<number> => {
      const [{ count }] = await manager.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM change_events WHERE $1 = ANY(${column})`,
        [documentKey.mcpCatalogue(id)],
      );
      return count;
    };
    const { id } = await insertMcpIntegration(manager, tenant);
    const body = { name: 'x', mcp_integration_id: id };
    const made = await api.post<{ id: string }>('/v1/mcp-servers', { key, body });
    expect(await times('changed')).toBe(1);
    await api.delete(`/v1/mcp-servers/${made.body.id}`, { key });
    expect(await times('changed')).toBe(2);
    await api.delete(`/v1/mcp-integrations/${servers[0].integrationId}`, { key: adminKey });
    expect(await times('changed')).toBe(3);
    const endingId = await api.workspace(tenant.organisationId, { name: 'Old' });
    const ending = { key: adminKey, body: { name: 'Old', force_delete: true } };
    expect((await api.delete(`/v1/workspaces/${endingId}`, ending)).status).toBe(200);
    expect(await times('removed', endingId)).toBe(1);
  });
});
