import {
  documentKey,
  credentialBinding,
  type ProviderCredentialContent,
  type ProviderDocument,
} from '@gw/contracts';
import { unseal } from '@gw/kernel';
import { readCases, STUB_ACCESS, StubSecretManagers } from '@gw/testing';
import { Secrets } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

interface Reference {
  readonly id: string;
  readonly slug: string;
  readonly auth_config: Record<string, string>;
  readonly allowed_workspaces: string[];
  readonly etag: string;
  readonly [field: string]: unknown;
}
interface Page {
  readonly total: number;
  readonly data: Reference[];
}

const CANARY = (readCases('secrets.json') as { canaries: { value: string }[] }).canaries[2]?.value ?? '';
const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
const tenant = admin.sharedTenant();
const other = admin.sharedTenant();
let managers: StubSecretManagers;
const keyring = new Secrets(MASTER_KEY, SERVICE_TOKEN).sealingKeyring;

beforeAll(async () => {
  managers = await StubSecretManagers.start();
  managers.secrets.set('secret/data/openai', JSON.stringify({ api_key: CANARY }));
});
afterAll(() => managers.stop());

const vault = (more: object = {}): object => ({
  name: 'OpenAI key',
  manager_type: 'vendor3_vault',
  auth_config: { vault_auth_type: 'token', vault_addr: managers.origin, vault_token: STUB_ACCESS.vaultToken },
  secret_path: 'secret/data/openai',
  ...more,
});

const create = (more: object = {}, key = tenant.adminKey): Promise<GatewayResponse<Reference & Failure>> =>
  admin.post('/v1/secret-references', { key, body: vault(more) });
const made = async (more: object = {}): Promise<Reference> => {
  const response = await create(more);
  expect([response.status, response.text]).toEqual([200, response.text]);
  return response.body;
};
const get = async (reference: string): Promise<Reference> =>
  (await admin.get<Reference>(`/v1/secret-references/${reference}`, { key: tenant.adminKey })).body;
const put = (reference: string, body: object, headers = {}): Promise<GatewayResponse<Failure>> =>
  admin.put(`/v1/secret-references/${reference}`, { key: tenant.adminKey, body, headers });

