import { TestAdminApi } from '../../spec-support/admin-api';
import { createIntegration, integrationBody, type CreatedIntegration } from '../../spec-support/integrations';

interface Failure {
  readonly error: {
    readonly type: string;
    readonly param: string | null;
    readonly message: string;
    readonly details?: { path: string }[];
  };
}

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const other = api.sharedTenant();

const create = (more: object = {}, key = tenant.adminKey): Promise<CreatedIntegration> =>
  createIntegration(api, key, more);

describe('POST /v1/integrations', () => {
  it('creates an integration of the organisation with a slug derived from its name', async () => {
    const { id, slug } = await create({ name: 'OpenAI (Prod)', tags: { team: 'a' } });
    expect(slug).toMatch(/^openai-prod-[0-9a-f]{6}$/);
    const { body: read } = await api.get(`/v2/integrations/${slug}`, { key: tenant.adminKey });
    expect(read).toMatchObject({
      id,
      slug,
      organisation_id: tenant.organisationId,
      workspace_id: null,
      type: 'organisation',
      ai_provider_id: 'openai',
      name: 'OpenAI (Prod)',
      status: 'active',
      masked_key: 'sk*****789',
      tags: { team: 'a' },
      workspace_count: 0,
      object: 'integration',
    });
  });

  it('stores the id of a provider that is named by an alias', async () => {
    const more = { ai_provider_id: 'snowflake', configurations: { snowflake_account: 'acme-1' } };
    const { slug } = await create(more);
    const { body: read } = await api.get(`/v2/integrations/${slug}`, { key: tenant.adminKey });
    expect(read).toMatchObject({ ai_provider_id: 'cortex', configurations: more.configurations });
  });

  describe('with a credential of a token service', () => {
    const keyFile = { type: 'service_account', project_id: 'p', private_key: 'a-private-key-of-google' };

    it('accepts the key file of a service account, as an object or as text, and never shows it', async () => {
      for (const json of [keyFile, JSON.stringify(keyFile)]) {
        const configurations = { vertex_auth_type: 'serviceAccount', vertex_service_account_json: json };
        const { slug } = await create({ ai_provider_id: 'vertex-ai', key: undefined, configurations });
        const { body } = await api.get(`/v2/integrations/${slug}`, { key: tenant.adminKey });
        expect(body).toMatchObject({ configurations: { vertex_auth_type: 'serviceAccount' } });
        expect(JSON.stringify(body)).not.toContain('a-private-key-of-google');
      }
    });

    it('accepts an OAuth client without a key, and masks its secret [SCP-05]', async () => {
      const configurations = {
        auth_type: 'oauthClientCredentials',
        oauth_token_endpoint: 'https://login.example.com/token',
        oauth_client_id: 'an-id',
        oauth_client_secret: 'a-secret-of-oauth-0123',
      };
      const { slug } = await create({ key: undefined, configurations });
      const { body } = await api.get(`/v2/integrations/${slug}`, { key: tenant.adminKey });
      expect(body).toMatchObject({
        configurations: { masked_oauth_client_secret: 'a-*****123', oauth_client_id: 'an-id' },
      });
    });

    it.each([
      ['an endpoint within the network', { oauth_token_endpoint: 'https://10.0.0.1/token' }],
      ['no secret', { oauth_client_secret: undefined }],
    ])('refuses an OAuth client with %s', async (_name, more) => {
      const configurations = {
        auth_type: 'oauthClientCredentials',
        oauth_token_endpoint: 'https://login.example.com/token',
        oauth_client_id: 'an-id',
        oauth_client_secret: 'a-secret-of-oauth-0123',
        ...more,
      };
      const body = integrationBody({ key: undefined, configurations });
      const { status } = await api.post('/v1/integrations', { key: tenant.adminKey, body });
      expect(status).toBe(400);
    });

    it.each([
      ['bedrock', 'aws_auth_type', { aws_auth_type: 'serviceRole', aws_region: 'eu-central-1' }],
      ['vertex-ai', 'vertex_auth_type', { vertex_auth_type: 'workloadIdentity' }],
    ])('refuses the identity of the installation for %s', async (provider, field, configurations) => {
      const body = integrationBody({ ai_provider_id: provider, key: undefined, configurations });
      const refused = await api.post<Failure>('/v1/integrations', { key: tenant.adminKey, body });
      expect(refused.status).toBe(400);
      expect(refused.body.error.details?.map(({ path }) => path)).toEqual([`configurations.${field}`]);
      expect(refused.body.error.message).toContain('ALLOW_AMBIENT_CLOUD_CREDENTIALS');
    });
  });

  it('creates a workspace integration with its default provider for a workspace key', async () => {
    const { slug } = await create({ default_provider_slug: 'my-openai' }, tenant.key);
    const { body: read } = await api.get(`/v1/integrations/${slug}`, { key: tenant.key });
    expect(read).toMatchObject({ type: 'workspace', workspace_id: tenant.workspaceId, workspace_count: 1 });
    const { body: provider } = await api.get('/v1/providers/my-openai', { key: tenant.key });
    expect(provider).toMatchObject({ slug: 'my-openai', integration_id: slug, status: 'active' });
  });

  it.each([
    ['sk-abc…xyz', 'key is shortened with … or *****, as in lists of secrets; send the whole secret'],
    ['sk*****789', 'key is shortened with … or *****, as in lists of secrets; send the whole secret'],
    ['sk abc', 'key must be visible ASCII characters without spaces or control characters'],
  ])('refuses the key %s and states the reason', async (key, message) => {
    const { status, body } = await api.post<Failure>('/v1/integrations', {
      key: tenant.adminKey,
      body: integrationBody({ key }),
    });
    expect([status, body.error.param]).toEqual([400, 'key']);
    expect(body.error.message).toContain(message.slice('key '.length));
  });

  it('returns the reason why an address is refused', async () => {
    const { status, body } = await api.post<Failure>('/v1/integrations', {
      key: tenant.adminKey,
      body: integrationBody({ configurations: { custom_host: 'https://user:pass@gateway.example.org/v1' } }),
    });
    expect([status, body.error.type, body.error.message]).toEqual([
      400,
      'custom_host_refused',
      'The address is not allowed. The URL must not hold credentials.',
    ]);
  });

  it('creates no default provider with create_default_provider: false, and refuses a used default slug', async () => {
    const { slug } = await create({ create_default_provider: false }, tenant.key);
    expect((await api.get(`/v1/providers/${slug}`, { key: tenant.key })).status).toBe(404);
    await create({ default_provider_slug: 'taken' }, tenant.key);
    const again = await api.post<Failure>('/v1/integrations', {
      key: tenant.key,
      body: integrationBody({ default_provider_slug: 'taken' }),
    });
    expect([again.status, again.body.error.param]).toEqual([400, 'default_provider_slug']);
  });

  it('returns 409 for a slug that the organisation already uses, but not for another organisation', async () => {
    await create({ slug: 'shared-slug' });
    const again = await api.post('/v1/integrations', {
      key: tenant.adminKey,
      body: integrationBody({ slug: 'shared-slug' }),
    });
    expect(again.status).toBe(409);
    await create({ slug: 'shared-slug' }, other.adminKey);
  });

  it('accepts names and slugs of 255 characters and refuses 256, for integrations and providers [LIM-01]', async () => {
    const long = 'a'.repeat(255);
    const { slug } = await create({ name: long, slug: long });
    expect(slug).toBe(long);
    for (const field of ['name', 'slug']) {
      const response = await api.post<Failure>('/v1/integrations', {
        key: tenant.adminKey,
        body: integrationBody({ [field]: `${long}a` }),
      });
      expect([response.status, response.body.error.param]).toEqual([400, field]);
    }
    await create({ slug: 'for-limits' }, tenant.key);
    const provider = { name: long, slug: long, integration_id: 'for-limits' };
    expect((await api.post('/v1/providers', { key: tenant.key, body: provider })).status).toBe(200);
    for (const field of ['name', 'slug']) {
      const response = await api.post<Failure>('/v1/providers', {
        key: tenant.key,
        body: { ...provider, slug: 'another', [field]: `${long}a` },
      });
      expect([response.status, response.body.error.param]).toEqual([400, field]);
    }
  });

  it.each([
    ['name', { name: undefined }],
    ['name', { name: 5 }],
    ['name', { name: '   ' }],
    ['slug', { slug: 'constructor' }],
    ['slug', { slug: '0193f0aa-0000-7000-8000-000000000000' }],
    ['ai_provider_id', { ai_provider_id: 'nobody' }],
    ['ai_provider_id', { ai_provider_id: undefined }],
    ['ai_provider_id', { ai_provider_id: 'anyscale' }],
    ['configurations.snowflake_account', { ai_provider_id: 'cortex', configurations: {} }],
    [
      'configurations.snowflake_account',
      { ai_provider_id: 'cortex', configurations: { snowflake_account: 'evil.com/' } },
    ],
    ['configurations.provider_region', { configurations: { provider_region: 'mars' } }],
    ['key', { key: undefined }],
    ['key', { key: 'has space' }],
    ['key', { key: 'line\nbreak' }],
    ['configurations', { configurations: 'x' }],
    ['configurations.region', { configurations: { region: 'eu' } }],
    ['configurations.openai_project', { configurations: { openai_project: 1 } }],
    ['configurations.custom_headers.x-a', { configurations: { custom_headers: { 'x-a': 'b\r\nc: d' } } }],
    ['create_default_provider', { create_default_provider: 'no' }],
    [
      'secret_mappings.0.secret_reference_id',
      { secret_mappings: [{ target_field: 'key', secret_reference_id: 'x' }] },
    ],
    ['pricing_adjustments.multiplier.default', { pricing_adjustments: { multiplier: { default: -1 } } }],
    ['tags', { tags: { team: 1 } }],
    ['tags', { tags: ['team'] }],
    ['description', { description: 'a\u0000b' }],
  ])('refuses an invalid %s and names it in param', async (param, more) => {
    const { status, body: failure } = await api.post<Failure>('/v1/integrations', {
      key: tenant.adminKey,
      body: integrationBody(more),
    });
    expect([status, failure.error.type, failure.error.param]).toEqual([400, 'validation_failed', param]);
  });

  it('reports all missing fields of the provider together', async () => {
    const { body: failure } = await api.post<Failure>('/v1/integrations', {
      key: tenant.adminKey,
      body: integrationBody({ ai_provider_id: 'azure-openai', key: undefined, configurations: {} }),
    });
    expect(failure.error.details?.map(({ path }) => path)).toEqual([
      'configurations.azure_resource_name',
      'configurations.azure_deployment_config',
      'key',
    ]);
  });

  it('requires no key for a provider without keys, nor for a custom host', async () => {
    const configurations = { custom_host: 'https://llm.example.org/v1' };
    for (const more of [{ ai_provider_id: 'sandbox' }, { configurations }])
      expect(await create({ ...more, key: undefined })).toMatchObject({ id: expect.any(String) });
  });
});

