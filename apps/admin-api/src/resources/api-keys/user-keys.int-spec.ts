import { ApiKeyEntity } from '@gw/entities';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import { hashOf, lastEvent, type Failure, type Key, type List } from '../../spec-support/api-keys';

describe('user keys', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  let user: { readonly id: string; readonly token: string };

  beforeEach(async () => {
    ours = await admin.tenant();
    const made = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    user = { id: made.id, token: await admin.login(made.email) };
  });

  const settle = async (settings: object): Promise<void> => {
    const { status, text } = await admin.put('/v1/admin/organisation/settings', {
      key: ours.adminKey,
      body: { settings },
    });
    expect([status, text]).toEqual([200, '{}']);
  };
  const create = (body: object = {}): Promise<{ status: number; body: Key & Failure }> =>
    admin.post<Key & Failure>('/v1/api-keys/workspace/user', {
      token: user.token,
      body: { name: 'mine', scopes: ['completions.write'], ...body },
    });
  const read = async (id: string): Promise<Key> =>
    (await admin.get<Key>(`/v1/api-keys/${id}`, { token: user.token })).body;
  const change = (id: string, body: object): Promise<{ status: number; body: Failure }> =>
    admin.put<Failure>(`/v1/api-keys/${id}`, { token: user.token, body });
  const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
  const secondsLeft = (key: Key): number => (Date.parse(String(key['expires_at'])) - Date.now()) / 1_000;

  it('are limited in number for each user in a workspace, also for concurrent requests', async () => {
    await settle({ user_api_key_count: 2 });
    const first = await create();
    const both = await Promise.all([create(), create()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await create()).body.error.code).toBe('AB01');
    await admin.delete(`/v1/api-keys/${first.body.id}`, { token: user.token });
    expect((await create()).status).toBe(200);
    // Each user has a separate count; service keys are not counted.
    const service = { key: ours.key, body: { name: 'x', scopes: ['logs.list'] } };
    for (let n = 0; n < 3; n += 1) {
      expect((await admin.post('/v1/api-keys/workspace/service', service)).status).toBe(200);
    }
  });

  it('expire after the default lifetime, and never later than the maximum lifetime', async () => {
    await settle({ user_api_key_ttl: 3_600, user_api_key_max_ttl: 7_200 });
    const { body: made } = await create();
    const left = secondsLeft(await read(made.id));
    expect([left > 3_500, left <= 3_600]).toEqual([true, true]);
    expect((await create({ expires_at: inSeconds(7_000) })).status).toBe(200);
    for (const expires_at of [inSeconds(7_300), null]) {
      const refused = await create({ expires_at });
      expect([refused.status, refused.body.error.param]).toEqual([400, 'expires_at']);
      expect((await change(made.id, { expires_at })).status).toBe(400);
    }
    expect((await change(made.id, { expires_at: inSeconds(7_100) })).status).toBe(200);
    await settle({ user_api_key_ttl: null });
    expect(secondsLeft(await read((await create()).body.id))).toBeGreaterThan(7_000);
  });

  it('[ERR-07] accept only the enforced rotation period, without another date', async () => {
    await settle({ user_api_key_rotation_period: 'weekly' });
    const { body: made } = await create();
    expect((await read(made.id))['rotation_policy']).toMatchObject({ rotation_period_days: 7 });
    expect((await create({ rotation_policy: { rotation_period: 'weekly' } })).status).toBe(200);
    expect((await create({ rotation_policy: { rotation_period_days: 7 } })).status).toBe(200);
    const next_rotation_at = '2099-01-01T00:00:00.000Z';
    for (const rotation_policy of [
      { rotation_period: 'monthly' },
      { rotation_period_days: 8 },
      { rotation_period_days: 7, next_rotation_at },
      { next_rotation_at },
    ]) {
      const refused = await create({ rotation_policy });
      expect([refused.status, refused.body.error.code]).toEqual([400, 'AB01']);
      expect((await change(made.id, { rotation_policy })).status).toBe(400);
    }
    expect((await change(made.id, { rotation_policy: null })).status).toBe(400);
    const before = (await read(made.id))['rotation_policy'] as Record<string, unknown>;
    const transition = { rotation_period_days: 7, key_transition_period_ms: 3_600_000 };
    expect((await change(made.id, { rotation_policy: transition })).status).toBe(200);
    expect((await read(made.id))['rotation_policy']).toMatchObject({
      next_rotation_at: before['next_rotation_at'],
      key_transition_period_ms: 3_600_000,
    });
    // The enforced rotation does not apply to service keys.
    const service = { name: 'x', scopes: ['logs.list'], rotation_policy: { rotation_period_days: 90 } };
    const made2 = await admin.post('/v1/api-keys/workspace/service', { key: ours.key, body: service });
    expect(made2.status).toBe(200);
  });

  async function keysOfNewMember(role: string, workspaceId = ours.workspaceId): Promise<Key[]> {
    const { id } = await admin.user(ours.organisationId, 'member');
    const { status } = await admin.post(`/v1/workspaces/${workspaceId}/users`, {
      key: ours.adminKey,
      body: { users: [{ id, role }] },
    });
    expect(status).toBe(200);
    const { body } = await admin.get<List>('/v1/api-keys', { key: ours.adminKey });
    return body.data.filter((key) => key['user_id'] === id);
  }

  it('[REL-12] are created for new members if the settings enable it, with the rules of user keys', async () => {
    const workspaceId = await admin.workspace(ours.organisationId);
    expect(await keysOfNewMember('member', workspaceId)).toEqual([]);
    await settle({ user_api_key_auto_create: true, user_api_key_ttl: 600, user_api_key_rotation_period: 9 });
    const [key, ...more] = await keysOfNewMember('member', workspaceId);
    expect(more).toEqual([]);
    expect(key).toMatchObject({
      type: 'workspace-user',
      workspace_id: workspaceId,
      creation_mode: 'auto',
      rotation_policy: { rotation_period_days: 9 },
      scopes: [
        ...['completions.write', 'prompts.render', 'mcp.invoke', 'agents.invoke', 'guardrails.invoke'],
        ...['logs.list', 'logs.view', 'analytics.view'],
      ],
    });
    expect(secondsLeft(key as Key)).toBeLessThanOrEqual(600);
    // The default workspace has a separate setting.
    expect(await keysOfNewMember('member')).toEqual([]);
    await settle({ default_workspace_user_api_key_auto_create: true });
    expect(await keysOfNewMember('member')).toHaveLength(1);
  });

  it('[SCP-16] [REL-03] are created with those user_api_key_auto_create_scopes that the role allows', async () => {
    const workspaceId = await admin.workspace(ours.organisationId);
    await settle({
      user_api_key_auto_create: true,
      user_api_key_auto_create_scopes: ['completions.write', 'configs.read', 'configs.delete'],
    });
    const [member] = await keysOfNewMember('member', workspaceId);
    expect(member?.scopes).toEqual(['completions.write', 'configs.read']);
    const [manager] = await keysOfNewMember('manager', workspaceId);
    expect(manager?.scopes).toEqual(['completions.write', 'configs.read', 'configs.delete']);
    for (const scope of ['organisation_users.list', 'workspace_user_api_keys.create', 'no.scope']) {
      const refused = await admin.put<Failure>('/v1/admin/organisation/settings', {
        key: ours.adminKey,
        body: { settings: { user_api_key_auto_create_scopes: [scope] } },
      });
      expect([refused.status, refused.body.error.code]).toEqual([400, 'AB01']);
    }
    const own = await admin.put(`/v2/workspaces/${workspaceId}`, {
      key: ours.adminKey,
      body: { settings: { user_api_key_auto_create_scopes: ['logs.list'] } },
    });
    expect(own.status).toBe(200);
    const [narrow] = await keysOfNewMember('manager', workspaceId);
    expect(narrow?.scopes).toEqual(['logs.list']);
  });

  it('show the secret of an automatic key only to its user, by a rotation, and publish it', async () => {
    const workspaceId = await admin.workspace(ours.organisationId);
    await settle({ user_api_key_auto_create: true });
    const [key] = await keysOfNewMember('member', workspaceId);
    const path = `/v1/api-keys/${key?.id ?? ''}/rotate`;
    // Anyone with the secret can act as the user.
    expect((await admin.post(path, { key: ours.adminKey, body: {} })).status).toBe(403);
    const token = await admin.login(`${String(key?.['user_id'])}@example.com`);
    const { body } = await admin.post<Key>(path, { token, body: {} });
    expect((await lastEvent(admin)).changed).toContain(`api_key:${hashOf(body.key)}`);
    expect((await admin.get('/v1/logs', { key: body.key })).status).toBe(200);
  });

  it('[CTL-09] are found by ids, without keys of other users, and an invalid id returns 400', async () => {
    const other = await admin.tenant();
    const foreign = await admin.dataSource.manager.findOneByOrFail(ApiKeyEntity, {
      organisationId: other.organisationId,
    });
    const { body: one } = await create();
    const { body: two } = await create();
    const look = (ids: string): Promise<{ status: number; body: List }> =>
      admin.get<List>(`/v2/api-keys?ids=${ids}`, { key: ours.adminKey });
    const { body } = await look([one.id, two.id, foreign.id].join(','));
    expect(body.data.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
    expect((await look(`${one.id},nothing`)).status).toBe(400);
  });

  it('describe the calling key, masked, with its organisation and workspace on request', async () => {
    const { body: made } = await create({ scopes: ['completions.write'] });
    const { status, body } = await admin.get<{ data: Record<string, unknown> }>(
      '/v2/api-keys/self/details?include_organisation=true&include_workspace=true',
      { key: made.key },
    );
    expect([status, body.data]).toMatchObject([
      200,
      {
        api_key_details: { id: made.id, key: `${made.key.slice(0, 2)}*****${made.key.slice(-3)}` },
        organisation_details: { organisation_id: ours.organisationId },
        workspace_details: { id: ours.workspaceId },
      },
    ]);
    const { body: bare } = await admin.get<{ data: object }>('/v2/api-keys/self/details', {
      key: ours.adminKey,
    });
    expect(Object.keys(bare.data)).toEqual(['api_key_details']);
    expect((await admin.get('/v2/api-keys/self/details', { key: 'unknown' })).status).toBe(401);
  });
});
