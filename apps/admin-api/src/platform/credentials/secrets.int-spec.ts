import { readCases } from '@gw/testing';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';

interface Canary {
  readonly id: string;
  readonly value: string;
}

const { canaries } = readCases('secrets.json') as { readonly canaries: readonly Canary[] };
const canary = (id: string): string => canaries.find((entry) => entry.id === id)?.value ?? '';

const VIRTUAL_KEY = canary('sec-02');
const PROVIDER_KEY = canary('sec-03');
const INLINE_KEY = canary('sec-04');
const AZURE_SECRET = canary('sec-05');
const HEADER = canary('sec-25');
/** Headers of a single model are part of its document and stored in clear text. */
const MODEL_HEADERS = 'integration_models';
const PLANTED = [VIRTUAL_KEY, PROVIDER_KEY, INLINE_KEY, AZURE_SECRET, HEADER];

/** Returns the encodings in which a secret could leak, in whole and as a recognisable prefix. */
const formsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replaceAll('=', ''),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(secret),
  secret.slice(0, 12),
];
const leaks = (text: string): string[] => PLANTED.flatMap(formsOf).filter((form) => text.includes(form));

const api = new TestAdminApi();
let tenant: Tenant;
const responses: string[] = [];

async function call(method: string, url: string, body?: object): Promise<Record<string, unknown>> {
  const response = await api.call(method, url, { key: tenant.key, ...(body ? { body } : {}) });
  responses.push(response.text, JSON.stringify(response.headers));
  return response.body;
}

beforeAll(async () => {
  tenant = await api.tenant();
  const azure = {
    azure_auth_mode: 'entra',
    azure_resource_name: 'r',
    azure_entra_tenant_id: 't',
    azure_entra_client_id: 'c',
    azure_entra_client_secret: AZURE_SECRET,
    azure_deployment_config: [{ azure_deployment_name: 'd', azure_api_version: '2024-10-21' }],
    custom_headers: { authorization: `Bearer ${HEADER}` },
  };
  const integration = {
    name: 'A',
    slug: 'a',
    ai_provider_id: 'azure-openai',
    key: PROVIDER_KEY,
    configurations: azure,
  };
  await call('POST', '/v1/integrations', integration);
  await call('PUT', '/v1/integrations/a', { configurations: azure, key: PROVIDER_KEY });
  const model = { slug: 'm', custom_headers: { 'x-api-key': HEADER } };
  await call('PUT', '/v1/integrations/a/models', { models: [model] });
  const body = { name: 'V', provider: 'openai', key: VIRTUAL_KEY, custom_headers: { cookie: HEADER } };
  const created = await call('POST', '/v1/virtual-keys', body);
  const { slug } = created['data'] as { slug: string };
  await call('PUT', `/v1/virtual-keys/${slug}`, { key: VIRTUAL_KEY, note: 'n' });
  for (const path of [
    'integrations',
    'integrations/a',
    'integrations/a/models',
    'integrations/a/workspaces',
  ]) {
    await call('GET', `/v1/${path}`);
  }
  for (const path of ['providers', 'providers/a', 'virtual-keys', `virtual-keys/${slug}`])
    await call('GET', `/v1/${path}`);
  // These requests are refused: an error must not repeat the refused value.
  await call('POST', '/v1/integrations', { ...integration, slug: 'a' });
  await call('POST', '/v1/integrations', { ...integration, slug: 'b', key: `${PROVIDER_KEY} ` });
  await call('POST', '/v1/integrations', {
    ...integration,
    slug: 'b',
    configurations: { [AZURE_SECRET]: 1 },
  });
  await call('PUT', '/v1/integrations/a', { configurations: { custom_headers: { 'x-a': `${HEADER}\n` } } });
  await call('POST', '/v1/configs', { name: 'C', config: { provider: 'openai', api_key: INLINE_KEY } });
  await call('DELETE', `/v1/virtual-keys/${slug}`);
});

describe('provider credential', () => {
  it('does not occur in any response body or header, including those of errors', () => {
    expect(responses.length).toBeGreaterThan(30);
    // An error repeats the name of an unknown field, so that the caller can correct it, but never
    // its value.
    const texts = responses.filter((text) => !text.includes('is not a field of azure-openai'));
    expect(texts.flatMap(leaks)).toEqual([]);
  });

  it('does not occur in any audit record or change event', async () => {
    for (const table of ['audit_logs', 'change_events']) {
      const rows = await api.dataSource.query<object[]>(`SELECT * FROM ${table}`);
      expect(rows.length).toBeGreaterThan(5);
      expect(leaks(JSON.stringify(rows))).toEqual([]);
    }
  });

  it('is stored sealed: no table contains the key, secret fields or headers of an integration in clear text', async () => {
    const tables = await api.dataSource.query<{ table_name: string }[]>(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    for (const { table_name: table } of tables) {
      const rows = await api.dataSource.query<object[]>(`SELECT * FROM "${table}"`);
      if (table !== MODEL_HEADERS) expect([table, leaks(JSON.stringify(rows))]).toEqual([table, []]);
    }
  });
});
