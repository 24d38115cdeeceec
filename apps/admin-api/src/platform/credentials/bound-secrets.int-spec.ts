import { decidesDestination, type CatalogueProvider } from '@gw/contracts';
import { PROVIDER_CATALOGUE } from '@gw/providers';
import {
  GuardrailEntity,
  GuardrailVersionEntity,
  IntegrationEntity,
  IntegrationModelEntity,
  ProviderEntity,
  SecretReferenceEntity,
} from '@gw/entities';
import { CHECKS } from '@gw/guardrails';
import fc from 'fast-check';
import { GuardrailContents } from '../../resources/guardrails/guardrail-contents';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import { fieldNameOf } from '../../resources/providers/mapping';
import { CredentialsService } from './credentials.service';
import { SecretAccess } from './secret-access';

type Fields = Record<string, unknown>;

const CANARY = 'CANARY0123456789abcdef';
const api = new TestAdminApi();

/** A saved resource with canary values as secrets. */
interface Surface {
  readonly name: string;
  /** Fields that decide where the secrets are sent, each with a different valid value. */
  readonly moves: Readonly<Record<string, unknown>>;
  /** Creates the resource, and returns the URL path to update it. */
  readonly create: (tenant: Tenant) => Promise<string>;
  /**
   * Returns a body that changes one field. `read` is the response of an earlier GET, sent back with
   * the change.
   */
  readonly body: (field: string, value: unknown, read: Fields | null) => Fields;
  /** Returns the stored addresses and secrets as JSON. */
  readonly resting: (tenant: Tenant) => Promise<{ readonly addresses: string; readonly secrets: string }>;
  /** True when updates need a credential of the organisation. */
  readonly isOrganisations?: true;
}

const OTHERS: Readonly<Record<string, unknown>> = {
  url: 'https://other.example.org/v1',
  label: 'other',
  text: 'other',
};
const AZURE: Fields = {
  azure_auth_mode: 'entra',
  azure_resource_name: 'rightful',
  azure_entra_tenant_id: 'tenant',
  azure_entra_client_id: 'client',
  azure_entra_client_secret: CANARY,
  azure_deployment_config: [{ azure_deployment_name: 'd', azure_api_version: '2024-10-21' }],
};
const RIGHTFUL = 'https://rightful.example.org/v1';
const first = <Row>(row: Row | null): Row => {
  if (row === null) throw new Error('the row does not exist');
  return row;
};
const saved = async (
  response: Promise<{ readonly status: number; readonly text: string }>,
): Promise<void> => {
  const { status, text } = await response;
  if (status !== 200) throw new Error(text);
};

const movesOf = (provider: CatalogueProvider, nameOf: (field: string) => string): Fields =>
  Object.fromEntries(
    provider.fields.filter(decidesDestination).map(({ name, kind }) => [nameOf(name), OTHERS[kind]]),
  );

const valuesOf = ({ id }: CatalogueProvider): Fields => ({
  ...(id === 'azure-openai' ? AZURE : {}),
  custom_host: RIGHTFUL,
  custom_headers: { 'x-auth': CANARY, 'x-team': CANARY },
});

async function restingIntegration({ organisationId }: Tenant): ReturnType<Surface['resting']> {
  const row = first(await api.dataSource.manager.findOneBy(IntegrationEntity, { organisationId }));
  const models = await api.dataSource.manager.findBy(IntegrationModelEntity, { integrationId: row.id });
  const secrets = api.api.app.get(CredentialsService, { strict: false }).open(row);
  // A model without its own address uses that of the integration.
  const hosts = [...new Set(models.flatMap(({ customHost }) => customHost ?? []))];
  return {
    addresses: JSON.stringify([row.configurations, hosts]),
    secrets: JSON.stringify([secrets, models.map(({ customHeaders }) => customHeaders)]),
  };
}

const SOME_PROVIDERS = PROVIDER_CATALOGUE.filter(({ id }) =>
  ['openai', 'azure-openai', 'ollama'].includes(id),
);

