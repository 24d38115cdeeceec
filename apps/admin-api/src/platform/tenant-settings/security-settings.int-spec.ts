import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import { uuidv7 } from '@gw/kernel';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { sampleLogRecord } from '@gw/testing';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

interface Settings {
  readonly security_settings: Record<string, boolean>;
  readonly workspace_overrides: Record<string, boolean>;
  readonly settings: Record<string, unknown>;
}

describe('security settings of an organisation and its workspaces', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  beforeEach(async () => {
    ours = await admin.tenant();
  });

  const ORGANISATION = '/v1/admin/organisation/settings';
  const organisation = (body: object): Promise<{ status: number; body: Failure }> =>
    admin.put<Failure>(ORGANISATION, { key: ours.adminKey, body });
  const shown = async (): Promise<Settings> =>
    (await admin.get<Settings>(ORGANISATION, { key: ours.adminKey })).body;
  const workspace = (body: object): Promise<{ status: number; body: Failure }> =>
    admin.put<Failure>(`/v2/workspaces/${ours.workspaceId}`, { key: ours.adminKey, body });
  const inForce = async (): Promise<Record<string, boolean>> =>
    (await admin.get<Settings>(`/v2/workspaces/${ours.workspaceId}`, { key: ours.adminKey })).body
      .security_settings;

  it('start with the 35 defaults, and no category may be overridden', async () => {
    const { security_settings, workspace_overrides } = await shown();
    expect(security_settings).toEqual(DEFAULT_SECURITY);
    expect(Object.keys(security_settings)).toHaveLength(35);
    expect(workspace_overrides).toMatchObject({
      logs: false,
      configs: false,
    });
    expect(await inForce()).toEqual(DEFAULT_SECURITY);
  });

  it('can only be changed as a whole: a partial set and values that are not booleans are refused', async () => {
    const part = await organisation({ security_settings: { membersViewLogs: false } });
    expect([part.status, part.body.error.code]).toEqual([400, 'AB01']);
    const { membersViewLogs: _, ...rest } = DEFAULT_SECURITY;
    expect((await workspace({ security_settings: rest })).status).toBe(400);
    expect(
      (await organisation({ security_settings: { ...DEFAULT_SECURITY, membersViewLogs: 1 } })).status,
    ).toBe(400);
  });

  it('[REL-08] are overridden by a workspace only where the organisation allows its category', async () => {
    const wanted = { ...DEFAULT_SECURITY, membersViewConfigs: false };
    const refused = await workspace({ security_settings: wanted });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'security_settings.membersViewConfigs']);
    // A value equal to the organisation's is not an override.
    expect((await workspace({ security_settings: DEFAULT_SECURITY })).status).toBe(200);
    expect((await organisation({ workspace_overrides: { configs: true } })).status).toBe(200);
    expect((await workspace({ security_settings: wanted })).status).toBe(200);
    expect(await inForce()).toEqual(wanted);
    expect((await shown()).security_settings).toEqual(DEFAULT_SECURITY);
    const other = { ...wanted, membersViewLogs: false };
    expect((await workspace({ security_settings: other })).status).toBe(400);
  });

  it('[REL-08] return permanently to the organisation’s values when the organisation no longer permits overrides', async () => {
    await organisation({ workspace_overrides: { configs: true } });
    await workspace({ security_settings: { ...DEFAULT_SECURITY, membersViewConfigs: false } });
    await organisation({ workspace_overrides: { configs: false } });
    expect(await inForce()).toEqual(DEFAULT_SECURITY);
    await organisation({ workspace_overrides: { configs: true } });
    expect(await inForce()).toEqual(DEFAULT_SECURITY);
  });

  it('[REL-17 in part] hide configs from members or make them read-only, and allow changes when turned on', async () => {
    const { email } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const token = await admin.login(email);
    const create = async (): Promise<number> =>
      (await admin.post('/v1/configs', { token, body: { name: 'Mine', config: { provider: '@openai' } } }))
        .status;
    expect([(await admin.get('/v1/configs', { token })).status, await create()]).toEqual([200, 403]);
    await organisation({ security_settings: { ...DEFAULT_SECURITY, membersWriteConfigs: true } });
    expect(await create()).toBe(200);
    await organisation({ security_settings: { ...DEFAULT_SECURITY, membersViewConfigs: false } });
    const { status, body } = await admin.get<Failure & { error: { security_settings: string[] } }>(
      '/v1/configs',
      { token },
    );
    expect([status, body.error.code, body.error.security_settings]).toEqual([
      403,
      'AB03',
      ['membersViewConfigs'],
    ]);
  });

  it('restrict a user to requests made with their own keys, in lists and single reads', async () => {
    const mine = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const token = await admin.login(mine.email);
    const { organisationId, workspaceId } = ours;
    const records = [mine.id, uuidv7()].map((userId) => ({
      ...sampleLogRecord(),
      organisationId,
      workspaceId,
      userId,
    }));
    for (const record of records) {
      await ensureLogPartitions(admin.dataSource, [dayOf(new Date(record.createdAt))]);
      await insertLogs(admin.dataSource.manager, [
        { row: requestLogRow(record), request: null, response: null },
      ]);
    }
    const listed = async (): Promise<string[]> =>
      (await admin.get<{ data: { id: string }[] }>('/v1/logs', { token })).body.data
        .map(({ id }) => id)
        .sort();
    const one = async (index: number): Promise<number> =>
      (await admin.get(`/v1/logs/${records[index]?.id ?? ''}`, { token })).status;
    expect(await listed()).toEqual(records.map(({ id }) => id).sort());
    await organisation({ security_settings: { ...DEFAULT_SECURITY, membersViewAllData: false } });
    expect(await listed()).toEqual([records[0]?.id]);
    expect([await one(0), await one(1)]).toEqual([200, 404]);
  });

  it('apply to owners only for the two settings of owners, and not to service keys', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const token = await admin.login(email);
    await organisation({
      security_settings: { ...DEFAULT_SECURITY, organisationAdminsViewLogMetadata: false },
    });
    expect((await admin.get('/v1/logs', { token })).status).toBe(403);
    expect((await admin.get('/v1/logs', { key: ours.key })).status).toBe(200);
  });

  it('prevent a manager from creating a key with scopes that a setting denies to the manager', async () => {
    const { email } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'manager' });
    const token = await admin.login(email);
    const body = { name: 'x', scopes: ['configs.create'] };
    expect((await admin.post('/v1/api-keys/workspace/service', { token, body })).status).toBe(200);
    await organisation({ security_settings: { ...DEFAULT_SECURITY, managersWriteConfigs: false } });
    const refused = await admin.post<Failure>('/v1/api-keys/workspace/service', { token, body });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'scope_exceeds_creator']);
  });

  it('prevent a user key from giving a role above that of its user', async () => {
    const { organisationId, workspaceId } = ours;
    const manager = await admin.user(organisationId, 'member', { [workspaceId]: 'manager' });
    const key = await admin.apiKey('workspace-user', { organisationId, workspaceId, userId: manager.id });
    const url = `/v1/workspaces/${workspaceId}/users/${manager.id}`;
    expect((await admin.put(url, { key, body: { role: 'admin' } })).status).toBe(403);
  });

  it('let a workspace change its user key settings until the organisation no longer permits that', async () => {
    const body = { settings: { user_api_key_count: 3, debug_log: 0 } };
    expect((await workspace(body)).status).toBe(200);
    await organisation({ workspace_overrides: { user_api_keys: false } });
    const refused = await workspace(body);
    expect([refused.status, refused.body.error.param]).toEqual([400, 'settings.user_api_key_count']);
    const { settings } = (
      await admin.get<Settings>(`/v2/workspaces/${ours.workspaceId}`, { key: ours.adminKey })
    ).body;
    expect(settings).toMatchObject({ user_api_key_count: null, debug_log: 0 });
  });

  it('may be set again by a workspace after the organisation deleted what a higher role had set', async () => {
    const byWorkspace = async (count: number): Promise<number> =>
      (
        await admin.put(`/v2/workspaces/${ours.workspaceId}`, {
          key: ours.key,
          body: { settings: { user_api_key_count: count } },
        })
      ).status;
    expect((await workspace({ settings: { user_api_key_count: 3 } })).status).toBe(200);
    expect(await byWorkspace(9)).toBe(403);
    await organisation({ workspace_overrides: { user_api_keys: false } });
    await organisation({ workspace_overrides: { user_api_keys: true } });
    expect(await byWorkspace(9)).toBe(200);
  });

  it('[LIM-02] accept a rotation period of 1 to 365 days, weekly or monthly', async () => {
    const period = async (value: unknown): Promise<unknown> => {
      const { status } = await organisation({ settings: { user_api_key_rotation_period: value } });
      return status === 200 ? (await shown()).settings['user_api_key_rotation_period'] : status;
    };
    expect(await period('weekly')).toBe(7);
    expect(await period('monthly')).toBe(30);
    expect([await period(1), await period(365)]).toEqual([1, 365]);
    for (const value of [0, 366, 1.5, 'daily', true]) expect(await period(value)).toBe(400);
    expect(await period('')).toBe('');
    expect([await period(9), await period(null)]).toEqual([9, '']);
  });

  it('can be sent back as they are shown, for an organisation and a workspace, without a change', async () => {
    const places = [
      ['/v1/admin/organisation/settings', ['settings', 'security_settings', 'workspace_overrides']],
      [`/v1/workspaces/${ours.workspaceId}`, ['settings', 'security_settings']],
    ] as const;
    for (const period of ['', 30, null]) {
      for (const [url, names] of places) {
        const key = ours.adminKey;
        const settings = { user_api_key_rotation_period: period };
        expect((await admin.put(url, { key, body: { settings } })).status).toBe(200);
        const before = (await admin.get(url, { key })).body;
        const body = Object.fromEntries(names.map((name) => [name, before[name]]));
        expect([url, period, (await admin.put(url, { key, body })).status]).toEqual([url, period, 200]);
        expect((await admin.get(url, { key })).body).toMatchObject(body);
      }
    }
  });
});
