import { readCases } from '@gw/testing';
import { ProviderEntity } from '@gw/entities';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';

interface Failure {
  readonly error: { readonly type: string; readonly param: string | null; readonly details?: object[] };
}

interface PolicyCase {
  readonly id: string;
  readonly endpoint: string;
  readonly body: object;
  readonly expect: 'accept' | 'reject';
}

const policies = readCases('policies.json') as { readonly cases: readonly PolicyCase[] };

const api = new TestAdminApi();
let tenant: Tenant;
let path: string;
let slug: string;
beforeEach(async () => {
  tenant = await api.tenant();
  slug = `account-${tenant.organisationId.slice(-12)}`;
  const body = { name: 'Account', slug, ai_provider_id: 'openai', key: 'sk-CANARYPROVIDER0123456789' };
  const { status } = await api.post('/v1/integrations', { key: tenant.adminKey, body });
  expect(status).toBe(200);
  path = `/v1/integrations/${slug}`;
});

/**
 * A new address of a model would receive the integration's key, so the request contains the key
 * again.
 */
const KEY_AGAIN = 'sk-given-again';
const put = (part: string, body: object): ReturnType<typeof api.put<Failure>> =>
  api.put<Failure>(`${path}/${part}`, { key: tenant.adminKey, body });
const read = async (part: string): Promise<Record<string, unknown>> =>
  (await api.get(`${path}/${part}`, { key: tenant.adminKey })).body;

describe('models of an integration', () => {
  const HEADERS = { authorization: 'Bearer CANARYCLIENTHEADER0123', 'x-team': 'a' };
  const PRICING = {
    type: 'static',
    pay_as_you_go: { request_token: { price: 0.0001 }, response_token: { price: 0.0002 } },
  };
  const CUSTOM = {
    slug: 'my-llama',
    enabled: true,
    is_custom: true,
    base_model_slug: 'llama-3.1-8b',
    custom_headers: HEADERS,
    configurations: { custom_host: 'https://llm.example.org/v1' },
    pricing_config: PRICING,
  };

  it('store address, headers and price of a custom model, and mask credentials in its headers', async () => {
    expect(
      (
        await put('integration-models', {
          key: KEY_AGAIN,
          models: [CUSTOM, { slug: 'gpt-4o', enabled: false }],
        })
      ).status,
    ).toBe(200);
    expect(await read('models')).toEqual({
      total: 2,
      allow_all_models: true,
      models: [
        {
          slug: 'gpt-4o',
          name: 'gpt-4o',
          enabled: false,
          is_custom: false,
          is_finetune: false,
          base_model_slug: null,
          configurations: null,
          pricing_config: null,
        },
        {
          slug: 'my-llama',
          name: 'my-llama',
          enabled: true,
          is_custom: true,
          is_finetune: false,
          base_model_slug: 'llama-3.1-8b',
          configurations: {
            custom_host: 'https://llm.example.org/v1',
            custom_headers: { authorization: '*****', 'x-team': 'a' },
          },
          pricing_config: PRICING,
        },
      ],
    });
  });

  it('are merged with the saved models, unless the request overrides them', async () => {
    await put('models', { key: KEY_AGAIN, models: [CUSTOM, { slug: 'other' }] });
    const shown = { custom_headers: { authorization: '*****', 'x-new': 'b' } };
    await put('models', { models: [{ slug: 'my-llama', configurations: shown, pricing_config: null }] });
    const [row] = await api.dataSource.query<[{ custom_headers: object; custom_host: string }]>(
      `SELECT custom_headers, custom_host FROM integration_models m JOIN integrations i ON i.id = m.integration_id
       WHERE i.slug = $1 AND m.slug = 'my-llama'`,
      [slug],
    );
    expect(row).toEqual({
      custom_headers: { authorization: HEADERS.authorization, 'x-new': 'b' },
      custom_host: 'https://llm.example.org/v1',
    });
    expect(await read('models')).toMatchObject({ total: 2 });
    await put('models', {
      models: [{ slug: 'only' }],
      override_existing_model_access: true,
      allow_all_models: false,
    });
    expect(await read('models')).toMatchObject({
      total: 1,
      allow_all_models: false,
      models: [{ slug: 'only' }],
    });
  });

  it('are deleted either all or not at all', async () => {
    await put('models', { key: KEY_AGAIN, models: [CUSTOM, { slug: 'gpt-4o' }] });
    const remove = (slugs: string): ReturnType<typeof api.delete> =>
      api.delete(`${path}/models?slugs=${slugs}`, { key: tenant.adminKey });
    expect((await remove('my-llama,gpt-4o')).status).toBe(400);
    expect(await read('models')).toMatchObject({ total: 2 });
    expect((await remove('my-llama')).status).toBe(200);
    expect(await read('models')).toMatchObject({ total: 1 });
    expect((await remove('')).status).toBe(400);
    expect((await api.delete(`${path}/models`, { key: tenant.adminKey })).status).toBe(400);
  });

  const cases = policies.cases.filter(({ endpoint }) => endpoint.endsWith('/integration-models'));
  it.each(cases.map((entry) => [entry.id, entry] as const))(
    'are handled as case %s says',
    async (_id, entry) => {
      const { status } = await put('integration-models', { key: KEY_AGAIN, ...entry.body });
      expect(status).toBe(entry.expect === 'accept' ? 200 : 400);
    },
  );

  it.each([
    ['models', { models: 'x' }],
    ['models.0.slug', { models: [{}] }],
    ['models.1.slug', { models: [{ slug: 'm' }, { slug: 'm' }] }],
    ['models.0.enabled', { models: [{ slug: 'm', enabled: 'yes' }] }],
    ['models.0.is_custom', { models: [{ ...CUSTOM, is_custom: false }] }],
    ['models.0.configurations', { models: [{ slug: 'm', configurations: {} }] }],
    ['models.0.configurations.region', { models: [{ slug: 'm', configurations: { region: 'eu' } }] }],
    ['models.0.pricing_config.pay_as_you_go', { models: [{ slug: 'm', pricing_config: {} }] }],
  ])('refuse invalid %s and name them in param', async (param, body) => {
    const response = await put('models', body);
    expect([response.status, response.body.error.param]).toEqual([400, param]);
  });
});