const integrations = SOME_PROVIDERS.map((provider): Surface => ({
  name: `integration of ${provider.id}`,
  moves: movesOf(provider, (name) => name),
  async create({ key }) {
    const body = { name: 'I', slug: 'bound', ai_provider_id: provider.id, key: CANARY };
    await saved(api.post('/v1/integrations', { key, body: { ...body, configurations: valuesOf(provider) } }));
    return '/v1/integrations/bound';
  },
  body: (field, value, read) => ({
    configurations: { ...(read?.['configurations'] as Fields | undefined), [field]: value },
  }),
  resting: restingIntegration,
}));

const virtualKeys = SOME_PROVIDERS.map((provider): Surface => ({
  name: `virtual key of ${provider.id}`,
  moves: Object.fromEntries(
    Object.entries(movesOf(provider, fieldNameOf)).filter(([name]) => !name.startsWith('azure_')),
  ),
  async create({ key }) {
    const { azure_deployment_config: deployments, ...values } = valuesOf(provider);
    const named = Object.entries(values).map(([name, value]) => [fieldNameOf(name), value] as const);
    const more = deployments ? { deploymentName: 'd', apiVersion: '2024-10-21' } : {};
    const body = { name: 'V', slug: 'bound', provider: provider.id, key: CANARY };
    await saved(
      api.post('/v1/virtual-keys', { key, body: { ...body, ...Object.fromEntries(named), ...more } }),
    );
    return '/v1/virtual-keys/bound';
  },
  body: (field, value, read) => ({
    ...(read
      ? { custom_headers: (read['model_config'] as Fields | undefined)?.['custom_headers'] ?? null }
      : {}),
    [field]: value,
  }),
  async resting(tenant) {
    first(await api.dataSource.manager.findOneBy(ProviderEntity, { workspaceId: tenant.workspaceId }));
    return restingIntegration(tenant);
  },
}));

const models: Surface = {
  name: 'model of an integration',
  moves: { 'configurations.custom_host': OTHERS['url'], custom_host: OTHERS['url'] },
  async create({ key }) {
    const integration = { name: 'I', slug: 'bound', ai_provider_id: 'openai', key: CANARY };
    await saved(api.post('/v1/integrations', { key, body: integration }));
    const model = {
      slug: 'm',
      configurations: { custom_host: RIGHTFUL },
      custom_headers: { 'x-auth': CANARY },
    };
    const url = '/v1/integrations/bound/models';
    await saved(api.put(url, { key, body: { key: CANARY, models: [model] } }));
    return url;
  },
  body: (field, value, read) => ({
    models: [
      {
        slug: field === 'custom_host' ? 'new' : 'm',
        configurations: { custom_host: value },
        ...(read ? { custom_headers: { 'x-auth': '*****' } } : {}),
      },
    ],
  }),
  resting: restingIntegration,
};

const guardrails = CHECKS.filter(({ secretParameters = [] }) => secretParameters.length > 0).map(
  ({ id, example, secretParameters = [], addressParameters = [] }): Surface => ({
    name: `guardrail with ${id}`,
    moves: Object.fromEntries(
      addressParameters.map((name) => [name, /url|endpoint/i.test(name) ? OTHERS['url'] : 'eu-west-1']),
    ),
    async create({ key }) {
      const secret = (name: string): unknown => (name === 'headers' ? { 'x-auth': CANARY } : CANARY);
      const secrets = Object.fromEntries(secretParameters.map((name) => [name, secret(name)]));
      const checks = [{ id, parameters: { ...example, ...secrets } }];
      const body = { name: 'G', slug: 'bound', checks, actions: { deny: true } };
      await saved(api.post('/v1/guardrails', { key, body }));
      return '/v1/guardrails/bound';
    },
    body: (field, value, read) => {
      const [check] = (read?.['checks'] ?? [{ id, parameters: example }]) as {
        readonly parameters: Fields;
      }[];
      return { checks: [{ id, parameters: { ...check?.parameters, [field]: value } }] };
    },
    async resting({ organisationId }) {
      const { manager } = api.dataSource;
      const row = first(await manager.findOneBy(GuardrailEntity, { organisationId }));
      const version = first(await manager.findOneBy(GuardrailVersionEntity, { id: row.currentVersionId }));
      const [check] = api.api.app.get(GuardrailContents, { strict: false }).opened(row, version).checks;
      const parameters = (check?.parameters ?? {}) as Fields;
      const part = (names: readonly string[]): string =>
        JSON.stringify(names.map((name) => parameters[name]));
      return { addresses: part(addressParameters), secrets: part(secretParameters) };
    },
  }),
);

