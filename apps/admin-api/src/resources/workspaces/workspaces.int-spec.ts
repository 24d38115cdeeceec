import { documentKey } from '@gw/contracts';
import {
  ApiKeySecretEntity,
  AuditLogEntity,
  ConfigEntity,
  IntegrationEntity,
  ProviderEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { lockWaits } from '@gw/testing';
import { SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import {
  hashOf,
  lastEvent,
  UNKNOWN_ID,
  type Failure,
  type Key,
  type List as ListOf,
} from '../../spec-support/api-keys';

interface Workspace {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly etag: string;
  readonly users: { id: string; role: string }[];
  readonly [field: string]: unknown;
}
type List<T = Workspace> = ListOf<T>;

describe('workspaces', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  const create = async (body: object = {}): Promise<Workspace> => {
    const response = await admin.post<Workspace>('/v1/admin/workspaces', {
      key: ours.adminKey,
      body: { name: 'Search', ...body },
    });
    expect(response.status).toBe(200);
    return response.body;
  };
  const remove = (id: string, body: object): Promise<{ status: number; body: Failure }> =>
    admin.delete(`/v2/admin/workspaces/${id}`, { key: ours.adminKey, body });

  it('are created, and read by id and by slug, on both API versions and both paths', async () => {
    const made = await create({ icon: '🔍', description: 'All of it', defaults: { metadata: { a: '1' } } });
    expect(made).toMatchObject({
      name: '🔍 Search',
      icon: '🔍',
      organisation_id: ours.organisationId,
      is_default: 0,
      status: 'active',
      creation_source: 'api',
      object: 'workspace',
    });
    expect(made.slug).toMatch(/^ws-search-[0-9a-f]{6}$/);
    for (const path of ['/v1/workspaces', '/v2/workspaces', '/v1/admin/workspaces', '/v2/admin/workspaces']) {
      for (const reference of [made.id, made.slug]) {
        const { status, body } = await admin.get<Workspace>(`${path}/${reference}`, { key: ours.adminKey });
        expect([status, body.id]).toEqual([200, made.id]);
      }
    }
  });

  it('[CTL-07] lose the leading emoji of the name with name_format=plain, and show it by default', async () => {
    const { id } = await create({ icon: '🚀' });
    const nameAs = async (format: string): Promise<string> =>
      (await admin.get<Workspace>(`/v2/workspaces/${id}${format}`, { key: ours.adminKey })).body.name;
    expect(await nameAs('')).toBe('🚀 Search');
    expect(await nameAs('?name_format=display')).toBe('🚀 Search');
    expect(await nameAs('?name_format=plain')).toBe('Search');
    const bad = await admin.get(`/v2/workspaces/${id}?name_format=fancy`, { key: ours.adminKey });
    expect(bad.status).toBe(400);
  });

  it('[CTL-06] accept user_api_key_config as id or slug, return the slug, and clear it with null', async () => {
    const { id, slug } = { id: uuidv7(), slug: 'pc-search-0a1b2c' };
    const { organisationId, workspaceId } = ours;
    await admin.dataSource.manager.insert(ConfigEntity, {
      id,
      organisationId,
      workspaceId,
      slug,
      name: 'c',
      currentVersionId: uuidv7(),
    });
    const url = `/v2/workspaces/${workspaceId}`;
    const set = (user_api_key_config: string | null): Promise<{ status: number }> =>
      admin.put(url, { key: ours.key, body: { defaults: { user_api_key_config } } });
    const shown = async (): Promise<unknown> =>
      (await admin.get<{ defaults: { user_api_key_config: unknown } }>(url, { key: ours.key })).body.defaults
        .user_api_key_config;
    for (const reference of [id, slug]) {
      expect((await set(reference)).status).toBe(200);
      expect(await shown()).toBe(slug);
      expect((await set(null)).status).toBe(200);
      expect(await shown()).toBeNull();
    }
    expect((await set('pc-of-nobody')).status).toBe(400);
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['a name of only spaces', { name: '\u00a0\u2003' }, 'name'],
    ['a long name', { name: 'x'.repeat(129) }, 'name'],
    ['a slug with a slash', { slug: 'a/b' }, 'slug'],
    ['two budgets', { usage_limits: [{ credit_limit: 5 }, { credit_limit: 6 }] }, 'usage_limits'],
    [
      'an alert above the budget',
      { usage_limits: [{ credit_limit: 5, alert_threshold: 5 }] },
      'usage_limits.0.alert_threshold',
    ],
    ['metadata with a value that is not a string', { defaults: { metadata: { a: 1 } } }, 'defaults.metadata'],
    [
      'the same limit twice',
      {
        rate_limits: [
          { type: 'requests', unit: 'rpm', value: 1 },
          { type: 'requests', unit: 'rpm', value: 2 },
        ],
      },
      'rate_limits.1',
    ],
  ])('return 400 for %s and name the field', async (_case, body, path) => {
    const response = await admin.post<Failure>('/v1/workspaces', {
      key: ours.adminKey,
      body: { name: 'x', ...body },
    });
    expect(response.status).toBe(400);
    expect(response.body.error).toMatchObject({ type: 'validation_failed', code: 'AB01', param: path });
  });

  it('return 409 for a slug that is taken, also when concurrent requests create it', async () => {
    const body = { name: 'Race', slug: 'race' };
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => admin.post<Failure>('/v1/workspaces', { key: ours.adminKey, body })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await admin.post('/v1/workspaces', { key: theirs.adminKey, body })).status).toBe(200);
  });

  it('have names with plain spaces and composed characters', async () => {
    const { id } = await create({ name: ' Cafe\u0301\u2003team\u00a0' });
    const row = await admin.dataSource.manager.findOneByOrFail(WorkspaceEntity, { id });
    expect(row.name).toBe('Café team');
  });

  it('are listed only for the organisation, by a literal part of the name, and paged', async () => {
    const names = ['100% sure', '100x sure', 'other'];
    for (const name of names) await create({ name });
    const list = async (query: string, key = ours.adminKey): Promise<List> =>
      (await admin.get<List>(`/v1/workspaces?${query}`, { key })).body;
    expect((await list(`name=${encodeURIComponent('100%')}`)).data.map(({ name }) => name)).toEqual([
      '100% sure',
    ]);
    expect((await list('exact_name=other')).total).toBe(1);
    expect((await list('name=SURE')).total).toBe(0);
    expect((await list('page_size=2')).data).toHaveLength(2);
    expect((await list('page_size=1000', theirs.adminKey)).data.map(({ id }) => id)).not.toContain(
      ours.workspaceId,
    );
    expect((await list('', ours.key)).data.map(({ id }) => id)).toEqual([ours.workspaceId]);
  });

  it('of another organisation get the same 404 as an unknown one', async () => {
    const { id } = await create();
    const other = await admin.apiKey('workspace-service', { ...theirs });
    for (const key of [theirs.adminKey, theirs.key, other, ours.key]) {
      const calls = (target: string): Promise<{ status: number; body: Failure }>[] => [
        admin.get(`/v1/workspaces/${target}`, { key }),
        admin.put(`/v1/workspaces/${target}`, { key, body: { name: 'x' } }),
        admin.get(`/v1/workspaces/${target}/members`, { key }),
        admin.get(`/v1/api-keys?workspace_id=${target}`, { key }),
      ];
      const there = await Promise.all(calls(id));
      const nowhere = await Promise.all(calls(UNKNOWN_ID));
      expect(there.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      const plain = ({ body }: { body: Failure }): object => ({ ...body.error, request_id: '' });
      expect(there.map(plain)).toEqual(nowhere.map(plain));
    }
  });

  it('accept data_plane_security_settings without other fields, and publish the change', async () => {
    const { id } = await create({ name: 'Saved only' });
    const put = (body: object): Promise<{ status: number }> =>
      admin.put(`/v2/workspaces/${id}`, { key: ours.adminKey, body });
    const shown = async (): Promise<unknown> =>
      (await admin.get(`/v2/workspaces/${id}`, { key: ours.adminKey })).body['data_plane_security_settings'];
    expect(await shown()).toEqual({ block_inline_config: null });
    expect((await put({ data_plane_security_settings: { block_inline_config: true } })).status).toBe(200);
    expect((await put({ description: 'x' })).status).toBe(200);
    expect(await shown()).toEqual({ block_inline_config: true });
    const [event] = await admin.dataSource.query<{ changed: string[] }[]>(
      'SELECT changed FROM change_events ORDER BY sequence DESC LIMIT 1',
    );
    expect(event?.changed).toEqual([documentKey.workspace(id)]);
    expect((await put({ data_plane_security_settings: { block_inline_config: null } })).status).toBe(200);
    expect(await shown()).toEqual({ block_inline_config: null });
    expect((await put({ data_plane_security_settings: { block_inline_config: 'yes' } })).status).toBe(400);
  });

  it('are deleted only when the body repeats the name, with or without the icon', async () => {
    const a = await create({ name: 'Gone', icon: '🔥' });
    const b = await create({ name: 'Gone', icon: '🔥' });
    expect((await remove(a.id, {})).status).toBe(400);
    expect((await remove(a.id, { name: 'gone' })).status).toBe(400);
    expect((await remove(a.id, { name: 'Gone' })).status).toBe(200);
    expect((await remove(b.id, { name: '🔥 Gone' })).status).toBe(200);
    expect((await admin.get(`/v1/workspaces/${a.id}`, { key: ours.adminKey })).status).toBe(404);
    const again = await create({ slug: a.slug });
    expect(again.slug).toBe(a.slug);
  });

  it('return 409 for a deletion of the default workspace', async () => {
    const { status, body } = await remove(ours.workspaceId, { name: 'Team', force_delete: true });
    expect([status, body.error.code]).toEqual([409, 'AB07']);
  });

  it('list the remaining resources in a 409, and archive them with force_delete; their keys stop working immediately', async () => {
    const { id } = await create({ name: 'Full' });
    const key = await admin.apiKey('workspace-service', {
      organisationId: ours.organisationId,
      workspaceId: id,
    });
    const refused = await remove(id, { name: 'Full' });
    expect([refused.status, refused.body.error.type]).toEqual([409, 'conflict']);
    expect(refused.body.error.details).toEqual([{ path: 'api_keys', message: '1 left' }]);
    const [secret] = await admin.dataSource.manager.find(ApiKeySecretEntity, {
      order: { createdAt: 'DESC' },
      take: 1,
    });
    expect((await remove(id, { name: 'Full', force_delete: true })).status).toBe(200);
    expect((await admin.get('/v1/workspaces', { key })).status).toBe(401);
    const [event] = await admin.dataSource.query<{ removed: string[] }[]>(
      'SELECT removed FROM change_events ORDER BY sequence DESC LIMIT 1',
    );
    expect(event?.removed).toEqual([
      documentKey.apiKey(secret?.secretHash ?? ''),
      documentKey.mcpCatalogue(id),
      expect.stringMatching(/^workspace_slug:.*:ws-full-[0-9a-f]{6}$/),
      documentKey.workspace(id),
    ]);
  });

  it('erase the secrets of archived providers, virtual keys and integrations, and audit each deletion', async () => {
    const { manager } = admin.dataSource;
    const { id } = await create({ name: 'Secretive' });
    const key = await admin.apiKey('workspace-service', {
      organisationId: ours.organisationId,
      workspaceId: id,
    });
    const credential = { name: 'secretive', key: 'sk-0123456789abcdef' };
    const virtual = { ...credential, provider: 'openai' };
    expect((await admin.post('/v1/virtual-keys', { key, body: virtual })).status).toBe(200);
    const integration = { ...credential, ai_provider_id: 'openai', slug: 'secretive', workspace_id: id };
    expect((await admin.post('/v1/integrations', { key, body: integration })).status).toBe(200);
    const refused = await remove(id, { name: 'Secretive' });
    expect(refused.body.error.details?.map(({ path }) => path)).toEqual([
      'api_keys',
      'integrations',
      'providers',
    ]);
    const providers = await manager.findBy(ProviderEntity, { workspaceId: id });
    expect(providers).toHaveLength(2);

    expect((await remove(id, { name: 'Secretive', force_delete: true })).status).toBe(200);
    const left = await manager.findBy(IntegrationEntity, { workspaceId: id });
    expect(left.map(({ isVirtualKey }) => isVirtualKey).sort()).toEqual([false, true]);
    for (const { status, sealedCredential } of left)
      expect([status, sealedCredential]).toEqual(['archived', null]);
    const { removed } = await lastEvent(admin);
    for (const { slug } of providers) expect(removed).toContain(documentKey.provider(id, slug));
    const audits = await manager.findBy(AuditLogEntity, {
      workspaceId: id,
      action: 'delete',
      responseStatusCode: 200,
    });
    expect(audits.map(({ resourceType }) => resourceType).sort()).toEqual([
      'api_keys',
      'integrations',
      'providers',
      'virtual_keys',
      'workspaces',
    ]);
    for (const { id: provider } of providers) {
      expect(audits.map(({ resourceId }) => resourceId)).toContain(provider);
    }
  });

  it('return 412 for an old etag, and keep the fields that an update leaves out', async () => {
    const made = await create({ description: 'kept' });
    const url = `/v1/workspaces/${made.id}`;
    const guarded = { key: ours.adminKey, headers: { 'if-match': made.etag } };
    expect((await admin.put(url, { ...guarded, body: { name: 'Renamed' } })).status).toBe(200);
    expect((await admin.put(url, { ...guarded, body: { name: 'Late' } })).status).toBe(412);
    const { body } = await admin.get<Workspace>(url, { key: ours.adminKey });
    expect(body).toMatchObject({ name: 'Renamed', description: 'kept' });
    expect((await admin.put(url, { key: ours.adminKey, body: { description: null } })).status).toBe(200);
    expect((await admin.get<Workspace>(url, { key: ours.adminKey })).body['description']).toBeNull();
  });

  it('can be limited by their own keys, unless a higher role has set limits', async () => {
    const limits = { rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }] };
    const changed = async (body: object): Promise<number> => {
      const { id } = await create(body);
      const key = await admin.apiKey('workspace-service', {
        organisationId: ours.organisationId,
        workspaceId: id,
      });
      const rate_limits = [{ type: 'requests', unit: 'rpm', value: 5 }];
      return (await admin.put(`/v1/workspaces/${id}`, { key, body: { rate_limits } })).status;
    };
    expect([await changed({}), await changed(limits)]).toEqual([200, 403]);
  });

  it('record a refused request in the audit log with its reason', async () => {
    const at = { organisationId: ours.organisationId };
    const weak = await admin.apiKey('organisation-service', at, ['workspaces.list']);
    const { status, headers } = await admin.post('/v1/workspaces', { key: weak, body: { name: 'x' } });
    expect(status).toBe(403);
    const [row] = await admin.dataSource.manager.findBy(AuditLogEntity, {
      requestId: String(headers['x-gw-request-id']),
    });
    expect(row).toMatchObject({
      action: 'create',
      resourceType: 'workspaces',
      responseStatusCode: 403,
      errorType: 'scope_missing',
      userType: 'api_key',
      organisationId: ours.organisationId,
    });
    const records = await admin.get<{ object: string; records: { error_type: string }[]; total: number }>(
      '/v1/audit-logs?response_status_code=403',
      { key: ours.adminKey },
    );
    expect(records.body.object).toBe('list');
    expect(records.body.records.map(({ error_type }) => error_type)).toContain('scope_missing');
    const foreign = await admin.get<{ total: number }>('/v1/audit-logs', { key: theirs.adminKey });
    expect(foreign.body.total).toBe(1);
  });
});