describe('workspaces of an integration', () => {
  const live = (): Promise<ProviderEntity[]> =>
    api.dataSource.manager.findBy(ProviderEntity, {
      organisationId: tenant.organisationId,
      status: 'active',
    });

  it('gain access with a provider, and lose both', async () => {
    const usage_limits = [{ type: 'cost', credit_limit: 10, periodic_reset: 'monthly' }];
    const rate_limits = [{ type: 'requests', unit: 'rpm', value: 5 }];
    const grant = { id: tenant.workspaceId, enabled: true, usage_limits, rate_limits };
    expect((await put('workspaces', { workspaces: [grant] })).status).toBe(200);
    expect(await read('workspaces')).toMatchObject({
      total: 1,
      workspaces: [
        { id: tenant.workspaceId, enabled: true, usage_limits: [{ credit_limit: 10 }], rate_limits },
      ],
    });
    const { body: provider } = await api.get(`/v1/providers/${slug}`, tenant);
    expect(provider).toMatchObject({ note: 'Created automatically on integration access grant' });

    await put('workspaces', { workspaces: [{ id: tenant.workspaceId, enabled: false }] });
    expect((await api.get(`/v1/providers/${slug}`, tenant)).status).toBe(404);
    expect(await live()).toEqual([]);
    const refused = { key: tenant.key, body: { name: 'P', integration_id: slug } };
    expect((await api.post('/v1/providers', refused)).status).toBe(400);
  });

  it('get no second provider, and none with create_default_provider: false', async () => {
    const quiet = { id: tenant.workspaceId, enabled: true, create_default_provider: false };
    await put('workspaces', { workspaces: [quiet] });
    expect(await live()).toEqual([]);
    await api.post('/v1/providers', { key: tenant.key, body: { name: 'P', integration_id: slug } });
    await put('workspaces', { workspaces: [{ ...quiet, create_default_provider: true }] });
    expect(await live()).toHaveLength(1);
  });

  it('have global access now and when created later, except disabled ones', async () => {
    await put('workspaces', { global_workspace_access: { enabled: true } });
    const later = await api.workspace(tenant.organisationId);
    const at = { organisationId: tenant.organisationId, workspaceId: later };
    const laterKey = await api.apiKey('workspace-service', at);
    const provider = { name: 'P', integration_id: slug };
    expect((await api.post('/v1/providers', { key: laterKey, body: provider })).status).toBe(200);
    expect((await api.get(path, { key: tenant.adminKey })).body).toMatchObject({ workspace_count: 2 });
    await put('workspaces', { workspaces: [{ id: later, enabled: false }] });
    expect(await live()).toEqual([]);
    expect((await api.post('/v1/providers', { key: tenant.key, body: provider })).status).toBe(200);
    await put('workspaces', { global_workspace_access: null });
    expect(await live()).toEqual([]);
  });

  it('keep the limits of global access when a request does not contain limits', async () => {
    const usage_limits = [{ type: 'cost', credit_limit: 10 }];
    const rate_limits = [{ type: 'requests', unit: 'rpm', value: 5 }];
    await put('workspaces', { global_workspace_access: { enabled: true, usage_limits, rate_limits } });
    const { workspaceId: id } = tenant;
    const limits = async (body: object): Promise<unknown> => {
      expect((await put('workspaces', { workspaces: [{ id, enabled: true, ...body }] })).status).toBe(200);
      const { workspaces } = await read('workspaces');
      return workspaces;
    };
    expect(await limits({ reset_usage: true })).toMatchObject([{ id, usage_limits, rate_limits }]);
    expect(await limits({ usage_limits: null })).toMatchObject([{ id, usage_limits: null, rate_limits }]);
  });

  it('are replaced with override_existing_workspace_access', async () => {
    const second = await api.workspace(tenant.organisationId);
    await put('workspaces', { workspaces: [{ id: tenant.workspaceId, enabled: true }] });
    await put('workspaces', {
      workspaces: [{ id: second, enabled: true }],
      override_existing_workspace_access: true,
    });
    expect(await read('workspaces')).toMatchObject({ total: 1, workspaces: [{ id: second }] });
    expect(await live()).toMatchObject([{ workspaceId: second }]);
    await put('workspaces', { workspaces: [], override_existing_workspace_access: true });
    expect(await read('workspaces')).toMatchObject({ total: 0 });
  });

  it('must belong to the organisation', async () => {
    const other = await api.tenant();
    for (const id of [other.workspaceId, '0193f0aa-0000-7000-8000-000000000000', 'unknown']) {
      const response = await put('workspaces', { workspaces: [{ id, enabled: true }] });
      expect([response.status, response.body.error.param]).toEqual([400, 'workspaces.0.id']);
      expect(response.body.error.details).toEqual([
        { path: 'workspaces.0.id', message: 'is not an active workspace of the organisation' },
      ]);
    }
  });

  it.each([
    ['workspaces.0.enabled', { workspaces: [{ id: 'a' }] }],
    ['workspaces.0.id', { workspaces: [{ enabled: true }] }],
    ['workspaces.0.usage_limits', { workspaces: [{ id: 'a', enabled: true, usage_limits: [{}, {}] }] }],
    ['global_workspace_access.enabled', { global_workspace_access: {} }],
  ])('refuse an invalid %s and name it in param', async (param, body) => {
    const response = await put('workspaces', body);
    expect([response.status, response.body.error.param?.startsWith(param)]).toEqual([400, true]);
  });
});
