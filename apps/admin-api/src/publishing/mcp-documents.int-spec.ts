import { documentKey, INTERNAL, mcpAuthBinding, type McpServerDocument } from '@gw/contracts';
import {
  ChangeEventEntity,
  GuardrailMcpServerEntity,
  McpCapabilityEntity,
  McpConnectionEntity,
  McpIntegrationEntity,
  McpIntegrationWorkspaceEntity,
  McpServerCapabilityEntity,
  McpServerEntity,
  McpServerUserEntity,
  OrganisationEntity,
  SecretReferenceEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { seal, unseal, uuidv7 } from '@gw/kernel';
import { In } from 'typeorm';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import { Secrets } from '../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type Tenant } from '../spec-support/admin-api';
import {
  insertCapability,
  insertMcpIntegration,
  insertMcpServer,
  serverInfo,
} from '../spec-support/mcp-servers';

const { sealingKeyring } = new Secrets(MASTER_KEY, SERVICE_TOKEN);
const api = new TestAdminApi();
let tenant: Tenant;
let integration: McpIntegrationEntity;
let server: McpServerEntity;
beforeEach(async () => {
  tenant = await api.tenant();
  integration = await insertMcpIntegration(api.dataSource.manager, tenant);
  server = await insertMcpServer(api.dataSource.manager, tenant, integration.id);
});

async function documentsOf(keys: readonly string[]): Promise<(McpServerDocument | null)[]> {
  const { body, status, text } = await api.post<{ documents: Record<string, McpServerDocument | null> }>(
    INTERNAL.documents,
    { token: SERVICE_TOKEN, body: { keys } },
  );
  if (status !== 200) throw new Error(`failed to read documents: ${text}`);
  return keys.map((key) => body.documents[key] ?? null);
}

const keyOf = (slugOrId = server.slug): string => documentKey.mcpServer(tenant.workspaceId, slugOrId);
async function document(): Promise<McpServerDocument> {
  const [found] = await documentsOf([keyOf()]);
  if (!found) throw new Error('The MCP server has no document.');
  return found;
}

const opened = ({ sealedAuth }: McpServerDocument): unknown =>
  JSON.parse(
    unseal(
      sealingKeyring,
      sealedAuth ?? '',
      mcpAuthBinding(tenant.organisationId, integration.id),
    ).toString(),
  );

const changedSince = async (sequence: number): Promise<string[]> => {
  const events = await api.dataSource.manager.find(ChangeEventEntity);
  return events
    .filter((event) => Number(event.sequence) > sequence)
    .flatMap((event) => [...event.changed, ...event.removed]);
};
const sequenceNow = async (): Promise<number> => {
  const events = await api.dataSource.manager.find(ChangeEventEntity);
  return Math.max(0, ...events.map((event) => Number(event.sequence)));
};

async function guardrail(key = tenant.key): Promise<{ readonly id: string; readonly slug: string }> {
  const checks = [{ id: 'default.contains', parameters: { words: ['a'] } }];
  const body = { name: 'Tools', checks, target: 'mcp_tools' };
  return (await api.post<{ id: string; slug: string }>('/v1/guardrails', { key, body })).body;
}

describe('documents of MCP servers', () => {
  it('contain the server and its integration, and are found by slug and id', async () => {
    const { manager } = api.dataSource;
    await manager.update(McpIntegrationEntity, integration.id, {
      authType: 'headers',
      configurations: { forward_headers: ['x-a'] },
      approvedServer: serverInfo(),
      serverInfo: serverInfo({ instructions: 'Changed, and not approved.' }),
      prices: { default: 5, tools: { read: 7 } },
      timeoutMs: 1_000,
    } as object);
    const user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    await manager.insert(McpServerUserEntity, { serverId: server.id, userId: user.id, enabled: false });
    const rule = {
      ...{ subject: { type: 'user', id: user.id }, tools: ['read*'], effect: 'deny' },
      when: [],
    };
    await manager.update(McpServerEntity, server.id, { accessRules: [rule], defaultEffect: 'deny' });
    const [bySlug, byId, unknown, foreign] = await documentsOf([
      keyOf(),
      keyOf(server.id),
      keyOf('unknown'),
      documentKey.mcpServer(await api.workspace(tenant.organisationId), server.id),
    ]);
    expect(bySlug).toEqual({
      kind: 'mcp_server',
      version: expect.any(String),
      id: server.id,
      slug: server.slug,
      name: server.name,
      organisationId: tenant.organisationId,
      workspaceId: tenant.workspaceId,
      integrationId: integration.id,
      integrationSlug: integration.slug,
      url: 'https://mcp.example.com/mcp',
      transport: 'http',
      authType: 'headers',
      configurations: { forward_headers: ['x-a'] },
      sealedAuth: null,
      timeoutMs: 1_000,
      server: {
        name: 'files',
        version: '1.2.3',
        title: 'Files',
        instructions: 'Read before you write.',
        capabilities: { tools: { listChanged: true } },
      },
      capabilities: [],
      userAccess: { isAllowed: true, exceptions: { [user.id]: false } },
      rules: [rule],
      defaultEffect: 'deny',
      guardrails: [],
      prices: { default: 5, tools: { read: 7 } },
    });
    expect(byId).toEqual(bySlug);
    expect([unknown, foreign]).toEqual([null, null]);
  });

  it('list the served capabilities in the approved text, tools first', async () => {
    const { manager } = api.dataSource;
    const add = (name: string, more: Partial<McpCapabilityEntity> = {}): Promise<McpCapabilityEntity> =>
      insertCapability(manager, integration.id, name, more);
    await add('file:///a', { type: 'resource' });
    await add('file:///{name}', { type: 'resource_template' });
    await add('file:///waits', { type: 'resource', state: 'pending', approved: null });
    await add('file:///disabled', { type: 'resource', enabled: false });
    await add('file:///gone', { type: 'resource', goneAt: new Date() });
    const hidden = await add('file:///off', { type: 'resource', position: 5 });
    await add('ask', { type: 'prompt' });
    await add('second', { position: 2 });
    await add('first', {
      ...{ position: 1, state: 'serve_approved', definition: { name: 'first', description: 'new' } },
      approved: { name: 'first', description: 'approved' },
    });
    await add('pending', { state: 'pending', approved: null });
    for (const state of ['changed', 'rejected', 'pending'] as const) await add(state + '-2', { state });
    await add('disabled', { enabled: false });
    await add('gone', { goneAt: new Date() });
    await add('@server', { type: 'server' });
    const off = await add('off', { position: 3 });
    const on = await add('on', { position: 4 });
    await manager.insert(McpServerCapabilityEntity, [
      { serverId: server.id, capabilityId: off.id, enabled: false },
      { serverId: server.id, capabilityId: on.id, enabled: true },
      { serverId: server.id, capabilityId: hidden.id, enabled: false },
    ]);
    const { capabilities, withheldResources } = await document();
    expect(withheldResources?.toSorted()).toEqual(['file:///disabled', 'file:///off', 'file:///waits']);
    expect(capabilities.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'tool first',
      'tool second',
      'tool on',
      'prompt ask',
      'resource file:///a',
      'resource_template file:///{name}',
    ]);
    expect(capabilities[0]?.definition).toEqual({ name: 'first', description: 'approved' });
  });

  it('contain the sealed credentials, with the mapped secrets that the workspace may read', async () => {
    const { manager } = api.dataSource;
    const { organisationId } = tenant;
    const content = { headers: { authorization: 'Bearer stored' } };
    const sealedAuth = seal(
      sealingKeyring,
      JSON.stringify(content),
      mcpAuthBinding(organisationId, integration.id),
    );
    await manager.update(McpIntegrationEntity, integration.id, { sealedAuth });
    const plain = await document();
    expect(plain.sealedAuth).toBe(sealedAuth);

    const referenceId = uuidv7();
    await manager.insert(SecretReferenceEntity, {
      ...{ id: referenceId, organisationId, name: 'S', slug: 's', managerType: 'cloud1_sm' },
      ...{ authConfig: { aws_auth_type: 'serviceRole' }, secretPath: 'a/b' },
    });
    const mapping = {
      ...{ target_field: 'headers.authorization', secret_reference_id: referenceId },
      ...{ secret_key: 'token', value_format: 'string' as const },
    };
    await manager.update(McpIntegrationEntity, integration.id, { secretMappings: [mapping] });
    const mapped = await document();
    expect(opened(mapped)).toEqual({
      ...content,
      secrets: [
        {
          target: 'headers.authorization',
          format: 'string',
          location: expect.objectContaining({ path: 'a/b', key: 'token' }) as object,
        },
      ],
    });
    expect(mapped.version).not.toBe(plain.version);
    expect((await document()).version).toBe(mapped.version);
    await manager.update(SecretReferenceEntity, referenceId, { allowedWorkspaces: [uuidv7()] });
    const closed = await document();
    expect(opened(closed)).toMatchObject({ secrets: [{ location: null }] });
    expect(closed.version).not.toBe(mapped.version);
  });

  it('have a new version after each kind of change', async () => {
    const { manager } = api.dataSource;
    const capability = await insertCapability(manager, integration.id, 'read');
    const user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const { id: guardrailId } = await guardrail();
    const at = { serverId: server.id, userId: user.id };
    const mapped = { guardrailId, serverId: server.id };
    const ofServer = (more: object) => () => manager.update(McpServerEntity, server.id, more);
    const ofIntegration = (more: object) => () => manager.update(McpIntegrationEntity, integration.id, more);
    const ofCapability = (more: object) => () => manager.update(McpCapabilityEntity, capability.id, more);
    const changes: readonly (() => Promise<unknown>)[] = [
      ofServer({ name: 'Renamed' }),
      ofServer({ defaultUserAccess: 'deny' }),
      ofServer({ accessRules: [{ subject: { type: 'user', id: 'a' }, tools: ['*'], effect: 'allow' }] }),
      ofServer({ defaultEffect: 'deny' }),
      ofIntegration({ url: 'https://other.example.com/mcp' }),
      ofIntegration({ transport: 'sse' }),
      ofIntegration({ authType: 'headers', sealedAuth: 'v1.x' }),
      ofIntegration({ configurations: { passthrough_headers: ['x-b'] } }),
      ofIntegration({ prices: { default: 1, tools: {} } }),
      ofIntegration({ timeoutMs: 5 }),
      ofIntegration({ approvedServer: serverInfo() }),
      ofCapability({ approved: { name: 'read', description: 'changed' } }),
      ofCapability({ enabled: false }),
      () => insertCapability(manager, integration.id, 'write'),
      () => manager.insert(McpServerUserEntity, { ...at, enabled: true }),
      () => manager.update(McpServerUserEntity, at, { enabled: false }),
      () =>
        manager.insert(GuardrailMcpServerEntity, {
          ...{ ...mapped, id: uuidv7(), runOn: ['beforeToolCall'], capabilityIds: [] },
        }),
      () => manager.update(GuardrailMcpServerEntity, mapped, { capabilityIds: [capability.id] }),
    ];
    const versions = new Set([(await document()).version]);
    for (const change of changes) {
      await change();
      const { version } = await document();
      expect([...versions]).not.toContain(version);
      versions.add(version);
    }
    expect(versions.size).toBe(changes.length + 1);
  });

  it('are null without access to the integration, and when one of the rows ends', async () => {
    const { manager } = api.dataSource;
    const isThere = async (): Promise<boolean> => (await documentsOf([keyOf()]))[0] !== null;
    const setGlobal = (access: object | null): Promise<unknown> =>
      manager.update(McpIntegrationEntity, integration.id, { globalWorkspaceAccess: access });
    await setGlobal(null);
    expect(await isThere()).toBe(false);
    const own = { integrationId: integration.id, workspaceId: tenant.workspaceId };
    await manager.insert(McpIntegrationWorkspaceEntity, { id: uuidv7(), ...own, enabled: true });
    expect(await isThere()).toBe(true);
    await setGlobal({ enabled: true });
    await manager.update(McpIntegrationWorkspaceEntity, own, { enabled: false });
    expect(await isThere()).toBe(false);
    await manager.delete(McpIntegrationWorkspaceEntity, own);
    for (const [entity, id] of [
      [McpServerEntity, server.id],
      [McpIntegrationEntity, integration.id],
      [WorkspaceEntity, tenant.workspaceId],
      [OrganisationEntity, tenant.organisationId],
    ] as const) {
      expect(await isThere()).toBe(true);
      await manager.update(entity, id, { status: 'archived' });
      expect(await isThere()).toBe(false);
      await manager.update(entity, id, { status: 'active' });
    }
  });

  it('need as many queries for many servers as for one', async () => {
    const { manager } = api.dataSource;
    const keys = [keyOf()];
    for (let n = 0; n < 8; n += 1) {
      const { id } = await insertMcpIntegration(manager, tenant);
      await insertCapability(manager, id, 'read');
      keys.push(keyOf((await insertMcpServer(manager, tenant, id)).slug));
    }
    const query = jest.spyOn(PostgresQueryRunner.prototype, 'query');
    const queries = async (wanted: readonly string[]): Promise<number> => {
      query.mockClear();
      await documentsOf(wanted);
      return query.mock.calls.filter(([sql]) => sql.includes('"mcp_') || sql.includes('guardrail')).length;
    };
    const one = await queries(keys.slice(0, 1));
    expect(one).toBeGreaterThan(0);
    expect(await queries(keys)).toBe(one);
    query.mockRestore();
    expect((await documentsOf(keys)).every((found) => found !== null)).toBe(true);
  });
});

