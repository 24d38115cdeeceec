import { randomUUID } from 'node:crypto';
import { AuditLogEntity } from '@gw/entities';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { insertCapability, insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';

interface Mapping {
  readonly id: string;
  readonly mcp_server_id: string;
  readonly run_on: readonly string[];
  readonly capability_ids: readonly string[];
}

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const CHECKS = [{ id: 'default.contains', parameters: { words: ['a'] } }];
let [A, B, TOOL] = ['', '', ''];
beforeAll(async () => {
  const { manager } = api.dataSource;
  const integration = await insertMcpIntegration(manager, tenant);
  A = (await insertMcpServer(manager, tenant, integration.id)).id;
  B = (await insertMcpServer(manager, tenant, integration.id)).id;
  TOOL = (await insertCapability(manager, integration.id, 'read')).id;
});

async function guardrail(target: string): Promise<string> {
  const body = { name: 'A', checks: CHECKS, target };
  return (await api.post<{ slug: string }>('/v1/guardrails', { key: tenant.key, body })).body.slug;
}

const put = (slug: string, mcp_servers: object): Promise<GatewayResponse<object & Failure>> =>
  api.put(`/v1/guardrails/${slug}/mcp-servers`, { key: tenant.key, body: { mcp_servers } });
const list = async (slug: string): Promise<Mapping[]> =>
  (await api.get<Mapping[]>(`/v1/guardrails/${slug}/mcp-servers`, { key: tenant.key })).body;

describe('MCP servers of a guardrail', () => {
  it('are stored with phases and tools, by their names or aliases [REL-02 in part]', async () => {
    const slug = await guardrail('mcp_tools');
    const first = await put(slug, {
      [A]: { run_on: ['input'], mcp_integration_capability_ids: [TOOL] },
      [B.toUpperCase()]: {},
    });
    expect(first.body).toEqual({ changed: true, added: 2, updated: 0, removed: 0 });
    const mappings = await list(slug);
    expect(mappings).toHaveLength(2);
    expect(mappings.find(({ mcp_server_id }) => mcp_server_id === A)).toMatchObject({
      run_on: ['beforeToolCall'],
      capability_ids: [TOOL],
      mcp_integration_capability_ids: [TOOL],
    });
    expect(mappings.find(({ mcp_server_id }) => mcp_server_id === B)).toMatchObject({
      run_on: ['beforeToolCall', 'afterToolCall'],
      capability_ids: [],
    });
    const read = await api.get<{ mcp_server_mappings: Mapping[] }>(`/v1/guardrails/${slug}`, tenant);
    expect(read.body.mcp_server_mappings).toEqual(mappings);
  });

  it('are replaced as a whole or singly [REL-02 in part]', async () => {
    const slug = await guardrail('mcp_tools');
    await put(slug, { [A]: {}, [B]: {} });
    const [before] = (await list(slug)).filter(({ mcp_server_id }) => mcp_server_id === B);
    const again = await put(slug, { [B]: { run_on: ['afterToolCall'], capability_ids: [TOOL] } });
    expect(again.body).toEqual({ changed: true, added: 0, updated: 1, removed: 1 });
    const same = await put(slug, { [B]: { run_on: ['output'], capability_ids: [TOOL, TOOL.toUpperCase()] } });
    expect(same.body).toEqual({ changed: false, added: 0, updated: 0, removed: 0 });
    const one = await api.put<{ map_id: string }>(`/v1/guardrails/${slug}/mcp-servers/${B}`, {
      key: tenant.key,
      body: { run_on: ['beforeToolCall', 'afterToolCall'] },
    });
    expect(one.body.map_id).toBe(before?.id);
    expect(await list(slug)).toMatchObject([
      { run_on: ['beforeToolCall', 'afterToolCall'], capability_ids: [] },
    ]);
    expect((await put(slug, {})).body).toMatchObject({ removed: 1 });
    expect(await list(slug)).toEqual([]);
  });

  it('require the target mcp_tools, and report all faults together', async () => {
    expect((await put(await guardrail('llm'), { [A]: {} })).status).toBe(400);
    const slug = await guardrail('mcp_tools');
    const response = await put(slug, {
      [A]: { run_on: ['sometimes'], capability_ids: ['x'] },
      [B]: { surprise: 1 },
      unknown: {},
    });
    expect([response.status, (response.body.error.details ?? []).map(({ path }) => path)]).toEqual([
      400,
      [
        `mcp_servers.${A}.run_on`,
        `mcp_servers.${A}.capability_ids`,
        `mcp_servers.${B}.surprise`,
        'mcp_servers.unknown',
      ],
    ]);
    const one = await api.put(`/v1/guardrails/${slug}/mcp-servers/unknown`, { key: tenant.key, body: {} });
    expect(one.status).toBe(400);
    expect(await list(slug)).toEqual([]);
  });

  it('may not be servers of other workspaces or have capabilities of other integrations', async () => {
    const { manager } = api.dataSource;
    const { organisationId } = tenant;
    const workspaceId = await api.workspace(organisationId);
    const integration = await insertMcpIntegration(manager, tenant);
    const other = await insertMcpServer(manager, { organisationId, workspaceId }, integration.id);
    const foreign = await insertCapability(manager, integration.id, 'write');
    const slug = await guardrail('mcp_tools');
    const refused = await put(slug, {
      [other.id]: {},
      [randomUUID()]: {},
      [A]: { capability_ids: [TOOL, foreign.id] },
    });
    const paths = (refused.body.error.details ?? []).map(({ path }) => path);
    expect([refused.status, paths.length]).toEqual([400, 3]);
    expect(paths[0]).toBe(`mcp_servers.${other.id}`);
    expect(paths[2]).toBe(`mcp_servers.${A}.capability_ids`);
    for (const [server, body, param] of [
      [other.id, {}, 'mcpServer'],
      [A, { capability_ids: [foreign.id] }, 'capability_ids'],
    ] as const) {
      const url = `/v1/guardrails/${slug}/mcp-servers/${server}`;
      const one = await api.put<Failure>(url, { key: tenant.key, body });
      expect([one.status, one.body.error.details?.[0]?.path]).toEqual([400, param]);
    }
    expect(await list(slug)).toEqual([]);

    const body = { name: 'Common', checks: CHECKS, target: 'mcp_tools' };
    const common = await api.post<{ slug: string }>('/v1/guardrails', { key: tenant.adminKey, body });
    const ofAll = { key: tenant.adminKey, body: { mcp_servers: { [other.id]: {}, [A]: {} } } };
    const mapped = await api.put(`/v1/guardrails/${common.body.slug}/mcp-servers`, ofAll);
    expect(mapped.body).toMatchObject({ added: 2 });
    const stranger = await api.tenant();
    const theirs = await insertMcpServer(
      manager,
      stranger,
      (await insertMcpIntegration(manager, stranger)).id,
    );
    const across = { key: tenant.adminKey, body: { mcp_servers: { [theirs.id]: {} } } };
    const denied = await api.put<Failure>(`/v1/guardrails/${common.body.slug}/mcp-servers`, across);
    expect([denied.status, denied.body.error.details?.[0]?.path]).toEqual([400, `mcp_servers.${theirs.id}`]);
  });

  it("are changed with an entry in the guardrail's audit log", async () => {
    const slug = await guardrail('mcp_tools');
    await put(slug, { [A]: {} });
    const rows = await api.dataSource.manager.findBy(AuditLogEntity, { resourceType: 'guardrails' });
    expect(rows.some((row) => row.action === 'update' && JSON.stringify(row).includes(A))).toBe(true);
  });
});
