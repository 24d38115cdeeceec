import {
  McpCapabilityEntity,
  McpConnectionEntity,
  McpServerEntity,
  McpServerUserEntity,
  ScimGroupEntity,
  ScimGroupMemberEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
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

/** Inserts a group of SCIM, and returns its id. */
async function insertGroup(
  manager: EntityManager,
  organisationId: string,
  members: readonly string[] = [],
): Promise<string> {
  const groupId = uuidv7();
  const displayName = `Group ${groupId}`;
  const group = { id: groupId, organisationId, displayName, displayNameKey: displayName.toLowerCase() };
  await manager.insert(ScimGroupEntity, group);
  for (const userId of members) await manager.insert(ScimGroupMemberEntity, { groupId, userId });
  return groupId;
}

async function connect(userId: string, status: McpConnectionEntity['status'] = 'connected'): Promise<void> {
  const { organisationId } = tenant;
  const row = { id: uuidv7(), organisationId, serverId: server.id, userId, status };
  await api.dataSource.manager.insert(McpConnectionEntity, row);
}

interface Capabilities {
  readonly data: { name: string; type: string; enabled: boolean; integration_enabled: boolean }[];
  readonly counts: Record<string, { total: number; enabled: number }>;
  readonly total: number;
  readonly has_more: boolean;
}

describe('capabilities of an MCP server', () => {
  it('are listed in the approved text with both switches and counts', async () => {
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

  it('cannot be enabled while the integration disables them, nor be unknown [MCP-01 in part]', async () => {
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
  it('shows every member with the exception or the default, and the connection', async () => {
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

  it('refuses users who are not members of the workspace, and saves nothing', async () => {
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

  it('are those of the user for members, and of anyone for managers and service keys', async () => {
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

  it('need user_id from a service key, and the right to change the server', async () => {
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

describe('access rules of an MCP server', () => {
  const rule = (more: object = {}): object => ({
    ...{ subject: { type: 'user', id: uuidv7() }, tools: ['read_*'], effect: 'allow' },
    ...more,
  });

  it('are replaced as a whole, with the default effect', async () => {
    const when = [{ pointer: '/repo', op: 'prefix', value: 'acme/' }];
    const rules = [
      rule({ when }),
      rule({ effect: 'deny', subject: { type: 'client', id: 'https://c.example' } }),
    ];
    expect((await put('access-rules', { rules, default: 'deny' })).body).toEqual({});
    const stored = [rules[0], { ...rules[1], when: [] }];
    expect(await get('access-rules')).toEqual({ rules: stored, default: 'deny' });
    await put('access-rules', { rules: [] });
    expect(await get('access-rules')).toEqual({ rules: [], default: 'deny' });
  });

  it('are refused with the path of each fault, and at most 500', async () => {
    const refused = await put('access-rules', {
      rules: [
        rule({ subject: { type: 'user', id: 'me' } }),
        rule({ subject: { type: 'trust', id: 'mine' } }),
        rule({ tools: ['ok', 're*ad'] }),
        rule({
          when: [
            { pointer: '/a', op: 'equals', value: 1 },
            { pointer: 'a', op: 'equals', value: 1 },
          ],
        }),
      ],
    });
    expect(pathsOf(refused)).toEqual([
      400,
      ['rules.0.subject.id', 'rules.1.subject.id', 'rules.2.tools.1', 'rules.3.when.1'],
    ]);
    const other = await api.tenant();
    const foreign = await insertGroup(api.dataSource.manager, other.organisationId);
    const subjects = [
      { type: 'group', id: uuidv7() },
      { type: 'group', id: 'engineering' },
      { type: 'group', id: foreign },
      { type: 'role', id: 'boss' },
    ];
    for (const subject of subjects) {
      const unknown = await put('access-rules', { rules: [rule({ subject })] });
      expect([subject, ...(pathsOf(unknown) as unknown[])]).toEqual([subject, 400, ['rules.0.subject.id']]);
    }
    expect((await put('access-rules', { rules: Array.from({ length: 501 }, () => rule()) })).status).toBe(
      400,
    );
    expect((await put('access-rules', { rules: [rule({ effect: 'maybe' })] })).status).toBe(400);
    expect(await get('access-rules')).toEqual({ rules: [], default: 'allow' });
  });

  it('are saved for groups of SCIM and of single sign-on, and for roles', async () => {
    const group = await insertGroup(api.dataSource.manager, tenant.organisationId);
    const rules = [
      { type: 'group', id: group },
      { type: 'group', id: 'sso:Engineering' },
      { type: 'role', id: 'manager' },
      { type: 'role', id: 'organisation_owner' },
    ].map((subject) => ({ subject, tools: ['*'], effect: 'ask', when: [] }));
    expect((await put('access-rules', { rules })).status).toBe(200);
    expect(await get('access-rules')).toEqual({ rules, default: 'allow' });
  });
});

interface Effective {
  readonly data: { name: string; verdict: string; reason: string; rule: { effect: string } | null }[];
}

describe('effective access to an MCP server', () => {
  const seen = async (query: string, by?: Call): Promise<unknown> =>
    (await get<Effective>(`effective?${query}`, by)).data.map(
      ({ name, verdict, reason, rule }) => `${name} ${verdict} ${reason} ${rule?.effect ?? '-'}`,
    );

  it('names the verdict for each tool and the rule that decided', async () => {
    const { manager } = api.dataSource;
    const user = await member();
    const names = ['read', 'write', 'drop', 'other', 'off', 'disabled'];
    for (const [position, name] of names.entries())
      await insertCapability(manager, integrationId, name, { position, enabled: name !== 'disabled' });
    const subject = { type: 'user', id: user.id };
    const rules = [
      { subject, tools: ['read', 'write'], effect: 'allow' },
      { subject, tools: ['d*'], effect: 'deny' },
    ];
    await put('access-rules', { rules, default: 'deny' });
    await put('capabilities', { capabilities: [{ type: 'tool', name: 'off', enabled: false }] });
    expect(await seen(`user_id=${user.id}`)).toEqual([
      'read allow rule allow',
      'write allow rule allow',
      'drop hidden rule deny',
      'other hidden default -',
      'off hidden server_disabled -',
      'disabled hidden integration_disabled -',
    ]);
    const exception = { user_id: user.id, enabled: false };
    await put('user-access', { user_access: [exception] });
    expect(await seen(`user_id=${user.id}&page_size=1`)).toEqual(['read hidden user_access -']);
  });

  it('judges users by their groups and roles', async () => {
    const { manager } = api.dataSource;
    const user = await member('manager');
    const group = await insertGroup(manager, tenant.organisationId, [user.id]);
    for (const [position, name] of ['read', 'write', 'drop'].entries())
      await insertCapability(manager, integrationId, name, { position });
    const rules = [
      { subject: { type: 'group', id: group }, tools: ['read'], effect: 'allow' },
      { subject: { type: 'role', id: 'manager' }, tools: ['write'], effect: 'ask' },
      { subject: { type: 'role', id: 'organisation_admin' }, tools: ['drop'], effect: 'allow' },
    ];
    await put('access-rules', { rules, default: 'deny' });
    const expected = ['read allow rule allow', 'write allow rule ask', 'drop hidden default -'];
    expect(await seen(`user_id=${user.id}`)).toEqual(expected);
  });

  it('judges keys by their scopes and users, and members only themselves', async () => {
    const { organisationId, workspaceId } = tenant;
    await insertCapability(api.dataSource.manager, integrationId, 'read');
    const [own, other] = [await member(), await member()];
    const idOf = async (scopes: readonly string[], userId?: string): Promise<string> => {
      const type = userId === undefined ? 'workspace-service' : 'workspace-user';
      const at = { organisationId, workspaceId, ...(userId === undefined ? {} : { userId }) };
      await api.apiKey(type, at, scopes);
      const [row] = await api.dataSource.query<{ id: string }[]>(
        'SELECT id FROM api_keys ORDER BY id DESC LIMIT 1',
      );
      return row?.id ?? '';
    };
    expect(await seen(`api_key_id=${await idOf(['mcp.invoke'])}`)).toEqual(['read allow default -']);
    expect(await seen(`api_key_id=${await idOf(['logs.list'])}`)).toEqual([
      'read insufficient_scope scope -',
    ]);
    const theirs = await idOf(['mcp.invoke'], other.id);
    await put('user-access', { user_access: [{ user_id: other.id, enabled: false }] });
    expect(await seen(`api_key_id=${theirs}`)).toEqual(['read hidden user_access -']);

    const within = `workspace_id=${workspaceId}`;
    const session = await sessionOf(own);
    expect(await seen(`user_id=${own.id}&${within}`, session)).toEqual(['read allow default -']);
    for (const query of [`user_id=${other.id}`, `api_key_id=${theirs}`])
      expect((await api.get(url(`effective?${query}&${within}`), session)).status).toBe(403);
  });

  it('needs one user or key of the workspace', async () => {
    const stranger = await api.user(tenant.organisationId, 'member');
    for (const query of [
      '',
      `user_id=${stranger.id}`,
      `api_key_id=${uuidv7()}`,
      `user_id=${uuidv7()}&api_key_id=${uuidv7()}`,
    ])
      expect([query, (await api.get(url(`effective?${query}`), tenant)).status]).toEqual([query, 400]);
  });
});
