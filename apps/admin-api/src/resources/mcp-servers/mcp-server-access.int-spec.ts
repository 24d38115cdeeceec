import { McpCapabilityEntity, McpConnectionEntity, McpServerEntity, McpServerUserEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type Call, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { insertCapability, insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';

const api = new TestAdminApi();
let tenant: Tenant;
let integrationId: string;
let server: McpServerEntity;
beforeEach(async () => {
  const { manager } = api.dataSource;
  tenant = await api.tenant();
  integrationId = (await insertMcpIntegration(manager, tenant)).id;
  server = await insertMcpServer(manager, tenant, integrationId);
});

const url = (path: string): string => `/v1/mcp-servers/${server.id}/${path}`;
const get = async <T>(path: string, by: Call = { key: tenant.key }): Promise<T> => {
  const { status, body, text } = await api.get<T>(url(path), by);
  if (status !== 200) throw new Error(`${path} responded with ${String(status)}: ${text}`);
  return body;
};
const put = (path: string, body: object): Promise<GatewayResponse<Partial<Failure>>> =>
  api.put(url(path), { key: tenant.key, body });
const pathsOf = ({ status, body }: GatewayResponse<Partial<Failure>>): unknown => [
  status,
  (body.error?.details ?? []).map(({ path }) => path),
];
const member = (role: 'member' | 'manager' = 'member') =>
  api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: role });
const sessionOf = async ({ email }: { readonly email: string }): Promise<Call> => ({
  token: await api.login(email),
});

let connections = 0;
/** Inserts a connection that is newer than those before it. */
async function connect(userId: string, status: McpConnectionEntity['status'] = 'connected'): Promise<void> {
  const { organisationId } = tenant;
  connections += 1;
  const row = { id: uuidv7(), organisationId, serverId: server.id, userId, status };
  await api.dataSource.manager.insert(McpConnectionEntity, { ...row, createdAt: new Date(connections) });
}

interface Capabilities {
  readonly data: { name: string; type: string; enabled: boolean; integration_enabled: boolean }[];
  readonly counts: Record<string, { total: number; enabled: number }>;
  readonly total: number;
  readonly has_more: boolean;
}

describe('capabilities of an MCP server', () => {
  it('are listed in the approved text, with both switches and counts', async () => {
    const { manager } = api.dataSource;
    const add = (name: string, more: Partial<McpCapabilityEntity> = {}): Promise<McpCapabilityEntity> =>
      insertCapability(manager, integrationId, name, more);
    await add('read', { definition: { name: 'read', description: 'new' }, approved: { name: 'read' } });
    await add('write', { position: 1, enabled: false });
    await add('pending', { state: 'pending', approved: null });
    await add('gone', { goneAt: new Date() });
    await add('ask', { type: 'prompt' });
    await add('file:///a', { type: 'resource', approved: { uri: 'file:///a', mimeType: 'text/plain' } });
    const off = [{ type: 'prompt', name: 'ask', enabled: false }];
    expect((await put('capabilities', { capabilities: off })).body).toEqual({ success: true });
    const all = await get<Capabilities>('capabilities');
    expect(all.counts).toEqual({
      tools: { total: 2, enabled: 1 },
      prompts: { total: 1, enabled: 0 },
      resources: { total: 1, enabled: 1 },
      resource_templates: { total: 0, enabled: 0 },
    });
    const tools = await get<Capabilities>('capabilities?type=tool&page_size=1&page=2');
    expect([tools.total, tools.has_more]).toEqual([2, false]);
    expect(tools.data).toMatchObject([{ name: 'write', enabled: false, integration_enabled: false }]);
    const prompts = await get<Capabilities>('capabilities?type=prompt');
    expect(prompts.data).toMatchObject([{ name: 'ask', enabled: false, integration_enabled: true }]);
    expect(JSON.stringify(all)).not.toContain('"new"');
    await put('capabilities', { capabilities: off.map((each) => ({ ...each, enabled: true })) });
    expect((await get<Capabilities>('capabilities')).counts['prompts']).toEqual({ total: 1, enabled: 1 });
  });

  it('cannot be enabled while the integration disables them, and must be known [MCP-01 in part]', async () => {
    const { manager } = api.dataSource;
    await insertCapability(manager, integrationId, 'read', { enabled: false });
    await insertCapability(manager, integrationId, 'hidden', { state: 'changed' });
    const change = (name: string, enabled: boolean): Promise<GatewayResponse<Partial<Failure>>> =>
      put('capabilities', { capabilities: [{ type: 'tool', name, enabled }] });
    const refused = await change('read', true);
    expect([refused.body.error?.type, pathsOf(refused)]).toEqual([
      'validation_failed',
      [400, ['capabilities.0.enabled']],
    ]);
    expect((await change('read', false)).status).toBe(200);
    for (const name of ['hidden', 'unknown'])
      expect(pathsOf(await change(name, false))).toEqual([400, ['capabilities.0.name']]);
  });
});