const reference = (
  manager_type: string,
  auth_config: Fields,
  moves: Fields,
  secret_path = 'secret/data/openai',
): Surface => ({
  name: `secret reference of ${manager_type}`,
  moves,
  isOrganisations: true,
  async create({ adminKey }) {
    const body = { name: 'R', slug: 'bound', manager_type, secret_path, auth_config };
    await saved(api.post('/v1/secret-references', { key: adminKey, body }));
    return '/v1/secret-references/bound';
  },
  body: (field, value, read) => ({
    auth_config: { ...(read?.['auth_config'] as Fields | undefined), [field]: value },
  }),
  async resting({ organisationId }) {
    const row = first(await api.dataSource.manager.findOneBy(SecretReferenceEntity, { organisationId }));
    const secrets = api.api.app.get(SecretAccess, { strict: false }).open(row);
    const { aws_auth_type: _way, ...open } = row.authConfig as Fields;
    return { addresses: JSON.stringify(open), secrets: JSON.stringify(secrets) };
  },
});

const SURFACES: readonly Surface[] = [
  ...integrations,
  ...virtualKeys,
  models,
  ...guardrails,
  reference(
    'vendor3_vault',
    { vault_auth_type: 'token', vault_token: CANARY, vault_addr: RIGHTFUL },
    { vault_addr: OTHERS['url'], vault_namespace: 'other' },
  ),
  reference(
    'cloud1_sm',
    {
      aws_auth_type: 'accessKey',
      aws_access_key_id: 'id',
      aws_secret_access_key: CANARY,
      aws_region: 'eu-central-1',
    },
    { aws_region: 'other' },
  ),
  reference(
    'cloud2_kv',
    {
      azure_auth_mode: 'entra',
      azure_entra_tenant_id: 'tenant',
      azure_entra_client_id: 'client',
      azure_entra_client_secret: CANARY,
      azure_vault_url: RIGHTFUL,
    },
    { azure_vault_url: OTHERS['url'], azure_entra_tenant_id: 'other' },
    'openai',
  ),
];