describe('secret reference', () => {
  it('[SVC-07 in part] [SRF-01] is created, listed, read, changed and deleted', async () => {
    const { id, slug } = await made({ slug: 'openai-key', tags: { team: 'a' }, secret_key: 'api_key' });
    const listed = await admin.get<Page>('/v1/secret-references', { key: tenant.adminKey });
    expect(listed.body.data.find((row) => row.id === id)).toEqual({
      id,
      name: 'OpenAI key',
      slug,
      manager_type: 'vendor3_vault',
      status: 'ACTIVE',
      created_at: expect.any(String),
      last_updated_at: expect.any(String),
      etag: '"1"',
      object: 'secret-reference',
    });
    expect((await put(slug, { name: 'Other', description: 'd', tags: null })).status).toBe(200);
    expect(await get(slug)).toMatchObject({
      name: 'Other',
      description: 'd',
      tags: null,
      secret_key: 'api_key',
      allow_all_workspaces: true,
      organisation_id: tenant.organisationId,
      etag: '"2"',
    });
    expect((await put(slug, { name: 'x' }, { 'if-match': '"1"' })).status).toBe(412);
    const gone = { key: tenant.adminKey, headers: { 'if-match': '"2"' } };
    expect((await admin.delete(`/v1/secret-references/${id}`, gone)).status).toBe(200);
    expect((await admin.get(`/v1/secret-references/${id}`, { key: tenant.adminKey })).status).toBe(404);
    expect((await create({ slug: 'openai-key' })).status).toBe(200);
    expect((await create({ slug: 'openai-key' })).status).toBe(409);
  });

  it('[SRF-02] can be filtered by its manager under both names, by tags and by part of its name', async () => {
    const aws = {
      name: 'Findable 100%',
      manager_type: 'aws_sm',
      auth_config: {
        aws_auth_type: 'accessKey',
        aws_access_key_id: 'AKIA',
        aws_secret_access_key: 's',
        aws_region: 'eu-central-1',
      },
      tags: { find: 'me', a: 'b' },
    };
    const { id } = await made(aws);
    for (const query of [
      'manager_type=cloud1_sm',
      'manager_type=aws_sm',
      'search=able%20100%25',
      'tags={"find":"me"}',
    ]) {
      const { body } = await admin.get<Page>(`/v1/secret-references?${query}`, { key: tenant.adminKey });
      expect([query, body.data.map((row) => row.id)]).toEqual([query, [id]]);
    }
    const none = await admin.get<Page>('/v1/secret-references?search=__', { key: tenant.adminKey });
    expect(none.body.total).toBe(0);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ manager_type: 'VENDOR3_VAULT' }, 'manager_type'],
    [{ secret_path: 'secret/../sys/raw' }, 'secret_path'],
    [{ secret_path: 'secret//x' }, 'secret_path'],
    [{ allowed_workspaces: [] }, 'allowed_workspaces'],
    [{ allow_all_workspaces: false }, 'allowed_workspaces'],
    [{ allowed_workspaces: ['unknown'] }, 'allowed_workspaces.0'],
    [{ unknown_field: 1 }, 'unknown_field'],
    [{ auth_config: {} }, 'auth_config.vault_auth_type'],
    [{ auth_config: { vault_auth_type: 'token' } }, 'auth_config.vault_token'],
    [{ organisation_id: '018f0000-0000-7000-8000-000000000000' }, 'organisation_id'],
    [
      { manager_type: 'cloud2_kv', secret_path: 'x', auth_config: { azure_auth_mode: 'entra' } },
      'auth_config.azure_entra_tenant_id',
    ],
  ])('is refused with %j, and the error names the field', async (more, param) => {
    const { status, body } = await create(more);
    expect([status, body.error?.param]).toEqual([400, param]);
  });

  it.each([
    ['http://169.254.169.254', 'metadata'],
    ['http://10.0.0.1', 'private'],
    ['ftp://vault.example.org', 'scheme'],
    ['https://vault.example.org/#x', 'fragment'],
  ])('[ERR-09] is refused with a manager at %s (%s)', async (vault_addr) => {
    const auth_config = { vault_auth_type: 'token', vault_token: 't', vault_addr };
    const { status, body } = await create({ auth_config });
    expect([status, body.error?.type, body.error?.param]).toEqual([
      400,
      'custom_host_refused',
      'auth_config.vault_addr',
    ]);
  });

  it('keeps its secret only for the address with which it was saved', async () => {
    const { id } = await made();
    const moved = { vault_addr: 'https://elsewhere.example.org' };
    const { status, body } = await put(id, { auth_config: moved });
    expect([status, body.error?.param]).toEqual([400, 'auth_config.vault_token']);
    expect((await put(id, { auth_config: { ...moved, vault_token: 'new' } })).status).toBe(200);
    expect((await get(id)).auth_config).toEqual({
      vault_auth_type: 'token',
      masked_vault_token: '*****',
      vault_addr: 'https://elsewhere.example.org',
    });
  });

  it('can be sent back as it was read', async () => {
    const { id } = await made();
    const { auth_config } = await get(id);
    expect((await put(id, { auth_config })).status).toBe(200);
    expect(
      (await admin.post(`/v1/secret-references/${id}/test`, { key: tenant.adminKey })).body,
    ).toMatchObject({
      success: true,
    });
  });

  it('is only for administrators, and hidden from other organisations', async () => {
    const { id, slug } = await made();
    const bodies = new Set<string>();
    for (const reference of [id, slug, '018f0000-0000-7000-8000-000000000000', 'unknown']) {
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['POST', '/test'],
        ['POST', '/rotate'],
      ]) {
        const call = { key: other.adminKey, ...(method === 'PUT' ? { body: { name: 'x' } } : {}) };
        const response = await admin.call(
          method ?? '',
          `/v1/secret-references/${reference}${path ?? ''}`,
          call,
        );
        expect(response.status).toBe(404);
        bodies.add(JSON.stringify({ ...(response.body['error'] as object), request_id: null }));
      }
    }
    expect(bodies.size).toBe(1);
    expect((await admin.get('/v1/secret-references', { key: tenant.key })).status).toBe(403);
    const { email } = await admin.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'admin' });
    const token = await admin.login(email);
    expect((await admin.get('/v1/secret-references', { token })).status).toBe(403);
  });
});

