import { ApiKeyEntity, ChangeEventEntity, WorkspaceEntity } from '@gw/entities';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

interface Created {
  readonly id: string;
  readonly version_id: string;
  readonly slug: string;
}

interface Failure {
  readonly error: {
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}

const CONFIG = {
  strategy: { mode: 'fallback' },
  targets: [{ provider: '@b', override_params: { model: 'm' } }, { provider: '@a' }],
  retry: { attempts: 3 },
};

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const other = api.sharedTenant();

async function create(more: object = {}): Promise<Created> {
  const response = await api.post<Created>('/v1/configs', {
    key: tenant.key,
    body: { name: 'Fallback config', config: CONFIG, ...more },
  });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body;
}

const read = async (reference: string): Promise<Record<string, unknown>> =>
  (await api.get(`/v1/configs/${reference}`, tenant)).body;
const put = (reference: string, body: object): ReturnType<typeof api.put<Failure>> =>
  api.put<Failure>(`/v1/configs/${reference}`, { key: tenant.key, body });
const lastEvent = async (): Promise<ChangeEventEntity | undefined> =>
  (await api.dataSource.manager.find(ChangeEventEntity, { order: { sequence: 'DESC' }, take: 1 }))[0];

describe('/v1/configs', () => {
  it('returns the config as JSON text with its members in the written order', async () => {
    const { id, version_id, slug } = await create();
    expect(slug).toMatch(/^pc-fallba-[0-9a-f]{6}$/);
    const body = await read(slug);
    expect(body).toMatchObject({
      id,
      slug,
      version_id,
      name: 'Fallback config',
      workspace_id: tenant.workspaceId,
      organisation_id: tenant.organisationId,
      is_default: 0,
      status: 'active',
      config: JSON.stringify(CONFIG),
      format: 'json',
      type: 'ORG_CONFIG',
      object: 'config',
    });
    expect(await read(id)).toEqual(body);
    expect((await api.get(`/v2/config/slug/${slug}`, tenant)).body).toEqual(body);
    const keys = [`config:${tenant.workspaceId}:${slug}`, `config:${tenant.workspaceId}:${id}`];
    expect(await lastEvent()).toMatchObject({ changed: keys, removed: [] });
  });

  it('finds a config by name', async () => {
    const { id } = await create({ name: 'By its name' });
    expect((await api.get('/v1/config/name/By%20its%20name', tenant)).body).toMatchObject({ id });
    expect((await api.get('/v1/config/name/nobody', tenant)).status).toBe(404);
    expect((await api.get('/v1/config/name/By%20its%20name', other)).status).toBe(404);
  });

  it('creates a version for new content, and none for a new name', async () => {
    const { slug, version_id: first } = await create();
    const renamed = await put(slug, { name: 'Renamed' });
    expect(renamed.body).toEqual({ version_id: first });
    const changed = await put(slug, { config: { provider: '@a' } });
    const second = (changed.body as unknown as Created).version_id;
    expect(second).not.toBe(first);
    expect(await read(slug)).toMatchObject({
      name: 'Renamed',
      config: '{"provider":"@a"}',
      version_id: second,
    });

    const { body: versions } = await api.get<{ data: object[] }>(`/v1/configs/${slug}/versions`, tenant);
    expect(versions).toMatchObject({
      object: 'list',
      total: 2,
      data: [
        { version_id: second, version: 2, config: '{"provider":"@a"}' },
        { version_id: first, version: 1, config: JSON.stringify(CONFIG) },
      ],
    });
    const one = await api.get(`/v1/configs/${slug}/versions/${first}`, tenant);
    expect(one.body).toEqual(versions.data[1]);
    const { version_id: foreign } = await create();
    for (const id of [foreign, '0193f0aa-0000-7000-8000-000000000000', 'unknown']) {
      expect((await api.get(`/v1/configs/${slug}/versions/${id}`, tenant)).status).toBe(404);
    }
  });

  it('reports all faults of a config together as AB01 [ERR-02]', async () => {
    const config = {
      strategy: { mode: 'wish' },
      targets: [
        { provider: '@a', weight: -1 },
        { provider: '@a', default_params: [], drop_params: [7], override_params: 'x' },
      ],
      retry: { attempts: 99 },
    };
    const response = await api.post<Failure>('/v1/configs', { key: tenant.key, body: { name: 'C', config } });
    expect([response.status, response.body.error.type, response.body.error.code]).toEqual([
      400,
      'config_invalid',
      'AB01',
    ]);
    expect(response.body.error.details?.map(({ path }) => path).sort()).toEqual([
      'retry.attempts',
      'strategy.mode',
      'targets.0.weight',
      'targets.1.default_params',
      'targets.1.drop_params.0',
      'targets.1.override_params',
    ]);
    const { slug } = await create();
    expect((await put(slug, { config })).status).toBe(400);
    expect((await read(slug))['config']).toBe(JSON.stringify(CONFIG));
  });

  it.each([
    ['no targets', []],
    ['no weight above 0', [0, 0]],
    ['a negative weight', [1, -1]],
    ['an empty weight', [1, '']],
    ['a null weight', [1, null]],
  ])('refuses to save a config with %s, at the top level and nested', async (_, weights) => {
    const targets = weights.map((weight) => ({ provider: '@a', weight }));
    const balance = { strategy: { mode: 'loadbalance' }, targets };
    const nested = { strategy: { mode: 'fallback' }, targets: [{ provider: '@a' }, balance] };
    const { slug } = await create();
    for (const config of [balance, nested]) {
      const responses = [
        await api.post<Failure>('/v1/configs', { key: tenant.key, body: { name: 'C', config } }),
        await put(slug, { config }),
      ];
      for (const { status, body } of responses) {
        expect([status, body.error.code]).toEqual([400, 'AB01']);
        expect(body.error.details?.[0]?.path).toContain('targets');
      }
    }
    expect((await read(slug))['config']).toBe(JSON.stringify(CONFIG));
  });

  it('refuses an unknown provider of the catalogue, and accepts an unknown slug', async () => {
    const of = (provider: string): object => ({ name: 'C', config: { provider } });
    const response = await api.post<Failure>('/v1/configs', { key: tenant.key, body: of('nosuch') });
    expect([response.status, response.body.error.details?.map(({ path }) => path)]).toEqual([
      400,
      ['provider'],
    ]);
    expect((await api.post('/v1/configs', { key: tenant.key, body: of('@nosuch') })).status).toBe(200);
  });

  it('refuses the id of a guardrail in upper case, under which gateways find none', async () => {
    const checks = [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }];
    const body = { name: 'G', checks, actions: {} };
    const { id } = (await api.post<{ id: string }>('/v1/guardrails', { key: tenant.key, body })).body;
    const save = (name: string): Promise<GatewayResponse<Failure>> =>
      api.post<Failure>('/v1/configs', {
        key: tenant.key,
        body: { name: 'C', config: { provider: '@a', input_guardrails: [name] } },
      });
    expect((await save(id)).status).toBe(200);
    const refused = await save(id.toUpperCase());
    expect([refused.status, refused.body.error.details?.map(({ path }) => path)]).toEqual([
      400,
      ['input_guardrails.0'],
    ]);
  });

  it('refuses the slug of an unknown guardrail [ERR-01]', async () => {
    const config = { provider: '@a', input_guardrails: ['pg-123abc'], output_guardrails: ['pg-123abc'] };
    const { slug } = await create();
    const created = await api.post<Failure>('/v1/configs', { key: tenant.key, body: { name: 'C', config } });
    for (const response of [created, await put(slug, { config })]) {
      expect([response.status, response.body.error.details?.map(({ path }) => path)]).toEqual([
        400,
        ['input_guardrails.0', 'output_guardrails.0'],
      ]);
    }
  });

  it.each([
    ['api_key', { provider: 'openai', api_key: 'sk-CANARYINLINE0123456789' }],
    [
      'targets.0.api_key',
      { strategy: { mode: 'single' }, targets: [{ provider: 'openai', api_key: 'sk-CANARY' }] },
    ],
    ['azure_entra_client_secret', { provider: 'azure-openai', azure_entra_client_secret: 'CANARYAZURE' }],
    ['aws_secret_access_key', { provider: '@a', aws_secret_access_key: 'CANARYAWSSECRET' }],
    ['openai_api_key', { provider: 'openai', openai_api_key: 'CANARYPREFIXED' }],
    ['azure_ad_token', { provider: 'azure-openai', azure_ad_token: 'CANARYTOKEN' }],
    ['vertex_credentials', { provider: '@a', vertex_credentials: 'CANARYCREDENTIALS' }],
  ])('refuses a credential in %s without repeating it in the error', async (path, config) => {
    const response = await api.post<Failure>('/v1/configs', { key: tenant.key, body: { name: 'C', config } });
    expect([response.status, response.body.error.details?.map((detail) => detail.path)]).toEqual([
      400,
      [path],
    ]);
    expect(response.text).not.toContain('CANARY');
  });

  it.each([
    ['name', { name: undefined }],
    ['name', { name: 'x'.repeat(256) }],
    ['config', { config: undefined }],
    ['config', { config: '{}' }],
    ['config', { config: [] }],
    ['config', { config: { provider: 'a\u0000b' } }],
    ['isDefault', { isDefault: 2 }],
  ])('refuses an invalid %s and names it in param', async (param, more) => {
    const body = { name: 'C', config: CONFIG, ...more };
    const response = await api.post<Failure>('/v1/configs', { key: tenant.key, body });
    expect([response.status, response.body.error.param]).toEqual([400, param]);
  });

  it('keeps one default per workspace, and publishes the workspace when it changes', async () => {
    const first = await create({ isDefault: 1 });
    expect((await lastEvent())?.changed).toContain(`workspace:${tenant.workspaceId}`);
    const second = await create();
    await put(second.slug, { isDefault: true });
    expect((await lastEvent())?.changed).toContain(`workspace:${tenant.workspaceId}`);
    expect(await read(first.slug)).toMatchObject({ is_default: 0 });
    expect(await read(second.slug)).toMatchObject({ is_default: 1 });
    const both = await Promise.all([put(first.slug, { isDefault: 1 }), put(second.slug, { isDefault: 1 })]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const { body: list } = await api.get<{ data: { is_default: number }[] }>('/v1/configs', tenant);
    expect(list.data.filter((item) => item.is_default === 1)).toHaveLength(1);
    await put(first.slug, { isDefault: 0 });
    await put(second.slug, { isDefault: 0 });
  });

  it('refuses to delete a config that is a default, and lists the uses', async () => {
    const { manager } = api.dataSource;
    const { id, slug } = await create({ isDefault: 1 });
    const refusal = async (): Promise<string[] | undefined> => {
      const response = await api.delete<Failure>(`/v1/configs/${slug}`, tenant);
      expect(response.status).toBe(409);
      expect((await put(slug, { status: 'archived' })).status).toBe(409);
      return response.body.error.details?.map(({ path }) => path);
    };
    expect(await refusal()).toEqual(['isDefault']);
    await put(slug, { isDefault: 0 });
    const where = { id: tenant.workspaceId };
    await manager.update(WorkspaceEntity, where, { defaults: { user_api_key_config: id } });
    await manager.update(ApiKeyEntity, { workspaceId: tenant.workspaceId }, { defaultConfigId: id });
    expect(await refusal()).toEqual(['defaults.user_api_key_config', 'defaults.config_id']);
    await manager.update(WorkspaceEntity, where, { defaults: {} });
    await manager.update(ApiKeyEntity, { workspaceId: tenant.workspaceId }, { defaultConfigId: null });
    expect((await api.delete(`/v1/configs/${slug}`, tenant)).body).toEqual({});
    expect((await api.get(`/v1/configs/${slug}`, tenant)).status).toBe(404);
    expect(await lastEvent()).toMatchObject({
      changed: [],
      removed: expect.arrayContaining([expect.stringContaining(slug)]) as string[],
    });
  });

  it('archives by status only for a caller that may delete configs', async () => {
    const { slug } = await create();
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const key = await api.apiKey('workspace-service', at, ['configs.update']);
    const path = `/v1/configs/${slug}`;
    const refused = await api.put<Failure>(path, { key, body: { status: 'archived' } });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'scope_missing']);
    expect((await api.put(path, { key, body: { status: 'active' } })).status).toBe(200);
    expect((await put(slug, { status: 'archived' })).status).toBe(200);
  });

