import { credentialBinding } from '@gw/contracts';
import { ChangeEventEntity, IntegrationEntity, ProviderEntity } from '@gw/entities';
import { unseal } from '@gw/kernel';
import { CredentialsService } from '../../platform/credentials/credentials.service';
import { Secrets } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';

const KEY = 'vk-CANARYVK0123456789';

interface Created {
  readonly success: boolean;
  readonly data: { readonly slug: string };
}

interface Failure {
  readonly error: { readonly type: string; readonly param: string | null };
}

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const other = api.sharedTenant();

async function create(more: object = {}): Promise<string> {
  const body = { name: 'Key', provider: 'openai', key: KEY, ...more };
  const response = await api.post<Created>('/v1/virtual-keys', { key: tenant.key, body });
  expect([response.status, response.body]).toEqual([
    200,
    { success: true, data: { slug: expect.any(String) as string } },
  ]);
  return response.body.data.slug;
}

/** Returns the decrypted credential, as a gateway reads it. */
async function credentialOf(slug: string): Promise<unknown> {
  const { manager } = api.dataSource;
  const row = await manager.findOneByOrFail(ProviderEntity, { slug });
  const hidden = await manager.findOneByOrFail(IntegrationEntity, { id: row.integrationId });
  const secrets = new Secrets(MASTER_KEY, SERVICE_TOKEN);
  const { sealedCredential } = new CredentialsService(secrets).sealForProvider(hidden, row);
  const binding = credentialBinding(row.workspaceId, row.id);
  return JSON.parse(unseal(secrets.sealingKeyring, sealedCredential as string, binding).toString());
}

const DEPLOYMENT = {
  apiVersion: '2024-10-21',
  deploymentName: 'gpt-4o-eu',
  alias: 'gpt-4o',
  is_default: true,
};
const AZURE = {
  provider: 'azure-openai',
  resourceName: 'my-resource',
  azureAuthMode: 'entra',
  azureEntraTenantId: 't',
  azureEntraClientId: 'c',
  azureEntraClientSecret: 'CANARYAZURE0123456789abcdef',
  deploymentConfig: [DEPLOYMENT],
  key: undefined,
};

