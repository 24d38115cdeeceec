import { ApiKeyEntity, AuditLogEntity, McpCapabilityEntity } from '@gw/entities';
import { TestAdminApi } from '../../spec-support/admin-api';
import { insertCapability, insertMcpIntegration } from '../../spec-support/mcp-servers';
import { AdminClients, type AdminClient, type ToolResult } from './spec-support/admin-clients';

const admin = new TestAdminApi();
const clients = new AdminClients(admin);
const ours = admin.sharedTenant();

interface Planned {
  readonly status: 'planned' | 'done';
  readonly plan_token: string;
  readonly changes: readonly {
    readonly action: string;
    readonly resource_type: string;
    readonly members: readonly {
      readonly path: string;
      readonly before?: unknown;
      readonly after?: unknown;
    }[];
  }[];
  readonly result: Readonly<Record<string, string>>;
}

const shown = ({ structuredContent, isError, content }: ToolResult): Planned => {
  if (isError === true) throw new Error(content[0]?.text);
  return structuredContent as unknown as Planned;
};
const keysNamed = (name: string): Promise<ApiKeyEntity[]> =>
  admin.dataSource.manager.findBy(ApiKeyEntity, { name });
const NEW_KEY = {
  ...{ scopes: ['completions.write'], usage_limits: { credit_limit: 25, periodic_reset: 'monthly' } },
  rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
};

async function made(client: AdminClient, name: string): Promise<string> {
  const args = { name, ...NEW_KEY };
  const { plan_token: confirm } = shown(await client.call('create_api_key', args));
  return shown(await client.call('create_api_key', { ...args, confirm })).result['id'] ?? '';
}