  it('returns 412 for a write with a stale If-Match', async () => {
    const { slug } = await create();
    const { headers } = await api.get(`/v1/configs/${slug}`, tenant);
    const stale = {
      key: tenant.key,
      body: { name: 'New' },
      headers: { 'if-match': String(headers['etag']) },
    };
    expect((await api.put(`/v1/configs/${slug}`, stale)).status).toBe(200);
    expect((await api.put(`/v1/configs/${slug}`, stale)).status).toBe(412);
    expect((await api.delete(`/v1/configs/${slug}`, stale)).status).toBe(412);
  });

  it('returns the same 404 to other tenants, 401 without a key, and 403 without the scope', async () => {
    const { id, slug, version_id } = await create();
    const sibling = await api.workspace(tenant.organisationId);
    const at = { organisationId: tenant.organisationId, workspaceId: sibling };
    const siblingKey = await api.apiKey('workspace-service', at);
    const weak = await api.apiKey('workspace-service', { ...at, workspaceId: tenant.workspaceId }, [
      'providers.list',
    ]);
    const bodies = new Set<string>();
    for (const reference of [id, slug, 'unknown']) {
      const url = `/v1/configs/${reference}`;
      const calls: (readonly [string, string, object?])[] = [
        ['GET', url],
        ['PUT', url, { name: 'x' }],
        ['DELETE', url],
        ['GET', `${url}/versions`],
        ['GET', `${url}/versions/${version_id}`],
        ['GET', `/v1/config/slug/${reference}`],
      ];
      for (const [method, path, body] of calls) {
        const call = body ? { body } : {};
        expect((await api.call(method, path, call)).status).toBe(401);
        expect((await api.call(method, path, { ...call, key: weak })).status).toBe(403);
        for (const key of [other.key, other.adminKey, siblingKey]) {
          const response = await api.call(method, path, { ...call, key });
          expect([path, response.status]).toEqual([path, 404]);
          bodies.add(JSON.stringify({ ...(response.body['error'] as object), request_id: null }));
        }
      }
    }
    expect(bodies.size).toBe(1);
    for (const method of ['GET', 'POST']) {
      const call = method === 'POST' ? { body: { name: 'C', config: CONFIG } } : {};
      expect((await api.call(method, '/v1/configs', call)).status).toBe(401);
      expect((await api.call(method, '/v1/configs', { ...call, key: weak })).status).toBe(403);
    }
  });

  it('requires workspace_id with a credential of the organisation', async () => {
    const body = { name: 'C', config: CONFIG };
    expect((await api.post('/v1/configs', { key: tenant.adminKey, body })).status).toBe(400);
    const named = { ...body, workspace_id: tenant.workspaceId };
    expect((await api.post('/v1/configs', { key: tenant.adminKey, body: named })).status).toBe(200);
    expect((await api.post('/v1/configs', { key: other.adminKey, body: named })).status).toBe(404);
  });
});
