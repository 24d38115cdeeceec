import { STUB_ACCESS } from '@gw/testing';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { createIntegration } from '../../spec-support/integrations';

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const HOST = 'https://llm.example.com/v1';
/** All scopes that the writes need, without the right to change a reference. */
const SCOPES = {
  organisation: ['organisation_integrations.create', 'organisation_integrations.update'],
  workspace: ['virtual_keys.create', 'virtual_keys.update'],
};
let writer: string;
let workspaceWriter: string;
let mapped: { readonly secret_mappings: readonly object[] };

beforeAll(async () => {
  const { organisationId, workspaceId, adminKey } = tenant;
  writer = await api.apiKey('organisation-service', { organisationId }, SCOPES.organisation);
  workspaceWriter = await api.apiKey('workspace-service', { organisationId, workspaceId }, SCOPES.workspace);
  const { body } = await api.post<{ id: string }>('/v1/secret-references', {
    key: adminKey,
    body: {
      name: 'OpenAI key',
      manager_type: 'vendor3_vault',
      auth_config: {
        vault_auth_type: 'token',
        vault_addr: 'https://vault.example.com',
        vault_token: STUB_ACCESS.vaultToken,
      },
      secret_path: 'secret/data/openai',
    },
  });
  mapped = { secret_mappings: [{ target_field: 'key', secret_reference_id: body.id, secret_key: 'k' }] };
});

const verdictOf = ({ status, body }: GatewayResponse<Failure>): unknown => [
  status,
  ...(status === 200 ? [] : [body.error.type, body.error.param]),
];
const refusedAt = (path: string): unknown => [403, 'scope_missing', path];