describe.each([1, 2] as const)('changes by tools of /mcp/admin with a client of SDK %d', (sdk) => {
  it('plans a key without creating it, creates it once with the token, and shows its secret once', async () => {
    const client = await clients.of(sdk, ours.key);
    const name = `planned-${String(sdk)}`;
    const args = { name, ...NEW_KEY };
    const plan = shown(await client.call('create_api_key', args));
    expect(plan).toMatchObject({
      status: 'planned',
      changes: [{ action: 'create', resource_type: 'api_keys' }],
    });
    const paths = new Map(plan.changes[0]?.members.map(({ path, after }) => [path, after]));
    expect(paths.get('name')).toBe(name);
    expect(paths.get('usage_limits')).toMatchObject({ credit_limit: 25 });
    expect(await keysNamed(name)).toEqual([]);
    const { plan_token: confirm } = plan;
    const done = shown(await client.call('create_api_key', { ...args, confirm }));
    expect(done).toMatchObject({ status: 'done', result: { id: expect.any(String) } });
    const { key = '' } = done.result;
    expect((await admin.get('/v1/api-keys/self/details', { key })).status).toBe(200);
    const again = await client.call('create_api_key', { ...args, confirm });
    expect([again.isError, again._meta?.['gw/error']]).toMatchObject([true, { param: 'confirm' }]);
    expect(await keysNamed(name)).toHaveLength(1);
    const listed = await client.call('list_api_keys', { limit: 50 });
    expect(JSON.stringify(listed)).not.toContain(key);
  });

  it('creates one key when two calls send a token at the same time', async () => {
    const client = await clients.of(sdk, ours.key);
    const name = `at-once-${String(sdk)}`;
    const args = { name, ...NEW_KEY };
    const { plan_token: confirm } = shown(await client.call('create_api_key', args));
    const results = await Promise.all(
      Array.from({ length: 5 }, () => client.call('create_api_key', { ...args, confirm })),
    );
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(1);
    expect(await keysNamed(name)).toHaveLength(1);
  });

  it('refuses a token with other arguments, from another caller, of another tool, and an invented one', async () => {
    const client = await clients.of(sdk, ours.key);
    const name = `bound-${String(sdk)}`;
    const args = { name, ...NEW_KEY };
    const { plan_token: confirm } = shown(await client.call('create_api_key', args));
    const key = await admin.apiKey('workspace-service', ours);
    const other = await clients.of(sdk, key);
    const refused = [
      await client.call('create_api_key', { ...args, usage_limits: { credit_limit: 26 }, confirm }),
      await client.call('create_api_key', { ...args, description: 'x', confirm }),
      await other.call('create_api_key', { ...args, confirm }),
      await client.call('disable', { target: 'api_key', id: ours.workspaceId, confirm }),
      await client.call('create_api_key', { ...args, confirm: `${confirm.slice(0, -4)}AAAA` }),
      await client.call('create_api_key', { ...args, confirm: 'gwplan1.a.b.c.d' }),
    ];
    for (const each of refused)
      expect([each.isError, each._meta?.['gw/error']]).toMatchObject([true, { param: 'confirm' }]);
    expect(await keysNamed(name)).toEqual([]);
    // None of these calls has used up the plan.
    expect(shown(await client.call('create_api_key', { ...args, confirm })).status).toBe('done');
  });

  it('refuses a plan whose row has changed in the meantime', async () => {
    const client = await clients.of(sdk, ours.key);
    const id = await made(client, `changed-${String(sdk)}`);
    const args = { target: 'api_key', id, usage_limits: { credit_limit: 50 } };
    const plan = shown(await client.call('change_limits', args));
    expect(plan.changes[0]?.members).toContainEqual({
      ...{ path: 'usage_limits.credit_limit', before: 25, after: 50 },
    });
    await admin.put(`/v1/api-keys/${id}`, { key: ours.key, body: { description: 'meanwhile' } });
    const late = await client.call('change_limits', { ...args, confirm: plan.plan_token });
    expect(late._meta?.['gw/error']).toMatchObject({ type: 'etag_mismatch', status: 412 });
    const { plan_token: confirm } = shown(await client.call('change_limits', args));
    expect(shown(await client.call('change_limits', { ...args, confirm })).status).toBe('done');
    const mine = await client.call('list_api_keys', { ids: [id] });
    expect(mine.structuredContent).toMatchObject({
      keys: [{ usage_limits: [{ credit_limit: 50, current_usage: 0, remaining: 50 }] }],
    });
  });

  it('disables a key, whose requests are then refused', async () => {
    const client = await clients.of(sdk, ours.key);
    const id = await made(client, `disabled-${String(sdk)}`);
    const args = { target: 'api_key', id };
    const { plan_token: confirm, changes } = shown(await client.call('disable', args));
    expect(changes[0]?.members.map(({ path }) => path)).toEqual(['expires_at', 'expiry_enforced']);
    expect(shown(await client.call('disable', { ...args, confirm })).status).toBe('done');
    const [row] = await keysNamed(`disabled-${String(sdk)}`);
    expect(row?.expiresAt?.getTime()).toBeLessThan(Date.now() + 3_000);
  });

  it('approves a capability by its digest, and names its tool in the audit log', async () => {
    const { manager } = admin.dataSource;
    const { workspaceId } = ours;
    const { id: integrationId, slug } = await insertMcpIntegration(manager, ours, { workspaceId });
    const { id } = await insertCapability(manager, integrationId, 'search');
    await manager.update(McpCapabilityEntity, { id }, { state: 'pending', approved: null });
    const client = await clients.of(sdk, ours.key);
    const waiting = await client.call('list_pending_capabilities', { integration: slug });
    const { integrations } = waiting.structuredContent as {
      integrations: { waiting: { name: string; type: string; digest: string }[] }[];
    };
    const [{ name, type, digest } = { name: '', type: '', digest: '' }] = integrations[0]?.waiting ?? [];
    expect(name).toBe('search');
    const args = { integration: slug, decision: 'approve', items: [{ name, type, digest }] };
    const plan = shown(await client.call('decide_capabilities', args));
    expect(plan.changes).toMatchObject([{ action: 'approve_capabilities' }]);
    expect(await manager.findOneBy(McpCapabilityEntity, { id })).toMatchObject({ state: 'pending' });
    const done = shown(await client.call('decide_capabilities', { ...args, confirm: plan.plan_token }));
    expect(done.result).toMatchObject({ approved: 1, stale: [] });
    expect(await manager.findOneBy(McpCapabilityEntity, { id })).toMatchObject({ state: 'approved' });
    const [record] = await manager.findBy(AuditLogEntity, {
      action: 'approve_capabilities',
      resourceId: integrationId,
    });
    expect(record).toMatchObject({ method: 'POST', uri: '/mcp/admin#decide_capabilities' });
  });

  it('refuses requests that the REST API refuses, when planning and when confirming', async () => {
    const scoped = await admin.apiKey('workspace-service', ours, [
      'workspace_service_api_keys.create',
      'completions.write',
    ]);
    const client = await clients.of(sdk, scoped);
    const tooMuch = await client.call('create_api_key', { name: 'x', scopes: ['logs.list'] });
    expect(tooMuch._meta?.['gw/error']).toMatchObject({ type: 'scope_exceeds_creator', status: 403 });
    const foreign = await client.call('create_api_key', {
      ...{ name: 'x', scopes: ['completions.write'], workspace_id: 'none' },
    });
    expect(foreign._meta?.['gw/error']).toMatchObject({ type: 'not_found' });
    const [record] = await admin.dataSource.manager.find(AuditLogEntity, {
      where: { errorType: 'scope_exceeds_creator' },
      order: { sequence: 'DESC' },
      take: 1,
    });
    expect(record).toMatchObject({ resourceType: 'api_keys', uri: '/mcp/admin#create_api_key' });
  });
});