describe('/v1/virtual-keys', () => {
  it('creates, reads, lists, updates and deletes a virtual key with its own credential', async () => {
    const slug = await create({
      name: 'My Key',
      note: 'n',
      usage_limits: { credit_limit: 5 },
      openaiProject: 'p',
    });
    expect(slug).toMatch(/^my-key-[0-9a-f]{6}$/);
    const { body: read } = await api.get(`/v2/virtual-keys/${slug}`, tenant);
    expect(read).toMatchObject({
      slug,
      name: 'My Key',
      note: 'n',
      provider: 'openai',
      ai_provider_name: 'openai',
      model_config: { openai_project: 'p' },
      key: '',
      masked_api_key: 'vk*****789',
      status: 'active',
      usage_limits: { credit_limit: 5 },
      workspace_id: tenant.workspaceId,
      object: 'virtual-key',
    });
    expect(await credentialOf(slug)).toEqual({ apiKey: KEY, configurations: {} });

    const change = { name: 'Renamed', key: 'sk-another-key-000111', openaiProject: null };
    const updated = await api.put(`/v1/virtual-keys/${slug}`, { key: tenant.key, body: change });
    expect([updated.status, updated.body]).toEqual([200, {}]);
    expect((await api.get(`/v1/virtual-keys/${slug}`, tenant)).body).toMatchObject({
      name: 'Renamed',
      note: 'n',
      model_config: {},
      masked_api_key: 'sk*****111',
    });
    expect(await credentialOf(slug)).toMatchObject({ apiKey: 'sk-another-key-000111' });

    const { body: list } = await api.get<{ data: { slug: string }[] }>('/v1/virtual-keys', tenant);
    expect(list.data.map((item) => item.slug)).toContain(slug);
    expect((await api.delete(`/v1/virtual-keys/${slug}`, tenant)).body).toEqual({});
    expect((await api.get(`/v1/virtual-keys/${slug}`, tenant)).status).toBe(404);
    const [event] = await api.dataSource.manager.find(ChangeEventEntity, {
      order: { sequence: 'DESC' },
      take: 1,
    });
    expect(event).toMatchObject({ changed: [], removed: [`provider:${tenant.workspaceId}:${slug}`] });
  });

  it('separates the provider fields into shown and sealed ones', async () => {
    const slug = await create(AZURE);
    expect((await api.get(`/v1/virtual-keys/${slug}`, tenant)).body).toMatchObject({
      masked_api_key: null,
      model_config: {
        azure_resource_name: 'my-resource',
        azure_deployment_config: [
          {
            azure_api_version: '2024-10-21',
            azure_deployment_name: 'gpt-4o-eu',
            alias: 'gpt-4o',
            is_default: true,
          },
        ],
        masked_azure_entra_client_secret: 'CA*****def',
      },
    });
    expect(await credentialOf(slug)).toEqual({
      configurations: { azure_entra_client_secret: 'CANARYAZURE0123456789abcdef' },
    });
  });

  it('changes its etag when only the credential changes', async () => {
    const slug = await create();
    const etag = async (): Promise<string> =>
      String((await api.get(`/v1/virtual-keys/${slug}`, tenant)).headers['etag']);
    const first = await etag();
    const put = (ifMatch: string): Promise<{ status: number }> =>
      api.put(`/v1/virtual-keys/${slug}`, {
        key: tenant.key,
        body: { key: 'sk-another-key-000111' },
        headers: { 'if-match': ifMatch },
      });
    expect((await put(first)).status).toBe(200);
    expect(await etag()).not.toBe(first);
    expect((await put(first)).status).toBe(412);
  });

  it('does not show virtual keys as providers, nor their hidden integrations as integrations', async () => {
    const slug = await create();
    expect((await api.get(`/v1/providers/${slug}`, tenant)).status).toBe(404);
    const row = await api.dataSource.manager.findOneByOrFail(ProviderEntity, { slug });
    for (const reference of [row.integrationId, `virtual-key-${row.id}`]) {
      expect((await api.get(`/v1/integrations/${reference}`, tenant)).status).toBe(404);
      const body = { name: 'P', integration_id: reference };
      expect((await api.post('/v1/providers', { key: tenant.key, body })).status).toBe(400);
    }
    expect((await api.get('/v1/integrations', tenant)).text).not.toContain(row.integrationId);
  });

  it.each([
    ['name', { name: undefined }],
    ['provider', { provider: 'nobody' }],
    ['key', { key: undefined }],
    ['key', { key: 'has space' }],
    ['resourceName', { ...AZURE, resourceName: undefined }],
    ['resourceName', { ...AZURE, resourceName: 'evil.example/x' }],
    ['azureEntraClientSecret', { ...AZURE, azureEntraClientSecret: undefined }],
    ['deploymentConfig', { ...AZURE, deploymentConfig: [] }],
    ['deploymentConfig.0.deploymentName', { ...AZURE, deploymentConfig: [{ apiVersion: 'v' }] }],
    ['apiVersion', { ...AZURE, apiVersion: 'v'.repeat(31) }],
    ['apiVersion', { ...AZURE, deploymentConfig: undefined, deploymentName: 'gpt-4o-eu' }],
    ['deploymentName', { ...AZURE, deploymentConfig: undefined, apiVersion: '2024-10-21' }],
    ['deploymentName', { ...AZURE, deploymentConfig: undefined, apiVersion: 'v', deploymentName: null }],
    ['openaiProject', { openaiProject: 5 }],
    ['custom_headers.x-a', { custom_headers: { 'x-a': 5 } }],
    ['usage_limits.credit_limit', { usage_limits: {} }],
    ['rate_limits', { rate_limits: 'x' }],
  ])('refuses an invalid %s and names it in param', async (param, more) => {
    const body = { name: 'Key', provider: 'openai', key: KEY, ...more };
    const response = await api.post<Failure>('/v1/virtual-keys', { key: tenant.key, body });
    expect([response.status, response.body.error.param]).toEqual([400, param]);
  });

  it('returns the same 404 to other tenants, 401 without a key, and 403 without the scope', async () => {
    const slug = await create();
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const weak = await api.apiKey('workspace-service', at, ['configs.list']);
    for (const reference of [slug, 'unknown']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const url = `/v1/virtual-keys/${reference}`;
        const body = method === 'PUT' ? { body: { note: 'x' } } : {};
        expect((await api.call(method, url, body)).status).toBe(401);
        expect((await api.call(method, url, { ...body, key: weak })).status).toBe(403);
        expect((await api.call(method, url, { ...body, key: other.key })).status).toBe(404);
      }
    }
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: { name: 'K', provider: 'sandbox' } } : {};
      expect((await api.call(method, '/v1/virtual-keys', body)).status).toBe(401);
      expect((await api.call(method, '/v1/virtual-keys', { ...body, key: weak })).status).toBe(403);
    }
  });
});
