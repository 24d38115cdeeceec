import { documentKey } from '@gw/contracts';
import { ApiKeyEntity, ApiKeySecretEntity, AuditLogEntity, ConfigEntity } from '@gw/entities';
import { hashApiKey, uuidv7 } from '@gw/kernel';
import { Secrets } from '../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type Tenant } from '../spec-support/admin-api';

interface Key {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly etag: string;
  readonly scopes: string[];
  readonly [field: string]: unknown;
}
interface Failure {
  readonly error: { type: string; code: string; param: string | null; details?: { path: string }[] };
}
interface List {
  readonly object: string;
  readonly total: number;
  readonly data: Key[];
}

const UNKNOWN = '018f0000-0000-7000-8000-000000000000';
const hashOf = (secret: string): string =>
  hashApiKey(new Secrets(MASTER_KEY, SERVICE_TOKEN).apiKeyPepper, secret);

describe('API keys', () => {
  const admin = new TestAdminApi({ API_KEY_PREFIX: 'tg_' });
  let ours: Tenant;
  let theirs: Tenant;

  beforeAll(async () => {
    ours = await admin.tenant();
    theirs = await admin.tenant();
  });

  const create = async (body: object = {}, key = ours.key, kind = 'workspace/service'): Promise<Key> => {
    const answer = await admin.post<Key>(`/v1/api-keys/${kind}`, {
      key,
      body: { name: 'search', scopes: ['completions.write'], ...body },
    });
    expect(answer.text).toContain('"object":"api-key"');
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const read = async (id: string): Promise<Key> =>
    (await admin.get<Key>(`/v1/api-keys/${id}`, { key: ours.key })).body;
  const lastEvent = async (): Promise<{ changed: string[]; removed: string[] }> => {
    const [row] = await admin.dataSource.query<{ changed: string[]; removed: string[] }[]>(
      'SELECT changed, removed FROM change_events ORDER BY sequence DESC LIMIT 1',
    );
    return row ?? { changed: [], removed: [] };
  };

  it('[SCP-09] [ENV-03] makes a strictly alphanumeric secret after the prefix, shown once and stored as a hash', async () => {
    const { id, key } = await create();
    expect(key).toMatch(/^tg_[A-Za-z0-9]{32}$/);
    const shown = await read(id);
    expect(shown.key).toBe(`tg*****${key.slice(-3)}`);
    const rows = await admin.dataSource.manager.findBy(ApiKeySecretEntity, { apiKeyId: id });
    expect(rows.map(({ secretHash, state }) => [secretHash, state])).toEqual([[hashOf(key), 'current']]);
    const dump = JSON.stringify(await admin.dataSource.manager.find(AuditLogEntity));
    expect(dump).not.toContain(key);
  });

  it('answers with every public field of a key, and records who made it', async () => {
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

  it('tells the gateways of a new, a changed and a deleted key in the transaction of the write', async () => {
    const { id, key } = await create();
    expect((await lastEvent()).changed).toEqual([documentKey.apiKey(hashOf(key))]);
    await admin.put(`/v1/api-keys/${id}`, { key: ours.key, body: { name: 'renamed' } });
    expect((await lastEvent()).changed).toEqual([documentKey.apiKey(hashOf(key))]);
    expect((await admin.delete(`/v1/api-keys/${id}`, { key: ours.key })).body).toEqual({});
    expect((await lastEvent()).removed).toEqual([documentKey.apiKey(hashOf(key))]);
  });

  it('refuses a deleted key with the very next call', async () => {
    const { id, key } = await create({ scopes: ['workspaces.list'] });
    expect((await admin.get('/v1/workspaces', { key })).status).toBe(200);
    await admin.delete(`/v1/api-keys/${id}`, { key: ours.key });
    const { status, body } = await admin.get<Failure>('/v1/workspaces', { key });
    expect([status, body.error.type]).toEqual([401, 'api_key_invalid']);
    expect((await admin.get(`/v1/api-keys/${id}`, { key: ours.key })).status).toBe(404);
  });

  it('refuses an expired key as expired', async () => {
    const { id, key } = await create({ scopes: ['workspaces.list'] });
    await admin.dataSource.manager.update(ApiKeyEntity, { id }, { expiresAt: new Date(Date.now() - 1000) });
    const { status, body } = await admin.get<Failure>('/v1/workspaces', { key });
    expect([status, body.error.type, body.error.code]).toEqual([401, 'api_key_expired', 'AB05']);
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
    ['an expiry without a zone', { expires_at: '2099-01-01T00:00:00' }, 'expires_at'],
    [
      'a negative limit',
      { rate_limits: [{ type: 'requests', unit: 'rpm', value: -1 }] },
      'rate_limits.0.value',
    ],
    ['an unknown unit', { rate_limits: [{ type: 'requests', unit: 'rpy', value: 1 }] }, 'rate_limits.0.unit'],
    ['a config that is not here', { defaults: { config_id: 'pc-nothing' } }, 'defaults.config_id'],
    ['a user on a service key', { user_id: UNKNOWN }, 'user_id'],
  ])('refuses %s with AB01 and names the field', async (_case, body, path) => {
    const answer = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: ours.key,
      body: { name: 'x', scopes: ['completions.write'], ...body },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ type: 'validation_failed', code: 'AB01', param: path });
    expect(answer.body.error.details?.[0]?.path).toBe(path);
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
    const answer = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: ours.key,
      body: { name: 'x', scopes: ['completions.write'], ...body },
    });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'AB01']);
  });

  it.each([0, 366, 1.5, '7'])('[LIM-02] refuses a rotation or reset period of %p days', async (days) => {
    for (const body of [
      { rotation_policy: { rotation_period_days: days } },
      { usage_limits: { credit_limit: 5, periodic_reset_days: days } },
    ]) {
      const answer = await admin.post<Failure>('/v1/api-keys/workspace/service', {
        key: ours.key,
        body: { name: 'x', scopes: ['completions.write'], ...body },
      });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'AB01']);
    }
  });

  it.each([1, 365])('[LIM-02] takes a rotation and reset period of %p days', async (days) => {
    await create({
      rotation_policy: { rotation_period_days: days },
      usage_limits: { credit_limit: 5, periodic_reset_days: days },
    });
  });

  it('refuses kinds of keys that are not there', async () => {
    for (const kind of ['organisation/user', 'workspace/robot', 'team/service']) {
      const answer = await admin.post<Failure>(`/v1/api-keys/${kind}`, {
        key: ours.adminKey,
        body: { name: 'x', scopes: ['logs.list'] },
      });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'AB01']);
    }
  });

  it('refuses scopes that the creating key lacks', async () => {
    const at = { organisationId: ours.organisationId, workspaceId: ours.workspaceId };
    const narrow = await admin.apiKey('workspace-service', at, [
      'workspace_service_api_keys.create',
      'logs.list',
    ]);
    const answer = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: narrow,
      body: { name: 'x', scopes: ['logs.list', 'configs.delete'] },
    });
    expect([answer.status, answer.body.error.type]).toEqual([403, 'scope_exceeds_creator']);
  });

  it('lets an organisation key make keys of a workspace that it names, by id or slug', async () => {
    const id = await admin.workspace(ours.organisationId, { slug: 'team-b' });
    for (const workspace_id of [id, 'team-b']) {
      const made = await create({ workspace_id }, ours.adminKey);
      const shown = await admin.get<Key>(`/v2/api-keys/${made.id}`, { key: ours.adminKey });
      expect(shown.body['workspace_id']).toBe(id);
    }
    const without = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: ours.adminKey,
      body: { name: 'x', scopes: ['logs.list'] },
    });
    expect([without.status, without.body.error.param]).toEqual([400, 'workspace_id']);
  });

  it('[SCP-07] refuses a user key with scopes above its creator’s role', async () => {
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

  it('[SCP-08] lets managers make keys for other users, within that user’s role, and members only their own', async () => {
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

  it('answers 404 for a key of another workspace or organisation, so its existence does not leak', async () => {
    const { id } = await create();
    const otherWorkspace = await admin.workspace(ours.organisationId);
    const neighbour = await admin.apiKey('workspace-service', {
      organisationId: ours.organisationId,
      workspaceId: otherWorkspace,
    });
    for (const key of [theirs.key, theirs.adminKey, neighbour]) {
      const calls = [
        admin.get<Failure>(`/v1/api-keys/${id}`, { key }),
        admin.put<Failure>(`/v1/api-keys/${id}`, { key, body: { name: 'taken' } }),
        admin.delete<Failure>(`/v1/api-keys/${id}`, { key }),
        admin.post<Failure>(`/v1/api-keys/${id}/rotate`, { key, body: {} }),
      ];
      const unknown = await admin.get<Failure>(`/v1/api-keys/${UNKNOWN}`, { key });
      for (const { status, body } of await Promise.all(calls)) {
        expect(status).toBe(404);
        expect({ ...body.error, request_id: '' }).toEqual({ ...unknown.body.error, request_id: '' });
      }
    }
    expect((await read(id)).name).toBe('search');
  });

  it('[CTL-09] looks up keys by a comma-separated list of UUIDs, of the own organisation alone', async () => {
    const [a, b, foreign] = [await create(), await create(), await create({}, theirs.key)];
    const ids = [a, b, foreign].map(({ id }) => id).join(',');
    const { body } = await admin.get<List>(`/v2/api-keys?ids=${ids}`, { key: ours.key });
    expect([body.object, body.total]).toEqual(['list', 2]);
    expect(body.data.map(({ id }) => id).sort()).toEqual([a.id, b.id].sort());
    const bad = await admin.get<Failure>(`/v2/api-keys?ids=${a.id},x`, { key: ours.key });
    expect([bad.status, bad.body.error.param]).toEqual([400, 'ids']);
  });

  it('pages newest first and filters by status, and refuses a page out of bounds', async () => {
    const workspaceId = await admin.workspace(ours.organisationId);
    const key = await admin.apiKey('workspace-service', { organisationId: ours.organisationId, workspaceId });
    const made: string[] = [];
    for (let i = 0; i < 3; i += 1) made.unshift((await create({ name: String(i) }, key)).id);
    const first = await admin.get<List>('/v1/api-keys?page_size=2', { key });
    const second = await admin.get<List>('/v1/api-keys?page_size=2&current_page=1', { key });
    expect(first.body.total).toBe(4);
    expect([...first.body.data, ...second.body.data].map(({ id }) => id).slice(0, 3)).toEqual(made);
    await admin.dataSource.manager.update(ApiKeyEntity, { id: made[0] ?? '' }, { status: 'exhausted' });
    const spent = await admin.get<List>('/v1/api-keys?status=exhausted&status=expired', { key });
    expect(spent.body.data.map(({ id }) => id)).toEqual([made[0]]);
    for (const query of [
      'page_size=0',
      'page_size=1001',
      'current_page=-1',
      'page_size=ten',
      'status=archived',
    ]) {
      expect((await admin.get(`/v1/api-keys?${query}`, { key })).status).toBe(400);
    }
  });

  it('changes what is sent, clears what is null and leaves the rest', async () => {
    const { id } = await create({
      description: 'old',
      alert_emails: ['a@example.com'],
      expires_at: '2099-01-01T00:00:00Z',
      defaults: { metadata: { a: '1' }, allow_config_override: false },
    });
    const body = { name: 'new', alert_emails: null, expires_at: null, defaults: { metadata: { b: '2' } } };
    expect((await admin.put(`/v1/api-keys/${id}`, { key: ours.key, body })).body).toEqual({});
    expect(await read(id)).toMatchObject({
      name: 'new',
      description: 'old',
      alert_emails: null,
      expires_at: null,
      defaults: { metadata: { b: '2' }, allow_config_override: false },
    });
  });

  it('guards a write by its etag: what was read before a change is refused with 412', async () => {
    const { id } = await create();
    const { etag } = await read(id);
    const shown = await admin.get(`/v1/api-keys/${id}`, { key: ours.key });
    expect(shown.headers['etag']).toBe(etag);
    const guarded = { key: ours.key, headers: { 'if-match': etag } };
    expect((await admin.put(`/v1/api-keys/${id}`, { ...guarded, body: { name: 'first' } })).status).toBe(200);
    const late = await admin.put<Failure>(`/v1/api-keys/${id}`, { ...guarded, body: { name: 'second' } });
    expect([late.status, late.body.error.type]).toEqual([412, 'etag_mismatch']);
    expect((await admin.delete(`/v1/api-keys/${id}`, guarded)).status).toBe(412);
    expect((await read(id)).name).toBe('first');
  });

  it('rotates: both secrets work through the transition, a third is refused until it is over', async () => {
    const { id, key: old } = await create({ scopes: ['workspaces.list'] });
    const answer = await admin.post<Key>(`/v1/api-keys/${id}/rotate`, {
      key: ours.key,
      body: { key_transition_period_ms: 1_800_000 },
    });
    const fresh = answer.body.key;
    expect(answer.status).toBe(200);
    expect(fresh).not.toBe(old);
    for (const key of [old, fresh]) expect((await admin.get('/v1/workspaces', { key })).status).toBe(200);
    expect((await lastEvent()).changed.sort()).toEqual(
      [old, fresh].map((key) => documentKey.apiKey(hashOf(key))).sort(),
    );
    const early = await admin.post<Failure>(`/v1/api-keys/${id}/rotate`, { key: ours.key, body: {} });
    expect([early.status, early.body.error.code]).toEqual([409, 'AB07']);

    const past = { expiresAt: new Date(Date.now() - 1) };
    await admin.dataSource.manager.update(ApiKeySecretEntity, { secretHash: hashOf(old) }, past);
    expect((await admin.get<Failure>('/v1/workspaces', { key: old })).body.error.type).toBe(
      'api_key_expired',
    );
    expect((await admin.get('/v1/workspaces', { key: fresh })).status).toBe(200);
    expect((await admin.post(`/v1/api-keys/${id}/rotate`, { key: ours.key, body: {} })).status).toBe(200);
    const secrets = await admin.dataSource.manager.countBy(ApiKeySecretEntity, { apiKeyId: id });
    expect(secrets).toBe(2);
  });

  it('refuses a transition below half an hour', async () => {
    const { id } = await create();
    const body = { key_transition_period_ms: 1_799_999 };
    expect((await admin.post(`/v1/api-keys/${id}/rotate`, { key: ours.key, body })).status).toBe(400);
  });

  it('keeps the default config by its id and shows its slug', async () => {
    const id = uuidv7();
    const slug = `pc-search-${id.slice(-6)}`;
    const { organisationId, workspaceId } = ours;
    await admin.dataSource.manager.insert(ConfigEntity, {
      id,
      organisationId,
      workspaceId,
      slug,
      name: 'c',
      currentVersionId: uuidv7(),
    });
    const made = await create({ defaults: { config_id: slug } });
    expect((await read(made.id))['defaults']).toMatchObject({ config_id: slug });
    const row = await admin.dataSource.manager.findOneByOrFail(ApiKeyEntity, { id: made.id });
    expect(row.defaultConfigId).toBe(id);
  });
});
