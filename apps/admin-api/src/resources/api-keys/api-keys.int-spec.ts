import { ApiKeySecretEntity, AuditLogEntity } from '@gw/entities';
import { TestAdminApi } from '../../spec-support/admin-api';
import {
  createKey,
  hashOf,
  UNKNOWN_ID,
  type Failure,
  type Key,
  type List,
} from '../../spec-support/api-keys';

describe('creation of an API key', () => {
  const admin = new TestAdminApi({ API_KEY_PREFIX: 'tg_' });
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  const create = (body: object = {}): Promise<Key> => createKey(admin, ours.key, body);
  const read = async (id: string): Promise<Key> =>
    (await admin.get<Key>(`/v1/api-keys/${id}`, { key: ours.key })).body;

  it('[SCP-09] [ENV-03] generates a strictly alphanumeric secret after the prefix, shown once and stored as a hash', async () => {
    const { id, key } = await create();
    expect(key).toMatch(/^tg_[A-Za-z0-9]{32}$/);
    const shown = await read(id);
    expect(shown.key).toBe(`tg*****${key.slice(-3)}`);
    const rows = await admin.dataSource.manager.findBy(ApiKeySecretEntity, { apiKeyId: id });
    expect(rows.map(({ secretHash, state }) => [secretHash, state])).toEqual([[hashOf(key), 'current']]);
    const dump = JSON.stringify(await admin.dataSource.manager.find(AuditLogEntity));
    expect(dump).not.toContain(key);
  });

  it('returns every public field of a key, and records its creator in the audit log', async () => {
    const { id } = await create({
      description: 'for search',
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
      usage_limits: { credit_limit: 100, alert_threshold: 80, periodic_reset: 'monthly' },
      defaults: { metadata: { team: 'search' }, allow_config_override: false },
      alert_emails: ['ops@example.com'],
      expires_at: '2099-01-01T00:00:00.000Z',
      rotation_policy: { rotation_period_days: 30 },
    });
    expect(await read(id)).toMatchObject({
      id,
      type: 'workspace-service',
      organisation_id: ours.organisationId,
      workspace_id: ours.workspaceId,
      user_id: null,
      status: 'active',
      creation_mode: 'api',
      description: 'for search',
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
      usage_limits: { type: 'cost', credit_limit: 100, alert_threshold: 80, periodic_reset: 'monthly' },
      defaults: { metadata: { team: 'search' }, config_id: null, allow_config_override: false },
      allow_config_override: 0,
      alert_emails: ['ops@example.com'],
      expires_at: '2099-01-01T00:00:00.000Z',
      expiry_enforced: 1,
      rotation_policy: { rotation_period_days: 30, key_transition_period_ms: 1_800_000, status: 'ACTIVE' },
      object: 'api-key',
    });
    const [audit] = await admin.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    expect(audit).toMatchObject({ action: 'create', resourceType: 'api_keys', userType: 'api_key' });
    expect(audit?.after).toMatchObject({ name: 'search', key: '*****' });
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: '\u2003 ' }, 'name'],
    ['a long name', { name: 'x'.repeat(256) }, 'name'],
    ['text that Postgres cannot store', { name: 'a\u0000b' }, 'name'],
    ['no scopes', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['completions.write', 'nothing.read'] }, 'scopes.1'],
    ['a scope of another type of key', { scopes: ['organisation_users.list'] }, 'scopes.0'],
    ['a past expiry', { expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    ['an expiry without a time zone', { expires_at: '2099-01-01T00:00:00' }, 'expires_at'],
    [
      'a negative limit',
      { rate_limits: [{ type: 'requests', unit: 'rpm', value: -1 }] },
      'rate_limits.0.value',
    ],
    ['an unknown unit', { rate_limits: [{ type: 'requests', unit: 'rpy', value: 1 }] }, 'rate_limits.0.unit'],
    ['an unknown config', { defaults: { config_id: 'pc-nothing' } }, 'defaults.config_id'],
    ['a user on a service key', { user_id: UNKNOWN_ID }, 'user_id'],
    ['no MCP servers', { mcp: { servers: [] } }, 'mcp.servers'],
    ['an MCP tool without a server', { mcp: { tools: ['github/*', 'search'] } }, 'mcp.tools.1'],
  ])('returns 400 AB01 for %s and names the field', async (_case, body, path) => {
    const response = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: ours.key,
      body: { name: 'x', scopes: ['completions.write'], ...body },
    });
    expect(response.status).toBe(400);
    expect(response.body.error).toMatchObject({ type: 'validation_failed', code: 'AB01', param: path });
    expect(response.body.error.details?.[0]?.path).toBe(path);
  });

  it.each([
    [
      'periodic_reset with periodic_reset_days',
      { usage_limits: { credit_limit: 5, periodic_reset: 'weekly', periodic_reset_days: 3 } },
    ],
    [
      'rotation_period with rotation_period_days',
      { rotation_policy: { rotation_period: 'weekly', rotation_period_days: 3 } },
    ],
  ])('[ERR-11] refuses %s', async (_case, body) => {
    const response = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: ours.key,
      body: { name: 'x', scopes: ['completions.write'], ...body },
    });
    expect([response.status, response.body.error.code]).toEqual([400, 'AB01']);
  });

  it.each([0, 366, 1.5, '7'])(
    '[LIM-02] returns 400 for a rotation or reset period of %p days',
    async (days) => {
      for (const body of [
        { rotation_policy: { rotation_period_days: days } },
        { usage_limits: { credit_limit: 5, periodic_reset_days: days } },
      ]) {
        const response = await admin.post<Failure>('/v1/api-keys/workspace/service', {
          key: ours.key,
          body: { name: 'x', scopes: ['completions.write'], ...body },
        });
        expect([response.status, response.body.error.code]).toEqual([400, 'AB01']);
      }
    },
  );

  it.each([1, 365])('[LIM-02] accepts a rotation and reset period of %p days', async (days) => {
    await create({
      rotation_policy: { rotation_period_days: days },
      usage_limits: { credit_limit: 5, periodic_reset_days: days },
    });
  });

  it('returns 400 for unknown types of keys', async () => {
    for (const kind of ['organisation/user', 'workspace/robot', 'team/service']) {
      const response = await admin.post<Failure>(`/v1/api-keys/${kind}`, {
        key: ours.adminKey,
        body: { name: 'x', scopes: ['logs.list'] },
      });
      expect([response.status, response.body.error.code]).toEqual([400, 'AB01']);
    }
  });

  it('returns 403 for scopes that the creating key lacks', async () => {
    const at = { organisationId: ours.organisationId, workspaceId: ours.workspaceId };
    const narrow = await admin.apiKey('workspace-service', at, [
      'workspace_service_api_keys.create',
      'logs.list',
    ]);
    const response = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: narrow,
      body: { name: 'x', scopes: ['logs.list', 'configs.delete'] },
    });
    expect([response.status, response.body.error.type]).toEqual([403, 'scope_exceeds_creator']);
  });

  it('lets an organisation key create keys of a workspace that it names by id or slug', async () => {
    const id = await admin.workspace(ours.organisationId, { slug: 'team-b' });
    for (const workspace_id of [id, 'team-b']) {
      const made = await createKey(admin, ours.adminKey, { workspace_id });
      const shown = await admin.get<Key>(`/v2/api-keys/${made.id}`, { key: ours.adminKey });
      expect(shown.body['workspace_id']).toBe(id);
    }
    const without = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: ours.adminKey,
      body: { name: 'x', scopes: ['logs.list'] },
    });
    expect([without.status, without.body.error.param]).toEqual([400, 'workspace_id']);
  });

  it('[SCP-07] returns 403 for a user key with scopes above the role of its creator', async () => {
    const { email } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const token = await admin.login(email);
    const body = { name: 'mine', scopes: ['completions.write', 'configs.delete'] };
    const refused = await admin.post<Failure>('/v1/api-keys/workspace/user', { token, body });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'scope_exceeds_creator']);
    const taken = await admin.post('/v1/api-keys/workspace/user', {
      token,
      body: { ...body, scopes: ['completions.write'] },
    });
    expect(taken.status).toBe(200);
  });

  it('[SCP-08] lets managers create keys for other users within their roles, and members only their own keys', async () => {
    const manager = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'manager' });
    const member = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const managing = await admin.login(manager.email);
    const plain = await admin.login(member.email);
    const body = { name: 'theirs', scopes: ['completions.write'], user_id: member.id };
    const made = await admin.post<Key>('/v1/api-keys/workspace/user', { token: managing, body });
    expect(made.status).toBe(200);
    const above = { ...body, scopes: ['configs.delete'] };
    expect((await admin.post('/v1/api-keys/workspace/user', { token: managing, body: above })).status).toBe(
      403,
    );
    const foreign = { ...body, user_id: manager.id };
    expect((await admin.post('/v1/api-keys/workspace/user', { token: plain, body: foreign })).status).toBe(
      403,
    );
    const stranger = await admin.user(theirs.organisationId, 'owner');
    const outside = { ...body, user_id: stranger.id };
    expect((await admin.post('/v1/api-keys/workspace/user', { token: managing, body: outside })).status).toBe(
      400,
    );
    const seen = await admin.get<List>('/v1/api-keys', { token: plain });
    expect(seen.body.data.map(({ id }) => id)).toEqual([made.body.id]);
  });
});
