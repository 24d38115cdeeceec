import { ChangeEventEntity, ProviderEntity } from '@gw/entities';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';

interface Created {
  readonly id: string;
  readonly slug: string;
}

interface Failure {
  readonly error: { readonly type: string; readonly param: string | null };
}

const api = new TestAdminApi();
let tenant: Tenant;
let other: Tenant;
let integration: string;
beforeAll(async () => {
  tenant = await api.tenant();
  other = await api.tenant();
  const body = { name: 'Account', ai_provider_id: 'sandbox', create_default_provider: false };
  integration = (await api.post<Created>('/v1/integrations', { key: tenant.key, body })).body.slug;
});

async function create(more: object = {}): Promise<Created> {
  const body = { name: 'Provider', integration_id: integration, ...more };
  const response = await api.post<Created>('/v1/providers', { key: tenant.key, body });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body;
}

const events = async (): Promise<ChangeEventEntity[]> =>
  api.dataSource.manager.find(ChangeEventEntity, { order: { sequence: 'DESC' }, take: 1 });

describe('/v1/providers', () => {
  it('creates, reads, lists, updates and deletes a provider, and publishes each change', async () => {
    const { id, slug } = await create({
      name: 'My Provider',
      note: 'n',
      tags: { a: 'b' },
      usage_limits: { credit_limit: 5, periodic_reset: 'monthly' },
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
      expires_at: '2999-01-01T00:00:00.000Z',
    });
    const key = `provider:${tenant.workspaceId}:${slug}`;
    expect(slug).toMatch(/^my-provider-[0-9a-f]{6}$/);
    expect(await events()).toMatchObject([{ changed: [key], removed: [] }]);

    const { body: read } = await api.get(`/v2/providers/${slug}`, tenant);
    expect(read).toMatchObject({
      id,
      slug,
      name: 'My Provider',
      integration_id: integration,
      note: 'n',
      status: 'active',
      tags: { a: 'b' },
      usage_limits: { type: 'cost', credit_limit: 5, periodic_reset: 'monthly', status: 'active' },
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
      expires_at: '2999-01-01T00:00:00.000Z',
      object: 'provider',
    });
    expect((await api.get(`/v1/providers/${id}`, tenant)).body).toEqual(read);

    const change = { note: null, expires_at: null, usage_limits: null, rate_limits: null };
    const updated = await api.put(`/v1/providers/${slug}`, { key: tenant.key, body: change });
    expect([updated.status, updated.body]).toEqual([200, { id, slug }]);
    expect(await events()).toMatchObject([{ changed: [key], removed: [] }]);
    expect((await api.get(`/v1/providers/${slug}`, tenant)).body).toMatchObject({
      ...change,
      name: 'My Provider',
      tags: { a: 'b' },
    });

    const { body: list } = await api.get<{ data: Created[] }>('/v1/providers', tenant);
    expect(list.data.map((item) => item.id)).toContain(id);
    expect((await api.delete(`/v1/providers/${slug}`, tenant)).body).toEqual({});
    expect(await events()).toMatchObject([{ changed: [], removed: [key] }]);
    expect((await api.get(`/v1/providers/${slug}`, tenant)).status).toBe(404);
    await create({ slug });
  });

  it('returns 409 for a slug that the workspace uses, also for a virtual key, but not in another workspace', async () => {
    await create({ slug: 'unique' });
    const body = { name: 'P', integration_id: integration, slug: 'unique' };
    expect((await api.post('/v1/providers', { key: tenant.key, body })).status).toBe(409);
    const theirs = { name: 'A', ai_provider_id: 'sandbox', default_provider_slug: 'unique' };
    expect((await api.post('/v1/integrations', { key: other.key, body: theirs })).status).toBe(200);
  });

  it('returns 409 to one of two concurrent creations with the same slug', async () => {
    const body = { name: 'P', integration_id: integration, slug: 'race' };
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => api.post('/v1/providers', { key: tenant.key, body })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('refuses an integration of another tenant and one that the workspace may not use', async () => {
    const foreign = await api.post<Created>('/v1/integrations', {
      key: other.adminKey,
      body: { name: 'F', ai_provider_id: 'sandbox' },
    });
    const ungranted = await api.post<Created>('/v1/integrations', {
      key: tenant.adminKey,
      body: { name: 'U', ai_provider_id: 'sandbox' },
    });
    const texts = new Set<string>();
    for (const reference of [foreign.body.id, foreign.body.slug, ungranted.body.slug, 'unknown']) {
      const body = { name: 'P', integration_id: reference };
      const response = await api.post<Failure>('/v1/providers', { key: tenant.key, body });
      expect(response.status).toBe(400);
      texts.add(JSON.stringify({ ...response.body.error, request_id: null }));
    }
    expect(texts.size).toBe(1);
  });

  it.each([
    ['name', { name: undefined }],
    ['name', { name: 'a\nb' }],
    ['integration_id', { integration_id: undefined }],
    ['slug', { slug: 'a b' }],
    ['usage_limits.credit_limit', { usage_limits: {} }],
    ['usage_limits.credit_limit', { usage_limits: { credit_limit: 0 } }],
    ['usage_limits.type', { usage_limits: { type: 'wishes', credit_limit: 5 } }],
    ['usage_limits.alert_threshold', { usage_limits: { credit_limit: 5, alert_threshold: 5 } }],
    [
      'usage_limits.periodic_reset_days',
      { usage_limits: { credit_limit: 5, periodic_reset: 'weekly', periodic_reset_days: 3 } },
    ],
    ['rate_limits.0.unit', { rate_limits: [{ type: 'requests', unit: 'rpx', value: 1 }] }],
    ['rate_limits.0.value', { rate_limits: [{ type: 'requests', unit: 'rpm', value: -1 }] }],
    ['expires_at', { expires_at: 'tomorrow' }],
    ['expires_at', { expires_at: '2020-01-01T00:00:00.000Z' }],
    ['note', { note: 5 }],
    ['tags', { tags: 'a' }],
  ])('refuses an invalid %s on create and on update, and names it in param', async (param, more) => {
    const body = { name: 'P', integration_id: integration, ...more };
    const created = await api.post<Failure>('/v1/providers', { key: tenant.key, body });
    expect([created.status, created.body.error.param]).toEqual([400, param]);
    const { slug } = await create();
    const isOfCreateOnly = ['integration_id', 'slug'].includes(param) || Object.values(more)[0] === undefined;
    if (isOfCreateOnly) return;
    const updated = await api.put<Failure>(`/v1/providers/${slug}`, { key: tenant.key, body: more });
    expect([updated.status, updated.body.error.param]).toEqual([400, param]);
  });

  it('reactivates an exhausted provider only if its limit is raised or has another type, or its usage is reset', async () => {
    const { id, slug } = await create({ usage_limits: { credit_limit: 5 } });
    const { manager } = api.dataSource;
    const exhaust = (): Promise<unknown> => manager.update(ProviderEntity, { id }, { status: 'exhausted' });
    const statusAfter = async (change: object): Promise<unknown> => {
      await api.put(`/v1/providers/${slug}`, { key: tenant.key, body: change });
      return (await api.get(`/v1/providers/${slug}`, tenant)).body['status'];
    };
    await exhaust();
    expect(await statusAfter({ usage_limits: { credit_limit: 5, alert_threshold: 2 } })).toBe('exhausted');
    expect(await statusAfter({ usage_limits: { credit_limit: 6 } })).toBe('active');
    await exhaust();
    expect(await statusAfter({ usage_limits: { type: 'tokens', credit_limit: 2 } })).toBe('active');
    await exhaust();
    expect(await statusAfter({ reset_usage: true })).toBe('active');
  });

  it('shows a provider as expired after expires_at, and as active after expires_at is postponed', async () => {
    const { id, slug } = await create();
    await api.dataSource.manager.update(ProviderEntity, { id }, { expiresAt: new Date(1) });
    expect((await api.get(`/v1/providers/${slug}`, tenant)).body).toMatchObject({ status: 'expired' });
    await api.put(`/v1/providers/${slug}`, { key: tenant.key, body: { expires_at: null } });
    expect((await api.get(`/v1/providers/${slug}`, tenant)).body).toMatchObject({ status: 'active' });
  });

  it('returns 412 for a write with a stale If-Match', async () => {
    const { slug } = await create();
    const { headers } = await api.get(`/v1/providers/${slug}`, tenant);
    const stale = { key: tenant.key, body: { note: 'a' }, headers: { 'if-match': String(headers['etag']) } };
    expect((await api.put(`/v1/providers/${slug}`, stale)).status).toBe(200);
    expect((await api.put(`/v1/providers/${slug}`, stale)).status).toBe(412);
    expect((await api.delete(`/v1/providers/${slug}`, stale)).status).toBe(412);
  });

  it('requires workspace_id with a credential of the organisation', async () => {
    const { slug } = await create();
    const at = `workspace_id=${tenant.workspaceId}`;
    for (const url of ['/v1/providers', `/v1/providers/${slug}`]) {
      expect((await api.get(url, { key: tenant.adminKey })).status).toBe(400);
      expect((await api.get(`${url}?${at}`, { key: tenant.adminKey })).status).toBe(200);
      expect((await api.get(`${url}?${at}`, { key: other.adminKey })).status).toBe(404);
    }
  });

  it('returns the same 404 to other tenants, 401 without a key, and 403 without the scope', async () => {
    const { id, slug } = await create();
    const sibling = await api.workspace(tenant.organisationId);
    const at = { organisationId: tenant.organisationId, workspaceId: sibling };
    const siblingKey = await api.apiKey('workspace-service', at);
    const weak = await api.apiKey('workspace-service', { ...at, workspaceId: tenant.workspaceId }, [
      'configs.list',
    ]);
    for (const reference of [id, slug, 'unknown']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const url = `/v1/providers/${reference}`;
        const body = method === 'PUT' ? { body: { note: 'x' } } : {};
        expect((await api.call(method, url, body)).status).toBe(401);
        expect((await api.call(method, url, { ...body, key: weak })).status).toBe(403);
        for (const key of [other.key, siblingKey]) {
          expect((await api.call(method, url, { ...body, key })).status).toBe(404);
        }
      }
    }
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: { name: 'P', integration_id: integration } } : {};
      expect((await api.call(method, '/v1/providers', body)).status).toBe(401);
      expect((await api.call(method, '/v1/providers', { ...body, key: weak })).status).toBe(403);
    }
  });

  it('accepts the scopes of virtual keys', async () => {
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const key = await api.apiKey('workspace-service', at, ['virtual_keys.list']);
    expect((await api.get('/v1/providers', { key })).status).toBe(200);
  });
});