describe('mapped secret in a secret manager', () => {
  it('is not sent to the host of an integration set by a caller without secret_references.update', async () => {
    const path = 'configurations.custom_host';
    const create = async (key: string, more: object): Promise<unknown> => {
      const body = { name: 'Mapped', ai_provider_id: 'openai', ...mapped, ...more };
      return verdictOf(await api.post('/v1/integrations', { key, body }));
    };
    const configurations = { custom_host: HOST };
    expect(await create(writer, { configurations })).toEqual(refusedAt(path));
    expect(await create(writer, {})).toEqual([200]);
    expect(await create(tenant.adminKey, { configurations })).toEqual([200]);

    const update = async (key: string, slug: string, body: object): Promise<unknown> =>
      verdictOf(await api.put(`/v1/integrations/${slug}`, { key, body }));
    const withMapping = await createIntegration(api, tenant.adminKey, { key: undefined, ...mapped });
    expect(await update(writer, withMapping.slug, { configurations })).toEqual(refusedAt(path));
    expect(await update(writer, withMapping.slug, { name: 'Another name' })).toEqual([200]);
    expect(await update(tenant.adminKey, withMapping.slug, { configurations })).toEqual([200]);
    const withHost = await createIntegration(api, tenant.adminKey, { configurations });
    expect(await update(writer, withHost.slug, { ...mapped, key: null })).toEqual(refusedAt(path));
  });

  it.each([
    [
      'openai',
      'oauth_token_endpoint',
      'configurations.oauth_client_secret',
      {
        auth_type: 'oauthClientCredentials',
        oauth_client_id: 'x',
        oauth_token_endpoint: 'https://login.example.com/token',
      },
    ],
    [
      'azure-openai',
      'azure_resource_name',
      'key',
      {
        azure_resource_name: 'own',
        azure_deployment_config: [{ azure_deployment_name: 'd', azure_api_version: '2024-10-21' }],
      },
    ],
    ['azure-ai', 'azure_foundry_url', 'key', { azure_foundry_url: HOST }],
    ['cortex', 'snowflake_account', 'key', { snowflake_account: 'own' }],
    ['cloudflare-ai-gateway', 'cf_account_id', 'key', { cf_account_id: 'own', cf_gateway: 'own' }],
  ])(
    'for %s is not sent to the %s set by a caller without secret_references.update',
    async (provider, field, target, configurations) => {
      const secret_mappings = [{ ...mapped.secret_mappings[0], target_field: target }];
      const names = { name: 'Mapped', ai_provider_id: provider };
      const create = async (key: string): Promise<unknown> =>
        verdictOf(
          await api.post('/v1/integrations', { key, body: { ...names, secret_mappings, configurations } }),
        );
      expect(await create(writer)).toEqual(refusedAt(`configurations.${field}`));
      expect(await create(tenant.adminKey)).toEqual([200]);

      const { slug } = await createIntegration(api, tenant.adminKey, {
        ...names,
        configurations: {
          custom_host: HOST,
          ...configurations,
          ...(target === 'key' ? {} : { oauth_client_secret: 'own-secret' }),
        },
        key: 'own-key-123456789',
      });
      const cleared = { custom_host: null, ...(target === 'key' ? {} : { oauth_client_secret: null }) };
      const body = { secret_mappings, key: null, configurations: { ...configurations, ...cleared } };
      const update = async (key: string): Promise<unknown> =>
        verdictOf(await api.put(`/v1/integrations/${slug}`, { key, body }));
      expect(await update(writer)).toEqual(refusedAt(`configurations.${field}`));
      expect(await update(tenant.adminKey)).toEqual([200]);
    },
  );

  it('may be sent to a region of the provider by a caller without secret_references.update', async () => {
    const create = async (
      ai_provider_id: string,
      configurations: object,
      target_field: string,
    ): Promise<unknown> => {
      const secret_mappings = [{ ...mapped.secret_mappings[0], target_field }];
      const body = { name: 'Mapped', ai_provider_id, configurations, secret_mappings };
      return verdictOf(await api.post('/v1/integrations', { key: writer, body }));
    };
    expect(await create('openai', { provider_region: 'eu' }, 'key')).toEqual([200]);
    const aws = { aws_region: 'eu-central-1', aws_auth_type: 'accessKey', aws_access_key_id: 'id' };
    expect(await create('bedrock', aws, 'configurations.aws_secret_access_key')).toEqual([200]);
    const vertex = { vertex_region: 'europe-west4', vertex_project_id: 'project' };
    expect(await create('vertex-ai', vertex, 'key')).toEqual([200]);
  });

  it('is not mapped to an integration with a host of a model by a caller without secret_references.update', async () => {
    const { slug } = await createIntegration(api, tenant.adminKey, { key: 'own-key-123456789' });
    const model = { slug: 'own', enabled: true, is_custom: true, configurations: { custom_host: HOST } };
    const body = { key: 'own-key-123456789', models: [model] };
    expect(verdictOf(await api.put(`/v1/integrations/${slug}/models`, { key: writer, body }))).toEqual([200]);
    const update = async (key: string): Promise<unknown> =>
      verdictOf(await api.put(`/v1/integrations/${slug}`, { key, body: { ...mapped, key: null } }));
    expect(await update(writer)).toEqual(refusedAt('models.own.configurations.custom_host'));
    expect(await update(tenant.adminKey)).toEqual([200]);
  });

  it('is not sent to the host of a model set by a caller without secret_references.update', async () => {
    const { slug } = await createIntegration(api, tenant.adminKey, { key: undefined, ...mapped });
    const update = async (key: string): Promise<unknown> => {
      const model = { slug: 'own', enabled: true, is_custom: true, configurations: { custom_host: HOST } };
      return verdictOf(await api.put(`/v1/integrations/${slug}/models`, { key, body: { models: [model] } }));
    };
    expect(await update(writer)).toEqual(refusedAt('models.0.configurations.custom_host'));
    expect(await update(tenant.adminKey)).toEqual([200]);
  });

  it('is not sent to the host of a virtual key set by a caller without secret_references.update', async () => {
    const create = async (key: string, more: object): Promise<unknown> => {
      const body = { name: 'Mapped', provider: 'openai', ...mapped, ...more };
      return verdictOf(await api.post('/v1/virtual-keys', { key, body }));
    };
    expect(await create(workspaceWriter, { custom_host: HOST })).toEqual(refusedAt('custom_host'));
    expect(await create(workspaceWriter, {})).toEqual([200]);
    const azure = {
      provider: 'azure-openai',
      resourceName: 'own',
      deploymentName: 'd',
      apiVersion: '2024-10-21',
    };
    expect(await create(workspaceWriter, azure)).toEqual(refusedAt('resourceName'));
  });
});
