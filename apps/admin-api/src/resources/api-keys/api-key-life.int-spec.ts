import { randomUUID } from 'node:crypto';
import { documentKey } from '@gw/contracts';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  ConfigEntity,
  makeSecret,
  replaceSecret,
  sealSecret,
} from '@gw/entities';
import { apiKeyPepper, sealingKeyring, uuidv7 } from '@gw/kernel';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import {
  createKey,
  hashOf,
  lastEvent,
  UNKNOWN_ID,
  type Failure,
  type Key,
  type List,
} from '../../spec-support/api-keys';

describe('changes and reads of an API key', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  const create = (body: object = {}): Promise<Key> => createKey(admin, ours.key, body);
  const read = async (id: string): Promise<Key> =>
    (await admin.get<Key>(`/v1/api-keys/${id}`, { key: ours.key })).body;

  it('publish a created, changed and deleted key in the transaction of the write', async () => {
    const { id, key } = await create();
    expect((await lastEvent(admin)).changed).toEqual([documentKey.apiKey(hashOf(key))]);
    await admin.put(`/v1/api-keys/${id}`, { key: ours.key, body: { name: 'renamed' } });
    expect((await lastEvent(admin)).changed).toEqual([documentKey.apiKey(hashOf(key))]);
    expect((await admin.delete(`/v1/api-keys/${id}`, { key: ours.key })).body).toEqual({});
    expect((await lastEvent(admin)).removed).toEqual([documentKey.apiKey(hashOf(key))]);
  });

  it('can extend an expired key only when the caller holds its scopes', async () => {
    const { id } = await create({ scopes: ['logs.view', 'completions.write'] });
    const { organisationId, workspaceId } = ours;
    const lesser = await admin.apiKey('workspace-service', { organisationId, workspaceId }, [
      'workspace_service_api_keys.update',
      'completions.write',
    ]);
    const extend = async (key: string): Promise<unknown[]> => {
      const { status, body } = await admin.put<Failure>(`/v1/api-keys/${id}`, {
        key,
        body: { expires_at: '2099-01-01T00:00:00Z' },
      });
      return [status, status === 200 ? null : body.error.type];
    };
    expect(await extend(lesser)).toEqual([200, null]);
    await admin.dataSource.manager.update(ApiKeyEntity, { id }, { status: 'expired' });
    expect(await extend(lesser)).toEqual([403, 'scope_exceeds_creator']);
    expect((await read(id))['status']).toBe('expired');
    expect(await extend(ours.key)).toEqual([200, null]);
    expect((await read(id))['status']).toBe('active');
  });

  it('make the first call after the deletion of the key return 401', async () => {
    const { id, key } = await create({ scopes: ['workspaces.list'] });
    expect((await admin.get('/v1/workspaces', { key })).status).toBe(200);
    await admin.delete(`/v1/api-keys/${id}`, { key: ours.key });
    const { status, body } = await admin.get<Failure>('/v1/workspaces', { key });
    expect([status, body.error.type]).toEqual([401, 'api_key_invalid']);
    expect((await admin.get(`/v1/api-keys/${id}`, { key: ours.key })).status).toBe(404);
  });

  it('[SVC-02] publish the owner of an ended secret, whether a deletion, rotation, user, workspace or job ended it', async () => {
    const own = async (): Promise<Key> => {
      const body = { name: 'own', scopes: ['completions.write'] };
      return (await admin.post<Key>('/v1/api-keys/workspace/user', { token, body })).body;
    };
    const member = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'manager' });
    const token = await admin.login(member.email);
    const other = await admin.workspace(ours.organisationId);
    const at = { organisationId: ours.organisationId, workspaceId: other };
    const otherKey = await admin.apiKey('workspace-service', at);
    const [deleted, rotated, users, swept] = [await create(), await create(), await own(), await create()];
    const hashes = [deleted.key, rotated.key, users.key, swept.key, otherKey].map(hashOf);
    const ended = async (): Promise<unknown[]> => {
      const keys = hashes.map(documentKey.endedApiKey);
      const call = { token: SERVICE_TOKEN, body: { keys } };
      const { body } = await admin.post<{ documents: Record<string, unknown> }>(
        '/internal/v1/documents',
        call,
      );
      return keys.map((key) => body.documents[key]);
    };
    expect(await ended()).toEqual(hashes.map(() => null));

    await admin.delete(`/v1/api-keys/${deleted.id}`, { key: ours.key });
    const rotate = { key: ours.key, body: { key_transition_period_ms: 1_800_000 } };
    await admin.post(`/v1/api-keys/${rotated.id}/rotate`, rotate);
    const past = { expiresAt: new Date(Date.now() - 1) };
    await admin.dataSource.manager.update(ApiKeySecretEntity, { secretHash: hashOf(rotated.key) }, past);
    await admin.post(`/v1/api-keys/${rotated.id}/rotate`, rotate);
    await admin.delete(`/v1/users/${member.id}`, { key: ours.adminKey });
    await admin.dataSource.query('DELETE FROM api_key_secrets WHERE secret_hash = $1', [hashOf(swept.key)]);
    const forced = { name: 'Team', force_delete: true };
    await admin.delete(`/v2/admin/workspaces/${other}`, { key: ours.adminKey, body: forced });

    const { organisationId } = ours;
    const ids = [deleted.id, rotated.id, users.id, swept.id, expect.any(String)];
    expect(await ended()).toMatchObject(ids.map((id) => ({ kind: 'ended_api_key', id, organisationId })));
    expect(await ended()).not.toContainEqual(expect.objectContaining({ workspaceId: expect.anything() }));
  });

  it('return 401 api_key_expired for an expired key', async () => {
    const { id, key } = await create({ scopes: ['workspaces.list'] });
    await admin.dataSource.manager.update(ApiKeyEntity, { id }, { expiresAt: new Date(Date.now() - 1000) });
    const { status, body } = await admin.get<Failure>('/v1/workspaces', { key });
    expect([status, body.error.type, body.error.code]).toEqual([401, 'api_key_expired', 'AB05']);
  });

  it('return 404 for a key of another workspace or organisation, so its existence does not leak', async () => {
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
      const unknown = await admin.get<Failure>(`/v1/api-keys/${UNKNOWN_ID}`, { key });
      for (const { status, body } of await Promise.all(calls)) {
        expect(status).toBe(404);
        expect({ ...body.error, request_id: '' }).toEqual({ ...unknown.body.error, request_id: '' });
      }
    }
    expect((await read(id)).name).toBe('search');
  });

  it("[CTL-09] look up keys of the caller's organisation only by a comma-separated list of UUIDs", async () => {
    const [a, b, foreign] = [await create(), await create(), await createKey(admin, theirs.key)];
    const ids = [a, b, foreign].map(({ id }) => id).join(',');
    const { body } = await admin.get<List>(`/v2/api-keys?ids=${ids}`, { key: ours.key });
    expect([body.object, body.total]).toEqual(['list', 2]);
    expect(body.data.map(({ id }) => id).sort()).toEqual([a.id, b.id].sort());
    const bad = await admin.get<Failure>(`/v2/api-keys?ids=${a.id},x`, { key: ours.key });
    expect([bad.status, bad.body.error.param]).toEqual([400, 'ids']);
  });

  it('page newest first, filter by status, and return 400 for a page out of bounds', async () => {
    const workspaceId = await admin.workspace(ours.organisationId);
    const key = await admin.apiKey('workspace-service', { organisationId: ours.organisationId, workspaceId });
    const made: string[] = [];
    for (let i = 0; i < 3; i += 1) made.unshift((await createKey(admin, key, { name: String(i) })).id);
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

  it('set fields with a value, clear fields with null, and keep absent fields', async () => {
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

  it('return 412 for a write with the etag from before a change', async () => {
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

  it('accept both secrets during the transition, and return 409 for a further rotation until it ends', async () => {
    const { id, key: old } = await create({ scopes: ['workspaces.list'] });
    const response = await admin.post<Key>(`/v1/api-keys/${id}/rotate`, {
      key: ours.key,
      body: { key_transition_period_ms: 1_800_000 },
    });
    const fresh = response.body.key;
    expect(response.status).toBe(200);
    expect(fresh).not.toBe(old);
    for (const key of [old, fresh]) expect((await admin.get('/v1/workspaces', { key })).status).toBe(200);
    expect((await lastEvent(admin)).changed.sort()).toEqual(
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

  it('end all old secrets immediately with revoke_previous, also one in transition', async () => {
    const { id, key: first } = await create({ scopes: ['workspaces.list'] });
    const rotate = (body: object) =>
      admin.post<Key & Failure>(`/v1/api-keys/${id}/rotate`, { key: ours.key, body });
    const second = (await rotate({})).body.key;
    const { status, body } = await rotate({ revoke_previous: true });
    expect([status, body['key_transition_expires_at']]).toEqual([200, null]);
    const statuses = [first, second, body.key].map(async (key) => admin.get('/v1/workspaces', { key }));
    expect((await Promise.all(statuses)).map((response) => response.status)).toEqual([401, 401, 200]);
    const event = await lastEvent(admin);
    expect(event.changed).toEqual([documentKey.apiKey(hashOf(body.key))]);
    expect(event.removed.sort()).toEqual(
      [first, second].map((key) => documentKey.apiKey(hashOf(key))).sort(),
    );
    const recordsOf = (of: string) =>
      admin.get<{ records: object[] }>(
        `/v1/audit-logs?action=rotate&resource_type=api_keys&resource_id=${of}&page_size=1`,
        {
          key: ours.adminKey,
        },
      );
    const { body: audit } = await recordsOf(id);
    expect((await recordsOf(randomUUID())).body.records).toEqual([]);
    expect(audit.records).toMatchObject([
      { resource_id: id, after: { revoke_previous: true, transition_expires_at: null } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(body.key);
    const both = await rotate({ revoke_previous: true, key_transition_period_ms: 1_800_000 });
    expect([both.status, both.body.error.param]).toEqual([400, 'revoke_previous']);
    expect((await admin.get('/v1/workspaces', { key: body.key })).status).toBe(200);
  });

  it('return the unfetched secret of a rotation by policy once, instead of a new rotation', async () => {
    const { id, key: old } = await create({ scopes: ['workspaces.list'] });
    const { manager } = admin.dataSource;
    const fresh = makeSecret({ prefix: '', pepper: apiKeyPepper(MASTER_KEY) });
    const until = new Date(Date.now() + 3_600_000);
    const sealed = sealSecret(sealingKeyring(MASTER_KEY), id, fresh);
    await manager.transaction((inside) => replaceSecret(inside, id, fresh, { until, sealed }));
    const rotate = () => admin.post<Key & Failure>(`/v1/api-keys/${id}/rotate`, { key: ours.key, body: {} });
    const { status, body } = await rotate();
    expect([status, body.key]).toEqual([200, fresh.secret]);
    expect(body['key_transition_expires_at']).toBe(until.toISOString());
    for (const key of [old, fresh.secret]) {
      expect((await admin.get('/v1/workspaces', { key })).status).toBe(200);
    }
    expect((await rotate()).status).toBe(409);
  });

  it('restart the period of the policy after a manual rotation', async () => {
    const { id } = await create({
      rotation_policy: { rotation_period_days: 30, next_rotation_at: '2099-01-01T00:00:00.000Z' },
    });
    await admin.post(`/v1/api-keys/${id}/rotate`, { key: ours.key, body: {} });
    const { rotation_policy: policy } = await read(id);
    const { next_rotation_at: next } = policy as { next_rotation_at: string };
    const days = (Date.parse(next) - Date.now()) / 86_400_000;
    expect([days > 28, days <= 30]).toEqual([true, true]);
  });

  it('return 400 for a transition below half an hour', async () => {
    const { id } = await create();
    const body = { key_transition_period_ms: 1_799_999 };
    expect((await admin.post(`/v1/api-keys/${id}/rotate`, { key: ours.key, body })).status).toBe(400);
  });

  it('store the default config by id and show its slug', async () => {
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