describe('GET /v1/integrations', () => {
  it('filters integrations and providers by tags', async () => {
    const fresh = await api.tenant();
    const { id } = await create({ tags: { team: 'a', tier: '1' }, default_provider_slug: 'p1' }, fresh.key);
    const second = await create({ tags: { team: 'b' }, create_default_provider: false }, fresh.key);
    const tags = encodeURIComponent(JSON.stringify({ team: 'a' }));
    const list = await api.get<{ data: CreatedIntegration[]; total: number }>(
      `/v1/integrations?tags=${tags}`,
      fresh,
    );
    expect(list.body).toMatchObject({
      object: 'list',
      total: 1,
      data: [{ id, tags: { team: 'a', tier: '1' } }],
    });
    const provider = { name: 'Second', integration_id: second.slug, slug: 'p2', tags: { team: 'a' } };
    await api.post('/v1/providers', { key: fresh.key, body: provider });
    const providers = await api.get(`/v1/providers?tags=${tags}`, fresh);
    expect(providers.body).toMatchObject({ total: 1, data: [{ slug: 'p2', tags: { team: 'a' } }] });
    for (const path of ['integrations', 'providers']) {
      expect((await api.get(`/v1/${path}?tags=no-json`, fresh)).status).toBe(400);
    }
  });

  it('lists pages, newest first, searches, and filters by type', async () => {
    const fresh = await api.tenant();
    const made: string[] = [];
    for (const name of ['Alpha', 'Beta', 'Gamma']) made.push((await create({ name }, fresh.adminKey)).id);
    const ids = async (query: string, key = fresh.adminKey): Promise<string[]> =>
      (await api.get<{ data: CreatedIntegration[] }>(`/v1/integrations?${query}`, { key })).body.data.map(
        ({ id }) => id,
      );
    expect(await ids('')).toEqual([...made].reverse());
    expect(await ids('page_size=1&current_page=1')).toEqual([made[1]]);
    expect(await ids('search=ALPH')).toEqual([made[0]]);
    expect(await ids('search=%25')).toEqual([]);
    expect(await ids('type=workspace')).toEqual([]);
    expect(await ids('type=organisation')).toHaveLength(3);
    for (const query of ['page_size=0', 'page_size=1001', 'current_page=-1', 'type=none']) {
      expect((await api.get(`/v1/integrations?${query}`, { key: fresh.adminKey })).status).toBe(400);
    }
  });

  it('lists for a workspace the organisation’s integrations that it may use, and its own', async () => {
    const fresh = await api.tenant();
    const hidden = await create({ name: 'Not granted' }, fresh.adminKey);
    const granted = await create({ name: 'Granted' }, fresh.adminKey);
    const own = await create({ name: 'Own' }, fresh.key);
    await api.put(`/v1/integrations/${granted.slug}/workspaces`, {
      key: fresh.adminKey,
      body: { workspaces: [{ id: fresh.workspaceId, enabled: true }] },
    });
    const { body: list } = await api.get<{ data: CreatedIntegration[] }>('/v1/integrations', fresh);
    expect(list.data.map(({ id }) => id)).toEqual([own.id, granted.id]);
    expect(JSON.stringify(list)).not.toContain(hidden.id);
  });
});