describe('changes of documents of MCP servers', () => {
  it('follow guardrail mappings and guardrails', async () => {
    const [own, common] = [await guardrail(), await guardrail(tenant.adminKey)];
    const map = (slug: string, key: string, servers: object): Promise<unknown> =>
      api.put(`/v1/guardrails/${slug}/mcp-servers`, { key, body: { mcp_servers: servers } });
    let since = await sequenceNow();
    const published = async (): Promise<boolean> => {
      const changed = await changedSince(since);
      since = await sequenceNow();
      return [keyOf(), keyOf(server.id)].every((key) => changed.includes(key));
    };
    await map(own.slug, tenant.key, { [server.id]: { run_on: ['input'] } });
    expect(await published()).toBe(true);
    await map(common.slug, tenant.adminKey, { [server.id]: {} });
    expect((await document()).guardrails).toEqual([
      { guardrailId: common.id, runOn: ['beforeToolCall', 'afterToolCall'], capabilityIds: [] },
      { guardrailId: own.id, runOn: ['beforeToolCall'], capabilityIds: [] },
    ]);
    expect(await published()).toBe(true);
    await api.delete(`/v1/guardrails/${common.slug}`, { key: tenant.adminKey });
    expect(await published()).toBe(true);
    expect((await document()).guardrails).toHaveLength(1);
    await map(own.slug, tenant.key, {});
    expect(await published()).toBe(true);
    expect((await document()).guardrails).toEqual([]);
  });

  it('follow a user who leaves the workspace or the organisation', async () => {
    const { manager } = api.dataSource;
    const { organisationId } = tenant;
    const elsewhere = await api.workspace(organisationId);
    const other = await insertMcpServer(manager, { organisationId, workspaceId: elsewhere }, integration.id);
    const user = await api.user(organisationId, 'member', {
      [tenant.workspaceId]: 'member',
      [elsewhere]: 'member',
    });
    const stays = await api.user(organisationId, 'member', { [tenant.workspaceId]: 'member' });
    for (const { id: userId } of [user, stays]) {
      for (const { id: serverId } of [server, other]) {
        await manager.insert(McpServerUserEntity, { serverId, userId, enabled: false });
        await manager.insert(McpConnectionEntity, {
          ...{ id: uuidv7(), organisationId, serverId, userId, status: 'connected' },
        });
      }
    }
    const left = async (entity: typeof McpConnectionEntity | typeof McpServerUserEntity): Promise<string[]> =>
      (await manager.findBy(entity, { userId: user.id, serverId: In([server.id, other.id]) })).map(
        ({ serverId }) => serverId,
      );
    let since = await sequenceNow();
    await api.delete(`/v1/workspaces/${tenant.workspaceId}/users/${user.id}`, { key: tenant.adminKey });
    expect(await manager.countBy(WorkspaceUserEntity, { userId: user.id })).toBe(1);
    expect([await left(McpConnectionEntity), await left(McpServerUserEntity)]).toEqual([
      [other.id],
      [other.id],
    ]);
    expect(await changedSince(since)).toEqual(expect.arrayContaining([keyOf(), keyOf(server.id)]));
    expect((await document()).userAccess.exceptions).toEqual({ [stays.id]: false });

    since = await sequenceNow();
    await api.delete(`/v1/users/${user.id}`, { key: tenant.adminKey });
    expect([await left(McpConnectionEntity), await left(McpServerUserEntity)]).toEqual([[], []]);
    expect(await changedSince(since)).toContain(documentKey.mcpServer(elsewhere, other.slug));
    expect(await manager.countBy(McpConnectionEntity, { userId: stays.id })).toBe(2);
  });

  it('remove the documents of an archived workspace, whose integrations lose their secrets', async () => {
    const { manager } = api.dataSource;
    const { organisationId } = tenant;
    const workspaceId = await api.workspace(organisationId, { name: 'Old' });
    const own = await insertMcpIntegration(manager, tenant, { workspaceId, sealedAuth: 'v1.x' });
    const ending = await insertMcpServer(manager, { organisationId, workspaceId }, own.id);
    const since = await sequenceNow();
    const url = `/v1/workspaces/${workspaceId}`;
    const kept = await api.delete(url, { key: tenant.adminKey, body: { name: 'Old' } });
    expect([kept.status, kept.text]).toEqual([409, expect.stringContaining('mcp_servers')]);
    const body = { name: 'Old', force_delete: true };
    expect((await api.delete(url, { key: tenant.adminKey, body })).status).toBe(200);
    expect(await manager.findOneByOrFail(McpServerEntity, { id: ending.id })).toMatchObject({
      status: 'archived',
    });
    expect(await manager.findOneByOrFail(McpIntegrationEntity, { id: own.id })).toMatchObject({
      ...{ status: 'archived', sealedAuth: null },
    });
    expect(await changedSince(since)).toEqual(
      expect.arrayContaining([
        documentKey.mcpServer(workspaceId, ending.slug),
        documentKey.mcpServer(workspaceId, ending.id),
      ]),
    );
  });
});
