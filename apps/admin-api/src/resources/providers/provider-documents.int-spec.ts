import { credentialBinding, documentKey, INTERNAL, type ProviderDocument } from '@gw/contracts';
import { ChangeEventEntity, IntegrationEntity, ProviderEntity } from '@gw/entities';
import { createAddressPolicy, unseal } from '@gw/kernel';
import { CredentialsService } from '../../platform/credentials/credentials.service';
import { ChangeRecorder } from '../../platform/unit-of-work/change-recorder';
import { Secrets } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import { createProviderIfMissing } from '../../platform/setup/create-provider-if-missing';

const KEY = 'sk-CANARYPROVIDER0123456789';
const secrets = new Secrets(MASTER_KEY, SERVICE_TOKEN);
const api = new TestAdminApi();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await api.tenant();
});

async function documentOf(slug: string): Promise<ProviderDocument | null> {
  const key = documentKey.provider(tenant.workspaceId, slug);
  const { body } = await api.post<{ documents: Record<string, ProviderDocument | null> }>(
    INTERNAL.documents,
    {
      token: SERVICE_TOKEN,
      body: { keys: [key] },
    },
  );
  return body.documents[key] ?? null;
}

function credentialOf(document: ProviderDocument | null): unknown {
  if (!document?.sealedCredential) return null;
  const binding = credentialBinding(document.workspaceId, document.id);
  return JSON.parse(unseal(secrets.sealingKeyring, document.sealedCredential, binding).toString());
}

const put = async (url: string, body: object): Promise<void> => {
  const { status, text } = await api.put(url, { key: tenant.adminKey, body });
  expect([url, status, text]).toEqual([url, 200, expect.any(String)]);
};

const changedLast = async (): Promise<readonly string[]> => {
  const [event] = await api.dataSource.manager.find(ChangeEventEntity, {
    order: { sequence: 'DESC' },
    take: 1,
  });
  return [...(event?.changed ?? [])].sort();
};

describe('gateway documents of providers', () => {
  it('follow every write of the integration, for each provider of each workspace', async () => {
    const second = await api.workspace(tenant.organisationId);
    const integration = { name: 'A', slug: 'shared', ai_provider_id: 'openai', key: KEY };
    await api.post('/v1/integrations', { key: tenant.adminKey, body: integration });
    const workspaces = [tenant.workspaceId, second].map((id) => ({ id, enabled: true }));
    await put('/v1/integrations/shared/workspaces', { workspaces });
    const keys = [tenant.workspaceId, second].map((id) => documentKey.provider(id, 'shared')).sort();
    expect(await changedLast()).toEqual(keys);

    const first = await documentOf('shared');
    expect(first).toMatchObject({
      providerId: 'openai',
      configurations: {},
      allowAllModels: true,
      models: [],
    });
    expect(credentialOf(first)).toEqual({ apiKey: KEY, configurations: {} });
    expect((await documentOf('shared'))?.version).toBe(first?.version);

    const configurations = { openai_project: 'p', custom_headers: { authorization: 'Bearer x' } };
    await put('/v1/integrations/shared', { key: 'sk-another-key-000111', configurations });
    expect(await changedLast()).toEqual(keys);
    const changed = await documentOf('shared');
    expect(changed?.version).not.toBe(first?.version);
    expect(changed?.configurations).toEqual({ openai_project: 'p' });
    expect(credentialOf(changed)).toEqual({
      apiKey: 'sk-another-key-000111',
      configurations: { custom_headers: { authorization: 'Bearer x' } },
    });

    const model = {
      slug: 'm',
      custom_headers: { 'x-team': 'a' },
      configurations: { custom_host: 'https://llm.example.org/v1' },
      pricing_config: { pay_as_you_go: { request_token: { price: 0.1 }, response_token: { price: 0.2 } } },
    };
    const again = {
      key: 'sk-another-key-000111',
      configurations: { custom_headers: { authorization: 'Bearer x' } },
    };
    await put('/v1/integrations/shared/models', { ...again, models: [model], allow_all_models: false });
    expect(await changedLast()).toEqual(keys);
    expect(await documentOf('shared')).toMatchObject({
      allowAllModels: false,
      models: [
        {
          slug: 'm',
          enabled: true,
          isCustom: true,
          customHost: 'https://llm.example.org/v1',
          customHeaders: { 'x-team': 'a' },
          price: { input: 0.1, output: 0.2 },
        },
      ],
    });

    await api.delete('/v1/integrations/shared', { key: tenant.adminKey });
    expect(await documentOf('shared')).toBeNull();
  });

  it('contain the credential of a virtual key', async () => {
    const body = { name: 'V', provider: 'openai', key: KEY };
    const created = await api.post<{ data: { slug: string } }>('/v1/virtual-keys', { key: tenant.key, body });
    const { slug } = created.body.data;
    expect(credentialOf(await documentOf(slug))).toEqual({ apiKey: KEY, configurations: {} });
  });
});

describe('createProviderIfMissing', () => {
  const ensure = (wanted: { slug: string; providerId: string; key: string | null }): Promise<string> =>
    api.dataSource.transaction((manager) =>
      createProviderIfMissing(
        manager,
        {
          credentials: new CredentialsService(secrets),
          addresses: createAddressPolicy({ trustedHosts: [] }),
          changes: new ChangeRecorder(),
        },
        { ...wanted, workspaceId: tenant.workspaceId, name: wanted.slug },
      ),
    );

  it('creates a provider only once in several runs', async () => {
    const wanted = { slug: 'openai', providerId: 'openai', key: KEY };
    const id = await ensure(wanted);
    expect(await ensure({ ...wanted, key: 'sk-another-key-000111' })).toBe(id);
    expect(credentialOf(await documentOf('openai'))).toEqual({ apiKey: KEY, configurations: {} });
    const at = { organisationId: tenant.organisationId };
    expect(await api.dataSource.manager.countBy(ProviderEntity, at)).toBe(1);
    expect(await api.dataSource.manager.countBy(IntegrationEntity, at)).toBe(1);
    expect((await api.get('/v1/providers/openai', tenant)).body).toMatchObject({ integration_id: 'openai' });
  });

  it('requires no key for a provider without keys, and refuses a provider whose key is missing', async () => {
    await ensure({ slug: 'sandbox', providerId: 'sandbox', key: null });
    expect(await documentOf('sandbox')).toMatchObject({ providerId: 'sandbox', sealedCredential: null });
    await expect(ensure({ slug: 'x', providerId: 'openai', key: null })).rejects.toMatchObject({
      type: 'validation_failed',
    });
    expect(await documentOf('x')).toBeNull();
  });
});
