import type { McpServerEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type Call, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { insertCapability, insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';
import { insertGroup } from '../../spec-support/scim-groups';

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

  it('are refused with the path of each fault, and when there are more than 500', async () => {
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

  it('can name SCIM groups, groups from single sign-on, and roles', async () => {
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

  it('contains the verdict for each tool and the rule that decided', async () => {
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

  it('of users depends on their groups and roles', async () => {
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

  it('of users depends on the OAuth client that they signed in with', async () => {
    const user = await member();
    await insertCapability(api.dataSource.manager, integrationId, 'read');
    const subject = { type: 'client', id: 'https://editor.example/client.json' };
    await put('access-rules', { rules: [{ subject, tools: ['read'], effect: 'deny' }] });
    const client = `client_id=${encodeURIComponent(subject.id)}`;
    expect(await seen(`user_id=${user.id}`)).toEqual(['read allow default -']);
    expect(await seen(`user_id=${user.id}&${client}`)).toEqual(['read hidden rule deny']);
  });

  it('of keys depends on their scopes and users, and members see only their own', async () => {
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

  it('requires one user or key of the workspace', async () => {
    const stranger = await api.user(tenant.organisationId, 'member');
    for (const query of [
      '',
      `user_id=${stranger.id}`,
      `api_key_id=${uuidv7()}`,
      `user_id=${uuidv7()}&api_key_id=${uuidv7()}`,
      'client_id=editor',
    ])
      expect([query, (await api.get(url(`effective?${query}`), tenant)).status]).toEqual([query, 400]);
  });
});
