import { SECURITY_SETTINGS } from '@gw/auth-scopes';
import { ApiKeyEntity } from '@gw/entities';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { sampleLogRecord } from '@gw/testing';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure, Key } from '../../spec-support/api-keys';

describe('granting of rights', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  beforeEach(async () => {
    ours = await admin.tenant();
  });

  const organisationKey = (...scopes: string[]): Promise<string> =>
    admin.apiKey('organisation-service', { organisationId: ours.organisationId }, scopes);
  const person = async (
    role: 'admin' | 'manager' | 'member',
  ): Promise<{ readonly id: string; readonly token: string }> => {
    const { id, email } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: role });
    return { id, token: await admin.login(email) };
  };
  const serviceKey = async (by: object, scopes: readonly string[], body: object = {}): Promise<Key> => {
    const response = await admin.post<Key>('/v1/api-keys/workspace/service', {
      ...by,
      body: { name: 'made', scopes, ...body },
    });
    expect(response.status).toBe(200);
    return response.body;
  };
  const settle = async (off: readonly string[]): Promise<void> => {
    const all = SECURITY_SETTINGS.map(({ name, fallback }) => [name, fallback && !off.includes(name)]);
    const body = { security_settings: Object.fromEntries(all) as object };
    const response = await admin.put('/v1/admin/organisation/settings', { key: ours.adminKey, body });
    expect([response.status, response.text]).toEqual([200, '{}']);
  };
  const refusal = ({ status, body }: GatewayResponse<Failure>): unknown[] => [status, body.error?.type];
  const logOf = async (apiKeyId: string | null, userId: string | null): Promise<string> => {
    const { organisationId, workspaceId } = ours;
    const record = sampleLogRecord({ organisationId, workspaceId, apiKeyId, userId });
    await ensureLogPartitions(admin.dataSource, [dayOf(record.createdAt)]);
    await insertLogs(admin.dataSource.manager, [
      { row: requestLogRow(record), request: null, response: null },
    ]);
    return record.id;
  };

  it('refuses an invite or a role with scopes that the calling key lacks', async () => {
    const { id } = await admin.user(ours.organisationId, 'member');
    const inviting = await organisationKey('organisation_users.create');
    const updating = await organisationKey('organisation_users.update');
    const invite = (key: string, body: object): Promise<GatewayResponse<Failure>> =>
      admin.post<Failure>('/v1/admin/users/invites', {
        key,
        body: { email: 'x@example.com', role: 'member', workspaces: [], ...body },
      });
    const lacking = [403, 'scope_exceeds_creator'];
    expect(refusal(await invite(inviting, { role: 'admin' }))).toEqual(lacking);
    const workspaces = [{ id: ours.workspaceId, role: 'manager' }];
    expect(refusal(await invite(inviting, { workspaces }))).toEqual(lacking);
    const promoted = await admin.put<Failure>(`/v1/admin/users/${id}`, {
      key: updating,
      body: { role: 'admin' },
    });
    expect(refusal(promoted)).toEqual(lacking);
    expect((await invite(ours.adminKey, { role: 'admin', workspaces })).status).toBe(200);
  });

  it('refuses to resend an invite for a key that lacks the rights of the invite', async () => {
    const { body } = await admin.post<{ id: string }>('/v1/admin/users/invites', {
      key: ours.adminKey,
      body: { email: 'y@example.com', role: 'admin', workspaces: [] },
    });
    const key = await organisationKey('organisation_users.create');
    const again = await admin.post<Failure>(`/v1/admin/users/invites/${body.id}/resend`, { key });
    expect(refusal(again)).toEqual([403, 'scope_exceeds_creator']);
  });

  it('refuses to rotate a key with a scope that the caller lacks, in an organisation and in a workspace', async () => {
    const { manager } = admin.dataSource;
    const { organisationId, workspaceId } = ours;
    for (const type of ['organisation-service', 'workspace-service'] as const) {
      const target = await manager.findOneByOrFail(ApiKeyEntity, { organisationId, type });
      const at = type === 'organisation-service' ? { organisationId } : { organisationId, workspaceId };
      const key = await admin.apiKey(type, at, [`${type.replace('-', '_')}_api_keys.rotate`]);
      const response = await admin.post<Failure>(`/v1/api-keys/${target.id}/rotate`, { key, body: {} });
      expect(refusal(response)).toEqual([403, 'scope_exceeds_creator']);
      expect(response.text).not.toContain('"key"');
    }
  });

  it('returns the new secret of a user key only to its user', async () => {
    const member = await person('member');
    const made = await admin.post<Key>('/v1/api-keys/workspace/user', {
      token: member.token,
      body: { name: 'mine', scopes: ['completions.write'] },
    });
    const rotate = (by: object): Promise<GatewayResponse<Failure>> =>
      admin.post<Failure>(`/v1/api-keys/${made.body.id}/rotate`, { ...by, body: {} });
    const manager = await person('manager');
    for (const by of [{ token: manager.token }, { key: ours.key }, { key: ours.adminKey }]) {
      expect(refusal(await rotate(by))).toEqual([403, 'forbidden']);
    }
    expect((await rotate({ token: member.token })).status).toBe(200);
  });

  it('applies the settings that restrict the creator of a service key to that key and to keys that it creates', async () => {
    await settle(['managersViewAllData']);
    const manager = await person('manager');
    const scopes = ['logs.list', 'logs.view', 'completions.write', 'workspace_service_api_keys.create'];
    const first = await serviceKey({ token: manager.token }, scopes);
    const second = await serviceKey({ key: first.key }, ['logs.list', 'logs.view']);
    const others = await logOf(null, null);
    const own = await logOf(null, manager.id);
    for (const { key } of [first, second]) {
      const { body } = await admin.get<{ data: { id: string }[] }>('/v1/logs', { key });
      expect(body.data.map(({ id }) => id)).toEqual([own]);
      expect((await admin.get(`/v1/logs/${others}`, { key })).status).toBe(404);
    }
    // The current settings apply to existing keys too.
    await settle(['managersViewAllData', 'managersViewLogs']);
    expect((await admin.get<Failure>(`/v1/logs/${own}`, { key: first.key })).status).toBe(403);
  });

  it('refuses a manager restricted to their own data to rotate or rescope a key that reads all data', async () => {
    await settle(['managersViewAllData']);
    const { token } = await person('manager');
    const { id } = await serviceKey({ key: ours.key }, ['logs.list']);
    const plain = await serviceKey({ key: ours.key }, ['completions.write']);
    const rotated = await admin.post<Failure>(`/v1/api-keys/${id}/rotate`, { token, body: {} });
    expect(refusal(rotated)).toEqual([403, 'forbidden']);
    const body = { scopes: ['logs.list', 'completions.write'] };
    expect(refusal(await admin.put<Failure>(`/v1/api-keys/${plain.id}`, { token, body }))).toEqual([
      403,
      'forbidden',
    ]);
  });

  it('keeps a manager below the workspace admins, even with keys that the manager created', async () => {
    const manager = await person('manager');
    const boss = await person('admin');
    const ranked = ['workspace_users.update', 'workspace_users.delete'];
    const all = await serviceKey({ token: manager.token }, [
      ...ranked,
      'workspace_user_api_keys.create',
      'workspace_user_api_keys.rotate',
    ]);
    const members = `/v1/workspaces/${ours.workspaceId}/users`;
    for (const by of [{ token: manager.token }, { key: all.key }]) {
      const up = await admin.put<Failure>(`${members}/${manager.id}`, { ...by, body: { role: 'admin' } });
      expect(up.status).toBe(403);
      expect((await admin.delete(`${members}/${boss.id}`, by)).status).toBe(403);
    }
    // The secret of a key or a user of a higher rank would give the same rights.
    const unbound = await serviceKey({ token: boss.token }, ranked);
    const stolen = await admin.post<Failure>(`/v1/api-keys/${unbound.id}/rotate`, {
      token: manager.token,
      body: {},
    });
    expect(refusal(stolen)).toEqual([403, 'forbidden']);
    const posed = await admin.post<Failure>('/v1/api-keys/workspace/user', {
      token: manager.token,
      body: { name: 'posed', scopes: ranked, user_id: boss.id },
    });
    expect(refusal(posed)).toEqual([403, 'forbidden']);
  });

  it('refuses to give a role with a key that holds only the scope of the route', async () => {
    const { id } = await person('member');
    const key = await admin.apiKey('workspace-service', ours, ['workspace_users.update']);
    const response = await admin.put<Failure>(`/v1/workspaces/${ours.workspaceId}/users/${id}`, {
      key,
      body: { role: 'manager' },
    });
    expect(refusal(response)).toEqual([403, 'scope_exceeds_creator']);
  });

  it('refuses to turn on a security setting that restricts the caller or gives scopes that the caller lacks', async () => {
    await settle(['managersViewLogs']);
    const overrides = { workspace_overrides: { logs: true, configs: true } };
    await admin.put('/v1/admin/organisation/settings', { key: ours.adminKey, body: overrides });
    const manager = await person('manager');
    const shown = await admin.get<{ security_settings: object }>(`/v1/workspaces/${ours.workspaceId}`, {
      key: ours.adminKey,
    });
    const open = (name: string): object => ({
      security_settings: { ...shown.body.security_settings, [name]: true },
    });
    const path = `/v1/workspaces/${ours.workspaceId}`;
    const byManager = await admin.put<Failure>(path, {
      token: manager.token,
      body: open('managersViewLogs'),
    });
    expect(refusal(byManager)).toEqual([403, 'forbidden']);
    const key = await admin.apiKey('workspace-service', ours, ['workspaces.update']);
    const byKey = await admin.put<Failure>(path, { key, body: open('membersWriteConfigs') });
    expect(refusal(byKey)).toEqual([403, 'scope_exceeds_creator']);
    expect((await admin.put(path, { key: ours.key, body: open('membersWriteConfigs') })).status).toBe(200);
  });

  it("refuses a member's changes of limits, expiry and config that a manager set on the member's key", async () => {
    const { token, id: userId } = await person('member');
    const { token: byManager } = await person('manager');
    const limits = {
      usage_limits: { type: 'cost', credit_limit: 5 },
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const { body } = await admin.post<Key>('/v1/api-keys/workspace/user', {
      token: byManager,
      body: { name: 'limited', scopes: ['completions.write'], user_id: userId, ...limits },
    });
    const change = (by: string, input: object): Promise<GatewayResponse<Failure>> =>
      admin.put<Failure>(`/v1/api-keys/${body.id}`, { token: by, body: input });
    const lifts = [
      { usage_limits: null },
      { expires_at: null },
      { reset_usage: true },
      { rate_limits: [{ type: 'requests', unit: 'rpm', value: 9 }] },
      { defaults: { allow_config_override: false } },
    ];
    for (const lift of lifts) expect(refusal(await change(token, lift))).toEqual([403, 'forbidden']);
    expect((await change(token, { name: 'renamed' })).status).toBe(200);
    expect((await change(byManager, { usage_limits: null, expires_at: null })).status).toBe(200);
  });

  it('refuses changes by workspace roles of workspace limits and policies that the organisation set', async () => {
    const { token } = await person('manager');
    const path = `/v1/workspaces/${ours.workspaceId}`;
    const limits = { usage_limits: [{ type: 'cost', credit_limit: 5 }] };
    expect((await admin.put(path, { key: ours.adminKey, body: limits })).status).toBe(200);
    for (const by of [{ token }, { key: ours.key }]) {
      const cleared = await admin.put<Failure>(path, { ...by, body: { usage_limits: null } });
      expect(refusal(cleared)).toEqual([403, 'forbidden']);
      const added = { rate_limits: [{ type: 'requests', unit: 'rpm', value: 9 }] };
      expect(refusal(await admin.put<Failure>(path, { ...by, body: added }))).toEqual([403, 'forbidden']);
    }
    const policy = await admin.post<{ id: string }>('/v1/policies/usage-limits', {
      key: ours.adminKey,
      body: {
        workspace_id: ours.workspaceId,
        conditions: [{ key: 'metadata.team', value: ['a'] }],
        group_by: [{ key: 'api_key' }],
        name: 'cap',
        type: 'cost',
        credit_limit: 5,
      },
    });
    const at = `/v1/policies/usage-limits/${policy.body.id}`;
    expect(refusal(await admin.put<Failure>(at, { token, body: { credit_limit: 500 } }))).toEqual([
      403,
      'forbidden',
    ]);
    expect(refusal(await admin.delete<Failure>(at, { token }))).toEqual([403, 'forbidden']);
    expect((await admin.delete(at, { key: ours.adminKey })).status).toBe(200);
  });

  it("refuses a key's changes of its own limits", async () => {
    const scopes = ['workspace_service_api_keys.update'];
    const { id, key } = await serviceKey({ key: ours.key }, scopes, {
      usage_limits: { type: 'cost', credit_limit: 5 },
    });
    const response = await admin.put<Failure>(`/v1/api-keys/${id}`, { key, body: { usage_limits: null } });
    expect(refusal(response)).toEqual([403, 'forbidden']);
  });

  it('shows a service key without logs.view only the logs of its own requests', async () => {
    const scopes = ['completions.write', 'logs.write', 'logs.list'];
    const { id, key } = await serviceKey({ key: ours.key }, scopes);
    const own = await logOf(id, null);
    const others = await logOf(null, null);
    const status = async (path: string): Promise<number> => (await admin.get(path, { key })).status;
    expect(await status(`/v1/logs/${own}`)).toBe(200);
    expect(await status(`/v1/logs/${others}`)).toBe(404);
    expect(await status('/v1/logs?q=secret')).toBe(403);
    expect((await admin.get(`/v1/logs/${others}`, { key: ours.key })).status).toBe(200);
  });
});