describe('saved secret', () => {
  it('every guardrail check with secrets has an address parameter', () => {
    const without = CHECKS.filter(
      ({ secretParameters = [], addressParameters = [] }) =>
        secretParameters.length > 0 && addressParameters.length === 0,
    );
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it.each(SURFACES)(
    'of a $name is never stored with an address other than the one with which it was saved',
    async ({ moves, create, body, resting, isOrganisations }) => {
      expect(Object.keys(moves)).not.toEqual([]);
      const tenant = await api.tenant();
      const { organisationId, workspaceId } = tenant;
      const url = await create(tenant);
      const start = await resting(tenant);
      expect(start.secrets).toContain(CANARY);
      const members = await Promise.all(
        (['manager', 'member'] as const).map((role) =>
          api.user(organisationId, 'member', { [workspaceId]: role }),
        ),
      );
      const tokens = await Promise.all(members.map(({ email }) => api.login(email)));
      const roles = [
        { key: isOrganisations ? tenant.adminKey : tenant.key },
        ...tokens.map((token) => ({ token })),
      ];
      const change = fc.record({
        field: fc.constantFrom(...Object.keys(moves)),
        isCleared: fc.boolean(),
        isReadBack: fc.boolean(),
        role: fc.constantFrom(...roles),
      });
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
          for (const { field, isCleared, isReadBack, role } of changes) {
            const read = isReadBack ? (await api.get(url, role)).body : null;
            const value = isCleared ? null : moves[field];
            const { status } = await api.put(url, { ...role, body: body(field, value, read) });
            if (status === 400) refused += 1;
          }
          const { addresses, secrets } = await resting(tenant);
          if (addresses !== start.addresses) expect(secrets).not.toContain(CANARY);
        }),
        { numRuns: 12 },
      );
      // At least one change was refused, which shows that the changes were otherwise valid.
      expect(refused).toBeGreaterThan(0);
    },
  );

  it('may move to a new address if the request contains the secret again', async () => {
    const { key } = await api.tenant();
    const integration = { name: 'I', slug: 'moves', ai_provider_id: 'openai', key: CANARY };
    await saved(api.post('/v1/integrations', { key, body: integration }));
    const url = '/v1/integrations/moves';
    const configurations = { custom_host: OTHERS['url'] };
    const refused = await api.put<{ error: { details: { path: string }[] } }>(url, {
      key,
      body: { configurations },
    });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.map(({ path }) => path)).toEqual(['key', 'configurations.custom_host']);
    await saved(api.put(url, { key, body: { configurations, key: CANARY } }));
    const model = { slug: 'm', configurations: { custom_host: RIGHTFUL } };
    expect((await api.put(`${url}/models`, { key, body: { models: [model] } })).status).toBe(400);
    await saved(api.put(`${url}/models`, { key, body: { models: [model], key: CANARY } }));
  });

  it('of a model at the address of its integration stays there, whichever route changes the address', async () => {
    const { key } = await api.tenant();
    const integration = { name: 'I', slug: 'headers', ai_provider_id: 'openai', key: CANARY };
    await saved(api.post('/v1/integrations', { key, body: integration }));
    const url = '/v1/integrations/headers';
    const model = { slug: 'm', custom_headers: { 'x-auth': CANARY } };
    await saved(api.put(`${url}/models`, { key, body: { models: [model] } }));
    const moved = { key: CANARY, configurations: { custom_host: OTHERS['url'] } };
    for (const [route, models] of [
      [url, {}],
      [`${url}/models`, { models: [] }],
      [`${url}/models`, { models: [{ slug: 'm', enabled: false }] }],
      [`${url}/models`, { models: [{ slug: 'm', custom_headers: { 'x-auth': '*****' } }] }],
    ] as const) {
      const { status, text } = await api.put(route, { key, body: { ...moved, ...models } });
      expect([status, text]).toEqual([400, expect.stringContaining('"models.m.custom_headers.x-auth"')]);
    }
    await saved(api.put(`${url}/models`, { key, body: { ...moved, models: [model] } }));
  });

  it('cannot be sent to another host by a config that names its provider', async () => {
    const { key } = await api.tenant();
    const provider = { name: 'V', slug: 'mine', provider: 'openai', key: CANARY, custom_host: RIGHTFUL };
    await saved(api.post('/v1/virtual-keys', { key, body: provider }));
    const evil = { custom_host: OTHERS['url'] };
    const cases: readonly (readonly [string, Fields])[] = [
      ['custom_host', { provider: '@mine', ...evil }],
      ['custom_host', { virtual_key: 'mine', ...evil }],
      ['targets.0.custom_host', { strategy: { mode: 'single' }, targets: [{ provider: '@mine', ...evil }] }],
      ['custom_host', { ...evil, strategy: { mode: 'single' }, targets: [{ virtual_key: 'mine' }] }],
      [
        'cache.embeddings.custom_host',
        {
          provider: '@mine',
          cache: { mode: 'semantic', embeddings: { provider: '@mine', model: 'e', ...evil } },
        },
      ],
    ];
    for (const [path, config] of cases) {
      const { status, text } = await api.post('/v1/configs', { key, body: { name: 'C', config } });
      expect([status, text]).toEqual([400, expect.stringContaining(`"path":"${path}"`)]);
    }
    const config = { provider: '@mine', custom_host: `${RIGHTFUL}/` };
    await saved(api.post('/v1/configs', { key, body: { name: 'C', config } }));
  });
});
