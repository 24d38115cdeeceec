import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import { insertAgentIntegration, insertAgentServer, insertSkill } from '../../spec-support/agent-servers';

interface Effect {
  readonly verdict: string;
  readonly reason: string;
  readonly rule: { readonly effect: string } | null;
}
interface Effective {
  readonly data: readonly (Effect & { readonly id: string })[];
  readonly without_skill: Effect;
}

describe('effective access to an agent', () => {
  const api = new TestAdminApi();
  let tenant: Tenant;
  let integrationId: string;
  let path: string;
  beforeEach(async () => {
    tenant = await api.tenant();
    const { manager } = api.dataSource;
    ({ id: integrationId } = await insertAgentIntegration(manager, tenant));
    path = `/v1/agent-servers/${(await insertAgentServer(manager, tenant, integrationId)).id}`;
  });

  const textOf = ({ verdict, reason, rule }: Effect): string => `${verdict} ${reason} ${rule?.effect ?? '-'}`;
  async function seen(query: string, by: object = tenant): Promise<Readonly<Record<string, string>>> {
    const { status, body } = await api.get<Effective>(`${path}/effective?${query}`, by);
    expect(status).toBe(200);
    const skills = body.data.map((each) => [each.id, textOf(each)] as const);
    return { ...Object.fromEntries(skills), none: textOf(body.without_skill) };
  }
  async function put(part: string, body: object): Promise<void> {
    expect((await api.put(`${path}/${part}`, { ...tenant, body })).status).toBe(200);
  }
  const member = () => api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });

  it('contains the verdict for each skill and for messages without one, and the rule that decided', async () => {
    const user = await member();
    for (const name of ['write', 'drop', 'other', 'off'])
      await insertSkill(api.dataSource.manager, integrationId, 'skill', name, { id: name, name });
    const subject = { type: 'user', id: user.id };
    const rules = [
      { subject, skills: ['read', 'write'], effect: 'allow' },
      { subject, skills: ['d*'], effect: 'deny' },
    ];
    await put('skills', { skills: [{ id: 'off', enabled: false }] });
    expect(await seen(`user_id=${user.id}`)).toMatchObject({
      read: 'allow default -',
      none: 'allow default -',
    });
    await put('access-rules', { rules, default: 'deny' });
    expect(await seen(`user_id=${user.id}`)).toEqual({
      read: 'allow rule allow',
      write: 'allow rule allow',
      drop: 'hidden rule deny',
      other: 'hidden default -',
      off: 'hidden server_disabled -',
      none: 'hidden default -',
    });
    await put('user-access', { user_access: [{ user_id: user.id, enabled: false }] });
    expect(await seen(`user_id=${user.id}`)).toMatchObject({ read: 'hidden user_access -' });
  });

  it('of keys depends on their scopes, and members see only their own', async () => {
    const { organisationId, workspaceId } = tenant;
    const [own, other] = [await member(), await member()];
    const idOf = async (scopes: readonly string[]): Promise<string> => {
      await api.apiKey('workspace-service', { organisationId, workspaceId }, scopes);
      const [row] = await api.dataSource.query<{ id: string }[]>(
        'SELECT id FROM api_keys ORDER BY id DESC LIMIT 1',
      );
      return row?.id ?? '';
    };
    expect(await seen(`api_key_id=${await idOf(['agents.invoke'])}`)).toMatchObject({
      read: 'allow default -',
    });
    expect(await seen(`api_key_id=${await idOf(['mcp.invoke'])}`)).toEqual({
      read: 'insufficient_scope scope -',
      none: 'insufficient_scope scope -',
    });
    const within = `workspace_id=${workspaceId}`;
    const session = { token: await api.login(own.email) };
    expect(await seen(`user_id=${own.id}&${within}`, session)).toMatchObject({ read: 'allow default -' });
    const theirs = await api.get(`${path}/effective?user_id=${other.id}&${within}`, session);
    expect(theirs.status).toBe(403);
  });

  it('requires one user or key of the workspace', async () => {
    const stranger = await api.user(tenant.organisationId, 'member');
    for (const query of ['', `user_id=${stranger.id}`, `api_key_id=${uuidv7()}`])
      expect([query, (await api.get(`${path}/effective?${query}`, tenant)).status]).toEqual([query, 400]);
  });
});