describe('workspace members', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();

  it('are added, listed, changed and removed; the keys of a removed member stop working', async () => {
    const url = `/v1/workspaces/${ours.workspaceId}/members`;
    const call = { key: ours.key };
    const { id, email } = await admin.user(ours.organisationId, 'member');
    expect((await admin.post(url, { ...call, body: { users: [{ id, role: 'member' }] } })).body).toEqual({});
    expect((await admin.post(url, { ...call, body: { users: [{ id, role: 'member' }] } })).status).toBe(409);
    const { body } = await admin.get<List<object>>(`${url}?email=${email}`, call);
    expect(body).toMatchObject({
      total: 1,
      data: [{ object: 'workspace-user', id, email, role: 'member', org_role: 'member', status: 'active' }],
    });
    expect((await admin.put(`${url}/${id}`, { ...call, body: { role: 'manager' } })).status).toBe(200);
    expect((await admin.get<{ role: string }>(`${url}/${id}`, call)).body.role).toBe('manager');
    const own = await admin.apiKey('workspace-user', { ...ours, userId: id });
    expect((await admin.get('/v1/workspaces', { key: own })).status).toBe(200);
    expect((await admin.delete(`${url}/${id}`, call)).status).toBe(200);
    expect((await admin.get('/v1/workspaces', { key: own })).status).toBe(401);
    expect((await admin.get(`${url}/${id}`, call)).status).toBe(404);
  });

  it('limit their keys to their current role, immediately in this process and with an event for gateways', async () => {
    const { organisationId, workspaceId } = ours;
    const { id, email } = await admin.user(organisationId, 'member', { [workspaceId]: 'manager' });
    const body = { name: 'own', scopes: ['completions.write', 'configs.create', 'workspaces.read'] };
    const token = await admin.login(email);
    const { body: made } = await admin.post<Key>('/v1/api-keys/workspace/user', { token, body });
    const document = documentKey.apiKey(hashOf(made.key));
    const published = async (): Promise<unknown> => {
      const call = { token: SERVICE_TOKEN, body: { keys: [document] } };
      const response = await admin.post<{ documents: Record<string, { scopes: string[] } | null> }>(
        '/internal/v1/documents',
        call,
      );
      return response.body.documents[document]?.scopes;
    };
    const config = { name: 'x', config: { provider: '@openai' } };
    const status = async (): Promise<number> =>
      (await admin.post('/v1/configs', { key: made.key, body: config })).status;
    expect([await status(), await published()]).toEqual([200, body.scopes]);

    const url = `/v1/workspaces/${workspaceId}/members/${id}`;
    expect((await admin.put(url, { key: ours.key, body: { role: 'member' } })).status).toBe(200);
    expect((await lastEvent(admin)).changed).toEqual([documentKey.user(organisationId, id), document]);
    expect([await status(), await published()]).toEqual([403, ['completions.write', 'workspaces.read']]);

    await admin.dataSource.manager.delete(WorkspaceUserEntity, { workspaceId, userId: id });
    expect([await status(), await published()]).toEqual([403, []]);
    expect((await admin.get('/v1/workspaces', { key: made.key })).status).toBe(403);

    await admin.dataSource.manager.insert(WorkspaceUserEntity, { workspaceId, userId: id, role: 'admin' });
    expect([await status(), await published()]).toEqual([200, body.scopes]);
    expect((await admin.delete(url, { key: ours.key })).status).toBe(200);
    expect((await lastEvent(admin)).removed).toEqual([document]);
    expect([await status(), await published()]).toEqual([401, undefined]);
  });

  it('are not added to a workspace that is deleted at the same time', async () => {
    const { organisationId, adminKey: key } = ours;
    const workspaceId = await admin.workspace(organisationId);
    const { id } = await admin.user(organisationId, 'member');
    const calls: Promise<{ status: number }>[] = [];
    await admin.dataSource.transaction(async (manager) => {
      // The transaction acts like the deletion: it holds the workspace, and then archives it.
      await manager.query('SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE', [workspaceId]);
      const users = [{ id, role: 'member' }];
      calls.push(admin.post(`/v1/workspaces/${workspaceId}/users`, { key, body: { users } }));
      await lockWaits(admin.dataSource);
      await manager.update(WorkspaceEntity, { id: workspaceId }, { status: 'archived' });
    });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([404]);
    expect(await admin.dataSource.manager.countBy(WorkspaceUserEntity, { workspaceId })).toBe(0);
  });

  it('must belong to the organisation; another user returns 400', async () => {
    const stranger = await admin.user((await admin.tenant()).organisationId, 'member');
    const { status, body } = await admin.post<Failure>(`/v1/workspaces/${ours.workspaceId}/users`, {
      key: ours.key,
      body: { users: [{ id: stranger.id, role: 'member' }] },
    });
    expect([status, body.error.param]).toEqual([400, 'users.0.id']);
  });

  it("return 403 when a manager gives or changes a role above the manager's own", async () => {
    const manager = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'manager' });
    const chief = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'admin' });
    const token = await admin.login(manager.email);
    const url = `/v1/workspaces/${ours.workspaceId}/users`;
    expect((await admin.put(`${url}/${manager.id}`, { token, body: { role: 'admin' } })).status).toBe(403);
    expect((await admin.put(`${url}/${chief.id}`, { token, body: { role: 'member' } })).status).toBe(403);
    expect((await admin.delete(`${url}/${chief.id}`, { token })).status).toBe(403);
  });
});