interface UserAccess {
  readonly data: {
    user_id: string;
    first_name: string;
    enabled: boolean;
    has_override: boolean;
    connection_status: string;
  }[];
  readonly default_user_access: string;
  readonly total: number;
}

describe('access of users to an MCP server', () => {
  it('is shown for every member with the exception or the default, and the connection', async () => {
    const [first, second] = [await member(), await member()];
    await connect(first.id);
    await connect(second.id, 'needs_consent');
    const exception = { user_id: first.id.toUpperCase(), enabled: false };
    const saved = await put('user-access', { user_access: [exception] });
    expect([saved.status, saved.body]).toEqual([200, { success: true }]);
    const byId = async (query = ''): Promise<unknown> => {
      const access = await get<UserAccess>(`user-access${query}`);
      return [access.default_user_access, Object.fromEntries(access.data.map((row) => [row.user_id, row]))];
    };
    const name = { first_name: 'Ada', last_name: 'L' };
    const shown = (
      id: string,
      enabled: boolean,
      has_override: boolean,
      connection_status: string,
    ): object => ({
      [id]: { user_id: id, ...name, enabled, has_override, connection_status },
    });
    expect(await byId()).toEqual([
      'allow',
      {
        ...shown(first.id, false, true, 'connected'),
        ...shown(second.id, true, false, 'not_connected'),
      },
    ]);
    await put('user-access', { default_user_access: 'deny' });
    expect(await byId(`?search=${second.email.slice(0, 36)}`)).toEqual([
      'deny',
      shown(second.id, false, false, 'not_connected'),
    ]);
    const again = { user_access: [{ user_id: first.id, enabled: true }] };
    await put('user-access', again);
    expect(await api.dataSource.manager.findBy(McpServerUserEntity, { serverId: server.id })).toMatchObject([
      { userId: first.id, enabled: true },
    ]);
    expect((await get<UserAccess>('user-access?page_size=1&page=2')).data).toHaveLength(1);
  });

  it('is refused for users who are not members of the workspace, and nothing is saved', async () => {
    const { id } = await member();
    const outsider = await api.user(tenant.organisationId, 'member');
    const users = [id, outsider.id, uuidv7(), id].map((user_id) => ({ user_id, enabled: false }));
    const refused = await put('user-access', { user_access: users, default_user_access: 'deny' });
    expect(pathsOf(refused)).toEqual([400, [1, 2, 3].map((n) => `user_access.${String(n)}.user_id`)]);
    expect((await get<UserAccess>('user-access')).default_user_access).toBe('allow');
  });
});

interface Connections {
  readonly data: { readonly user_id: string; readonly connected: boolean }[];
  readonly total: number;
}

describe('connections of an MCP server', () => {
  const end = async (by: Call, query = ''): Promise<number> =>
    (await api.delete(url(`connections${query}`), by)).status;

  it('are those of the user for members, and of any user for managers and service keys', async () => {
    const [own, other, boss] = [await member(), await member(), await member('manager')];
    await connect(own.id);
    await connect(other.id, 'revoked');
    const ids = async (by: Call, query = ''): Promise<string[]> =>
      (await get<Connections>(`connections${query}`, by)).data.map(({ user_id }) => user_id);
    const within = `?workspace_id=${tenant.workspaceId}`;
    const asMember = await sessionOf(own);
    const asBoss = await sessionOf(boss);
    expect(await ids(asMember, within)).toEqual([own.id]);
    expect((await api.get(url(`connections${within}&user_id=${other.id}`), asMember)).status).toBe(403);
    expect(await ids(asBoss, within)).toEqual([]);
    expect(await ids(asBoss, `${within}&user_id=${other.id}`)).toEqual([other.id]);
    const all = await get<Connections>('connections?page_size=1');
    expect([all.total, all.data]).toEqual([
      2,
      [expect.objectContaining({ user_id: other.id, connected: false })],
    ]);

    expect(await end(asMember, `${within}&user_id=${other.id}`)).toBe(403);
    expect(await end(asBoss, `${within}&user_id=${other.id}`)).toBe(200);
    expect(await end(asMember, within)).toBe(200);
    expect(await end(asMember, within)).toBe(404);
    expect((await get<Connections>('connections')).total).toBe(0);
  });

  it('require user_id from a service key, and the right to change the server', async () => {
    const { id } = await member();
    await connect(id);
    const { organisationId, workspaceId } = tenant;
    expect(await end({ key: tenant.key })).toBe(400);
    const at = { organisationId, workspaceId };
    const reader = { key: await api.apiKey('workspace-service', at, ['mcp_servers.read']) };
    expect(await end(reader, `?user_id=${id}`)).toBe(403);
    const userKey = { key: await api.apiKey('workspace-user', { ...at, userId: id }) };
    expect((await get<Connections>('connections', userKey)).total).toBe(1);
    expect(await end(userKey)).toBe(200);
    expect(await end({ key: tenant.key }, `?user_id=${id}`)).toBe(404);
  });
});
