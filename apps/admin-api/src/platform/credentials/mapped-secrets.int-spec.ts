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

describe('mapped secret of a secret manager', () => {
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
  });
});