describe('[SRF-03] test of a secret reference', () => {
  it('reports whether the secret can be read, and never its value', async () => {
    const { id } = await made({ secret_key: 'api_key' });
    const test = (): Promise<GatewayResponse> =>
      admin.post(`/v1/secret-references/${id}/test`, { key: tenant.adminKey });
    const good = await test();
    expect(good.body).toEqual({
      success: true,
      message: null,
      reason: null,
      object: 'secret-reference-test',
    });
    await put(id, { secret_key: 'other' });
    expect((await test()).body).toMatchObject({ success: false, reason: 'not_found' });
    await put(id, { secret_path: 'secret/data/gone' });
    expect((await test()).body).toMatchObject({ success: false, reason: 'not_found' });
    await put(id, { auth_config: { vault_token: 'wrong-token' } });
    const denied = await test();
    expect(denied.body).toMatchObject({ success: false, reason: 'denied' });
    expect(good.text + denied.text).not.toMatch(/wrong-token|CANARY/i);
  });
});

describe('[SRF-03] credential in a secret manager', () => {
  const documentOf = async (slug: string): Promise<ProviderDocument> => {
    const key = documentKey.provider(tenant.workspaceId, slug);
    const response = await admin.post<{ documents: Record<string, ProviderDocument> }>(
      '/internal/v1/documents',
      {
        token: SERVICE_TOKEN,
        body: { keys: [key] },
      },
    );
    return response.body.documents[key] as ProviderDocument;
  };
  const contentOf = (document: ProviderDocument): ProviderCredentialContent =>
    JSON.parse(
      unseal(
        keyring,
        document.sealedCredential ?? '',
        credentialBinding(document.workspaceId, document.id),
      ).toString(),
    ) as ProviderCredentialContent;

  const integration = (more: object): Promise<GatewayResponse<Reference & Failure>> =>
    admin.post('/v1/integrations', {
      key: tenant.adminKey,
      body: { name: 'Mapped', ai_provider_id: 'openai', workspace_id: tenant.workspaceId, ...more },
    });
  const mapped = (secret_reference_id: string, more: object = {}): object => ({
    secret_mappings: [{ target_field: 'key', secret_reference_id, secret_key: 'api_key', ...more }],
  });

  it('replaces the key of an integration, and is sent to the gateways sealed', async () => {
    const { id, slug } = await made();
    const response = await integration({ slug: 'mapped', ...mapped(slug) });
    expect([response.status, response.text]).toEqual([200, response.text]);
    const shown = await admin.get<Reference>('/v1/integrations/mapped', { key: tenant.adminKey });
    expect(shown.body['secret_mappings']).toEqual([
      { target_field: 'key', secret_reference_id: id, secret_key: 'api_key', value_format: 'string' },
    ]);
    const document = await documentOf('mapped');
    expect(JSON.stringify(document)).not.toContain(STUB_ACCESS.vaultToken);
    expect(contentOf(document).secrets).toMatchObject([
      {
        target: 'key',
        location: {
          path: 'secret/data/openai',
          key: 'api_key',
          auth: { vault_token: STUB_ACCESS.vaultToken },
        },
      },
    ]);
    expect((await documentOf('mapped')).version).toBe(document.version);
    await admin.post(`/v1/secret-references/${id}/rotate`, { key: tenant.adminKey });
    const rotated = await documentOf('mapped');
    expect(rotated.version).not.toBe(document.version);
    expect(contentOf(rotated).secrets?.[0]?.location?.version).not.toBe(
      contentOf(document).secrets?.[0]?.location?.version,
    );
    const cleared = await admin.put<Failure>('/v1/integrations/mapped', {
      key: tenant.adminKey,
      body: { secret_mappings: [] },
    });
    expect([cleared.status, cleared.body.error?.param]).toEqual([400, 'key']);
  });

  it('cannot be deleted while it is in use, and the error lists the uses', async () => {
    const { id } = await made();
    const { body: by } = await integration({ name: 'User of it', slug: 'uses-it', ...mapped(id) });
    const virtual = await admin.post<{ data: { slug: string } }>('/v1/virtual-keys', {
      key: tenant.key,
      body: { name: 'Virtual user', provider: 'openai', ...mapped(id) },
    });
    expect(virtual.status).toBe(200);
    const refused = await admin.delete<Failure>(`/v1/secret-references/${id}`, { key: tenant.adminKey });
    expect([refused.status, refused.body.error?.type]).toEqual([400, 'validation_failed']);
    const { dependents } = refused.body.error as unknown as { dependents: { kind: string; id: string }[] };
    expect(dependents.map(({ kind }) => kind).sort()).toEqual(['integrations', 'virtual_keys']);
    expect(dependents.map((one) => one.id)).toContain(by.id);
    await admin.delete('/v1/integrations/uses-it', { key: tenant.adminKey });
    await admin.delete(`/v1/virtual-keys/${virtual.body.data.slug}`, { key: tenant.key });
    expect((await admin.delete(`/v1/secret-references/${id}`, { key: tenant.adminKey })).status).toBe(200);
  });

  it('can be used only by the workspaces that it names', async () => {
    const sibling = await admin.workspace(tenant.organisationId);
    const { id } = await made({ allowed_workspaces: [sibling] });
    const refused = await integration({ slug: 'closed', ...mapped(id) });
    expect([refused.status, refused.body.error?.param]).toEqual([
      400,
      'secret_mappings.0.secret_reference_id',
    ]);
    expect((await integration({ slug: 'open', workspace_id: sibling, ...mapped(id) })).status).toBe(200);
    // The integration belongs to the whole organisation: its providers in workspaces without access
    // do not get the secret.
    const all = await admin.post<Reference>('/v1/integrations', {
      key: tenant.adminKey,
      body: { name: 'All', slug: 'for-all', ai_provider_id: 'openai', ...mapped(id) },
    });
    await admin.put(`/v1/integrations/${all.body.id}/workspaces`, {
      key: tenant.adminKey,
      body: { workspaces: [{ id: tenant.workspaceId, enabled: true }] },
    });
    expect(contentOf(await documentOf('for-all')).secrets?.[0]?.location).toBeNull();
    expect((await put(id, { allow_all_workspaces: true })).status).toBe(200);
    expect(contentOf(await documentOf('for-all')).secrets?.[0]?.location).not.toBeNull();
  });

  it.each([
    [{ target_field: 'configurations.custom_host' }, 'secret_mappings.0.target_field'],
    [{ target_field: 'configurations.unknown' }, 'secret_mappings.0.target_field'],
    [{ secret_reference_id: 'unknown' }, 'secret_mappings.0.secret_reference_id'],
  ])('is refused with %j', async (more, param) => {
    const { id } = await made();
    const { status, body } = await integration(mapped(id, more));
    expect([status, body.error?.param]).toEqual([400, param]);
  });

  it('of another organisation gets the same response as a missing one', async () => {
    const { body } = await create({}, other.adminKey);
    const foreign = await integration(mapped(body.id));
    const unknown = await integration(mapped('018f0000-0000-7000-8000-000000000000'));
    expect(foreign.body.error?.details).toEqual(unknown.body.error?.details);
  });

  it('does not occur in clear text in any table or response, nor do the credentials of its manager', async () => {
    await made({ name: 'Leaky' });
    const tables = await admin.dataSource.query<{ table_name: string }[]>(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    for (const { table_name: table } of tables) {
      const text = JSON.stringify(await admin.dataSource.query(`SELECT * FROM "${table}"`));
      expect([table, text.includes(STUB_ACCESS.vaultToken), text.includes(CANARY)]).toEqual([
        table,
        false,
        false,
      ]);
    }
  });
});