describe('PUT /v1/integrations/{integration}', () => {
  it('keeps absent fields, clears null fields, and replaces the others', async () => {
    const { slug } = await create({
      description: 'first',
      tags: { a: 'b' },
      configurations: { openai_project: 'p', openai_organization: 'o' },
    });
    const response = await api.put(`/v1/integrations/${slug}`, {
      key: tenant.adminKey,
      body: { description: null, configurations: { openai_project: null }, key: 'sk-another-key-000111' },
    });
    expect([response.status, response.body]).toEqual([200, {}]);
    const { body: read } = await api.get(`/v1/integrations/${slug}`, { key: tenant.adminKey });
    expect(read).toMatchObject({
      description: null,
      tags: { a: 'b' },
      configurations: { openai_organization: 'o' },
      masked_key: 'sk*****111',
    });
    expect(read['configurations']).not.toHaveProperty('openai_project');
  });

  it('returns 412 for a stale If-Match, also on the routes for models and workspaces', async () => {
    const { slug } = await create();
    const path = `/v1/integrations/${slug}`;
    const etag = async (): Promise<string> =>
      String((await api.get(path, { key: tenant.adminKey })).headers['etag']);
    const first = await etag();
    const put = async (url: string, ifMatch: string, change: object): Promise<number> =>
      (await api.put(url, { key: tenant.adminKey, body: change, headers: { 'if-match': ifMatch } })).status;
    expect(await put(`${path}/models`, first, { models: [{ slug: 'm' }] })).toBe(200);
    const second = await etag();
    expect(second).not.toBe(first);
    expect(await put(path, first, { name: 'Lost' })).toBe(412);
    expect(await put(path, second, { name: 'Kept' })).toBe(200);
    expect(await put(`${path}/workspaces`, second, { workspaces: [] })).toBe(412);
  });

  it('refuses to clear a field that the provider requires', async () => {
    const { slug } = await create();
    const response = await api.put<Failure>(`/v1/integrations/${slug}`, {
      key: tenant.adminKey,
      body: { key: null },
    });
    expect([response.status, response.body.error.param]).toEqual([400, 'key']);
  });
});

describe('DELETE /v1/integrations/{integration}', () => {
  it('archives the integration with its providers, and makes its slug available again', async () => {
    const { slug } = await create({ slug: 'short-lived', default_provider_slug: 'short-lived' }, tenant.key);
    expect((await api.delete(`/v1/integrations/${slug}`, tenant)).status).toBe(200);
    expect((await api.get(`/v1/integrations/${slug}`, tenant)).status).toBe(404);
    expect((await api.get('/v1/providers/short-lived', tenant)).status).toBe(404);
    await create({ slug: 'short-lived', default_provider_slug: 'short-lived' }, tenant.key);
  });
});
