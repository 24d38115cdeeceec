import { AgentServerEntity, AgentServerSkillEntity, AgentServerUserEntity } from '@gw/entities';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { insertAgentIntegration, insertAgentServer } from '../../spec-support/agent-servers';
import { insertGroup } from '../../spec-support/scim-groups';

const PATH = '/v1/agent-servers';

interface Failure {
  readonly error: {
    readonly type: string;
    readonly param: string | null;
    readonly details?: readonly { readonly path: string }[];
  };
}
type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly slug: string };

describe('agents of workspaces', () => {
  const admin = new TestAdminApi({ PUBLIC_URL: 'https://gateway.example.com' });
  const [ours, other] = [admin.sharedTenant(), admin.sharedTenant()];
  const call = { key: ours.key };

  const create = (body: object, by: object = call): Promise<GatewayResponse<Failure & Shown>> =>
    admin.post(PATH, { ...by, body });
  const upstream = (): ReturnType<typeof insertAgentIntegration> =>
    insertAgentIntegration(admin.dataSource.manager, ours);
  async function made(body: object = {}): Promise<Shown> {
    const { slug } = await upstream();
    const response = await create({ name: 'Travel agent', agent_integration_id: slug, ...body });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body;
  }
  const refusal = ({ status, body }: GatewayResponse<Failure>): unknown[] => [
    ...[status, body.error.type, body.error.param],
  ];

  it('are created from an integration that the workspace may use, and show their client URL', async () => {
    const { id, slug } = await made({ slug: 'travel', description: 'Books.' });
    expect(slug).toBe('travel');
    const { body } = await admin.get<Shown>(`${PATH}/travel`, call);
    expect(body).toMatchObject({
      ...{ id, name: 'Travel agent', description: 'Books.', listed: 'workspace', auth_type: 'none' },
      agent_integration_url: 'https://agent.example.com',
      agent_integration_details: { status: 'active', configurations: {}, sync_status: 'pending' },
    });
    expect(body['url']).toBe(`https://gateway.example.com/${String(body['workspace_slug'])}/agents/travel`);
    expect(
      (await admin.put(`${PATH}/${id}`, { ...call, body: { name: 'T', listed: 'public' } })).status,
    ).toBe(200);
    const list = await admin.get<{ data: Shown[]; total: number }>(`${PATH}?search=travel`, call);
    expect(list.body.data).toMatchObject([{ id, name: 'T', listed: 'public' }]);
    expect(refusal(await create({ name: 'x', agent_integration_id: 'nope' }))).toEqual([
      ...[400, 'validation_failed', 'agent_integration_id'],
    ]);
    const foreign = await insertAgentIntegration(admin.dataSource.manager, other);
    expect((await create({ name: 'x', agent_integration_id: foreign.id })).status).toBe(400);
    const again = await create({ name: 'x', agent_integration_id: (await upstream()).id, slug: 'travel' });
    expect(refusal(again)).toEqual([409, 'conflict', 'slug']);
  });

  it.each(['mcp', 'sse', 'messages', 'MCP'])(
    'cannot have the slug %s, whose URL would be that of an MCP server',
    async (slug) => {
      const { id } = await upstream();
      const refused = await create({ name: 'x', agent_integration_id: id, slug });
      expect(refusal(refused)).toEqual([400, 'validation_failed', 'slug']);
    },
  );

  it('are hidden from other organisations and workspaces', async () => {
    const { id } = await made();
    for (const key of [other.key, other.adminKey])
      for (const path of ['', '/skills', '/user-access', '/access-rules', '/agent-card'])
        expect((await admin.get(`${PATH}/${id}${path}`, { key })).status).toBe(404);
    const neighbour = await admin.workspace(ours.organisationId);
    const server = await insertAgentServer(
      admin.dataSource.manager,
      { organisationId: ours.organisationId, workspaceId: neighbour },
      (await upstream()).id,
    );
    expect((await admin.get(`${PATH}/${server.id}`, call)).status).toBe(404);
  });

  it('show the card that callers get, without disabled skills', async () => {
    const { id, slug } = await made();
    const card = async (): Promise<Record<string, unknown>> =>
      (await admin.get<Record<string, unknown>>(`${PATH}/${id}/agent-card`, call)).body;
    const first = await card();
    expect(first).toMatchObject({ name: 'Agent', skills: [{ id: 'read' }], preferredTransport: 'JSONRPC' });
    expect(String(first['url'])).toMatch(new RegExp(`^https://gateway.example.com/.*/agents/${slug}$`));
    expect(JSON.stringify(first)).not.toContain('agent.example.com');
    const put = (skills: readonly object[]): Promise<GatewayResponse<Failure>> =>
      admin.put(`${PATH}/${id}/skills`, { ...call, body: { skills } });
    expect((await put([{ id: 'read', enabled: false }])).body).toEqual({ success: true });
    expect((await card())['skills']).toEqual([]);
    const { data } = (await admin.get<{ data: Shown[] }>(`${PATH}/${id}/skills`, call)).body;
    expect(data).toMatchObject([{ id: 'read', enabled: false, integration_enabled: true }]);
    expect(refusal(await put([{ id: 'nope', enabled: true }]))).toEqual([
      ...[400, 'validation_failed', 'skills.0.id'],
    ]);
  });

  it('show a card without what the gateway does not serve: notifications without its URL, and an unread extended card', async () => {
    const { id } = await made();
    const more = { supportsAuthenticatedExtendedCard: true, capabilities: { pushNotifications: true } };
    await admin.dataSource.query(
      `UPDATE agent_skills SET approved = approved || $1::jsonb WHERE type = 'agent' AND integration_id =
         (SELECT integration_id FROM agent_servers WHERE id = $2)`,
      [JSON.stringify(more), id],
    );
    expect((await admin.get(`${PATH}/${id}/agent-card`, call)).body).toMatchObject({
      supportsAuthenticatedExtendedCard: false,
      capabilities: { pushNotifications: false, extendedAgentCard: false },
    });
  });

  it('cannot offer a skill that the integration has disabled', async () => {
    const { id } = await made();
    const { body } = await admin.get<Shown>(`${PATH}/${id}`, call);
    const off = { skills: [{ id: 'read', enabled: false }] };
    const at = `/v1/agent-integrations/${String(body['agent_integration_id'])}/skills`;
    expect((await admin.put(at, { key: ours.adminKey, body: off })).status).toBe(200);
    const on = { skills: [{ id: 'read', enabled: true }] };
    const refused = await admin.put<Failure>(`${PATH}/${id}/skills`, { ...call, body: on });
    expect(refusal(refused)).toEqual([400, 'validation_failed', 'skills.0.enabled']);
  });

  it('have exceptions for members, which end with the membership', async () => {
    const { id } = await made();
    const user = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const put = (body: object): Promise<GatewayResponse<Failure>> =>
      admin.put(`${PATH}/${id}/user-access`, { ...call, body });
    const access = { user_access: [{ user_id: user.id, enabled: true }], default_user_access: 'deny' };
    expect((await put(access)).body).toEqual({ success: true });
    const { body } = await admin.get<{ data: Shown[]; default_user_access: string }>(
      `${PATH}/${id}/user-access`,
      call,
    );
    expect(body.default_user_access).toBe('deny');
    expect(body.data.find(({ user_id }) => user_id === user.id)).toMatchObject({
      ...{ enabled: true, has_override: true },
    });
    const stranger = await put({ user_access: [{ user_id: other.organisationId, enabled: true }] });
    expect(refusal(stranger)).toEqual([400, 'validation_failed', 'user_access.0.user_id']);
    const gone = `/v1/admin/workspaces/${ours.workspaceId}/users/${user.id}`;
    expect((await admin.delete(gone, { key: ours.adminKey })).status).toBe(200);
    expect(await admin.dataSource.manager.countBy(AgentServerUserEntity, { serverId: id })).toBe(0);
  });

  it('have rules about skills for subjects that gateways know', async () => {
    const { id } = await made();
    const put = (body: object): Promise<GatewayResponse<Failure>> =>
      admin.put(`${PATH}/${id}/access-rules`, { ...call, body });
    const rule = { subject: { type: 'client', id: 'app' }, skills: ['book-*', 'read'], effect: 'allow' };
    expect((await put({ rules: [rule], default: 'deny' })).status).toBe(200);
    expect((await admin.get(`${PATH}/${id}/access-rules`, call)).body).toEqual({
      rules: [rule],
      default: 'deny',
    });
    const { manager } = admin.dataSource;
    const foreign = await insertGroup(manager, other.organisationId);
    const subjects = [
      { type: 'user', id: 'x' },
      { type: 'role', id: 'boss' },
      { type: 'group', id: 'engineering' },
    ];
    const faulty = subjects.map((subject) => ({ ...rule, subject }));
    const pathsOf = ({ body }: GatewayResponse<Failure>): string[] =>
      (body.error.details ?? []).map(({ path }) => path);
    expect(pathsOf(await put({ rules: [...faulty, { ...rule, skills: ['a*b'] }] }))).toEqual([
      ...['rules.0.subject.id', 'rules.1.subject.id', 'rules.2.subject.id', 'rules.3.skills.0'],
    ]);
    expect(pathsOf(await put({ rules: [{ ...rule, subject: { type: 'group', id: foreign } }] }))).toEqual([
      'rules.0.subject.id',
    ]);
  });

  it('have rules for SCIM groups, groups from single sign-on, and roles', async () => {
    const { id } = await made();
    const group = await insertGroup(admin.dataSource.manager, ours.organisationId);
    const rules = [
      { type: 'group', id: group },
      { type: 'group', id: 'sso:Engineering' },
      { type: 'role', id: 'manager' },
    ].map((subject) => ({ subject, skills: ['*'], effect: 'deny' }));
    const saved = await admin.put(`${PATH}/${id}/access-rules`, { ...call, body: { rules } });
    expect(saved.status).toBe(200);
    const { body } = await admin.get(`${PATH}/${id}/access-rules`, call);
    expect(body).toEqual({ rules, default: 'allow' });
  });

  it('require the scope of the part or of the agent', async () => {
    const { id } = await made();
    const key = await admin.apiKey('workspace-service', ours, [
      'agent_server_skills.read',
      'agent_server_user_access.update',
    ]);
    const status = async (method: 'get' | 'put', path: string, body?: object): Promise<number> =>
      (await admin[method](`${PATH}/${id}${path}`, { key, ...(body && { body }) })).status;
    expect(await status('get', '/skills')).toBe(200);
    expect(await status('get', '')).toBe(403);
    expect(await status('put', '/user-access', {})).toBe(200);
    expect(await status('put', '/skills', { skills: [{ id: 'read', enabled: true }] })).toBe(403);
  });

  it('report why a test cannot be made, and end with their parts', async () => {
    const { id } = await made();
    await admin.put(`${PATH}/${id}/skills`, { ...call, body: { skills: [{ id: 'read', enabled: false }] } });
    const { body } = await admin.get<Shown>(`${PATH}/${id}`, call);
    const at = `/v1/agent-integrations/${String(body['agent_integration_id'])}/workspaces`;
    await admin.put(at, {
      key: ours.adminKey,
      body: { workspaces: [{ id: ours.workspaceId, enabled: false }] },
    });
    expect((await admin.post(`${PATH}/${id}/test`, call)).body).toMatchObject({
      ...{ success: false, url: null, error: expect.stringContaining('may not use') },
    });
    expect((await admin.delete(`${PATH}/${id}`, call)).status).toBe(200);
    const { manager } = admin.dataSource;
    expect(await manager.countBy(AgentServerSkillEntity, { serverId: id })).toBe(0);
    expect(await manager.findOneByOrFail(AgentServerEntity, { id })).toMatchObject({ status: 'archived' });
    expect((await admin.get(`${PATH}/${id}`, call)).status).toBe(404);
  });
});
