import type { CatalogueProvider } from '@gw/contracts';
import { catalogueProvider, PROVIDER_CATALOGUE } from '@gw/providers';
import {
  configurationFaults,
  mergeConfigurations,
  shownConfigurations,
  splitConfigurations,
} from './configurations';
import { maskHeaders } from './header-map';
import { providerOfCatalogue } from './integration-credentials';

const azure = catalogueProvider('azure-openai') as CatalogueProvider;
const openai = catalogueProvider('openai') as CatalogueProvider;
const pathOf = (field: string): string => `configurations.${field}`;
const DEPLOYMENT = { azure_deployment_name: 'gpt', azure_api_version: '2024-10-21' };
const ENTRA = {
  azure_auth_mode: 'entra',
  azure_resource_name: 'r',
  azure_deployment_config: [DEPLOYMENT],
  azure_entra_tenant_id: 't',
  azure_entra_client_id: 'c',
  azure_entra_client_secret: 'CANARYAZURE0123456789abcdef',
};

const messages = (provider: CatalogueProvider, values: Record<string, unknown>): string[] =>
  configurationFaults(provider, values, pathOf).map(({ path, message }) => `${path} ${message}`);

describe('configurationFaults', () => {
  it('accepts the fields that the catalogue lists', () => {
    expect(messages(azure, ENTRA)).toEqual([]);
    expect(messages(openai, { openai_project: 'p', custom_headers: { 'x-a': 'b' } })).toEqual([]);
  });

  it('reports all faults at once, including unknown fields, since one of them could be a secret', () => {
    expect(
      messages(openai, { openai_project: 5, aws_secret_access_key: 'x', custom_headers: ['x'] }),
    ).toEqual([
      'configurations.openai_project must be a non-empty string',
      'configurations.aws_secret_access_key is not a field of openai',
      'configurations.custom_headers must be an object of header names and strings',
    ]);
  });

  it('requires only the fields of the chosen authentication mode', () => {
    const rest = Object.fromEntries(Object.entries(ENTRA).filter(([name]) => !name.endsWith('_secret')));
    expect(messages(azure, rest)).toEqual(['configurations.azure_entra_client_secret is required']);
    expect(messages(azure, { ...rest, azure_auth_mode: 'default' })).toEqual([]);
  });

  it.each(['evil.example/x', 'a.b', 'a#', 'a:80', '@host', '-a', 'a'.repeat(64)])(
    'refuses the resource name %s, which would change the host',
    (azure_resource_name) => {
      expect(messages(azure, { ...ENTRA, azure_resource_name })).toHaveLength(1);
    },
  );

  it.each([
    ['no list', 'x'],
    ['an empty list', []],
    ['a deployment without a name', [{ azure_api_version: 'v' }]],
    ['a version that is too long', [{ ...DEPLOYMENT, azure_api_version: 'v'.repeat(31) }]],
    ['a flag that is none', [{ ...DEPLOYMENT, is_default: 1 }]],
    ['a flag that is not a boolean', [{ ...DEPLOYMENT, key: 'sk' }]],
  ])('refuses deployments: %s', (_what, azure_deployment_config) => {
    expect(messages(azure, { ...ENTRA, azure_deployment_config })).toHaveLength(1);
  });

  it.each([
    ['a line break in a value', { 'x-a': 'b\r\nc: d' }],
    ['a number', { 'x-a': 5 }],
    ['a name with a space', { 'x a': 'b' }],
    ['a framing header', { 'Content-Length': '5' }],
    ['a header reserved for Tollgate', { 'x-gw-api-key': 'b' }],
    ['a character that is not allowed in a header', { 'x-a': '☃' }],
  ])('refuses custom headers: %s', (_what, custom_headers) => {
    expect(messages(openai, { custom_headers })).toHaveLength(1);
  });
});

describe('mergeConfigurations', () => {
  const saved = {
    open: { azure_resource_name: 'r' },
    secret: { azure_entra_client_secret: 's', custom_headers: { authorization: 'Bearer s', 'x-a': '1' } },
  };

  it('keeps absent fields, clears null fields and replaces the others', () => {
    expect(
      mergeConfigurations(azure, saved, { azure_resource_name: null, azure_auth_mode: 'entra' }),
    ).toEqual({
      azure_auth_mode: 'entra',
      custom_headers: saved.secret.custom_headers,
      azure_entra_client_secret: 's',
    });
    expect(mergeConfigurations(azure, saved, null)).toEqual({});
  });

  it('keeps masked secrets when a response is changed and sent back', () => {
    const shown = shownConfigurations(saved.open, {
      azure_entra_client_secret: '*****',
      custom_headers: maskHeaders(saved.secret.custom_headers),
    });
    expect(shown).toEqual({
      azure_resource_name: 'r',
      custom_headers: { authorization: '*****', 'x-a': '1' },
      masked_azure_entra_client_secret: '*****',
    });
    expect(mergeConfigurations(azure, saved, { ...shown, azure_resource_name: 'r2' })).toEqual({
      ...saved.open,
      ...saved.secret,
      azure_resource_name: 'r2',
    });
  });
});

describe('provider catalogue', () => {
  it('separates the secrets of every provider from the fields that may be shown', () => {
    for (const provider of PROVIDER_CATALOGUE) {
      const values = Object.fromEntries(provider.fields.map(({ name }) => [name, name]));
      const { open, secret } = splitConfigurations(provider, values);
      const names = provider.fields.filter((field) => field.secret).map(({ name }) => name);
      expect(Object.keys(secret)).toEqual(names);
      expect(Object.keys(open)).toHaveLength(provider.fields.length - names.length);
    }
  });

  it.each(['cf_account_id', 'cf_gateway'])('refuses a %s that is not one path segment', (name) => {
    const cloudflare = catalogueProvider('cloudflare-ai-gateway') as CatalogueProvider;
    const values = { cf_account_id: 'acc_1', cf_gateway: 'main-1' };
    expect(messages(cloudflare, values)).toEqual([]);
    for (const value of ['evil.com/', 'a.b', '..', '%2e', 'a/b', 'a\nb', 'a ', '', 'x'.repeat(129), 5])
      expect(messages(cloudflare, { ...values, [name]: value })).toHaveLength(1);
    expect(messages(cloudflare, { ...values, [name]: undefined })).not.toEqual([]);
  });

  it.each(['evil.com/', 'a.b', '..', '%2e', 'a\nb', 'a_b', 'x'.repeat(64)])(
    'refuses the Snowflake account %j, which is not one label of a host name',
    (snowflake_account) => {
      const cortex = catalogueProvider('snowflake') as CatalogueProvider;
      expect(messages(cortex, { snowflake_account: 'acme-1' })).toEqual([]);
      expect(messages(cortex, { snowflake_account })).toHaveLength(1);
    },
  );

  it('resolves an alias to the provider, and names a retired one', () => {
    expect(providerOfCatalogue('xai', 'ai_provider_id').id).toBe('x-ai');
    expect(() => providerOfCatalogue('anyscale', 'ai_provider_id')).toThrow(/is retired/);
    expect(() => providerOfCatalogue('unheard-of', 'ai_provider_id')).toThrow(/not a provider/);
  });

  it('lists each provider and each of its fields once', () => {
    const ids = PROVIDER_CATALOGUE.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { fields } of PROVIDER_CATALOGUE) {
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
    }
  });
});
