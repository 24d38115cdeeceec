import { PROVIDERS } from '@gw/providers';
import { TestAdminApi } from '../../spec-support/admin-api';

interface Catalogue {
  readonly object: string;
  readonly total: number;
  readonly data: readonly {
    readonly id: string;
    readonly configurations: readonly { readonly name: string }[];
  }[];
}

const PATH = '/v1/providers/catalogue';
const api = new TestAdminApi();
const tenant = api.sharedTenant();

describe('GET /v1/providers/catalogue', () => {
  it('lists every provider that an integration may name', async () => {
    const { status, body } = await api.get<Catalogue>(PATH, tenant);
    expect(status).toBe(200);
    const ids = body.data.map(({ id }) => id);
    expect([...ids].sort()).toEqual([...new Set([...PROVIDERS.values()].map(({ id }) => id))].sort());
    expect(body).toMatchObject({ object: 'list', total: ids.length });
  });

  it('returns dialects, routes, regions, aliases, documentation and price status of a provider', async () => {
    const { data } = (await api.get<Catalogue>(PATH, tenant)).body;
    const named = (name: string): unknown => data.find(({ id }) => id === name);
    expect(named('sandbox')).toMatchObject({ needs_key: false });
    expect(named('vertex-ai')).toMatchObject({
      aliases: ['vertex', 'google-vertex-ai'],
      dialects: expect.arrayContaining(['gemini']) as unknown,
      native_routes: expect.arrayContaining(['gemini.generate']) as unknown,
      translated_routes: expect.arrayContaining(['chat.completions', 'messages']) as unknown,
      priced: true,
      documentation: expect.stringMatching(/^https:/) as unknown,
    });
    expect(named('friendliai')).toMatchObject({ regions: ['dedicated'], priced: false });
    expect(named('vllm')).toMatchObject({ self_hosted: true });
  });

  it('returns name, kind, secrecy, requirement, values and description of each field', async () => {
    const { data } = (await api.get<Catalogue>(PATH, tenant)).body;
    const fields = data.find(({ id }) => id === 'azure-openai')?.configurations ?? [];
    const named = (field: string): unknown => fields.find(({ name }) => name === field);
    expect(named('azure_resource_name')).toEqual({
      name: 'azure_resource_name',
      kind: 'label',
      secret: false,
      required: true,
      description: 'Name of the Azure OpenAI resource, the first label of its host.',
    });
    expect(named('azure_entra_client_secret')).toMatchObject({
      secret: true,
      required: { field: 'azure_auth_mode' },
    });
    expect(named('azure_auth_mode')).toMatchObject({
      values: expect.arrayContaining(['entra']) as unknown,
    });
  });

  it('returns the same list under the older path', async () => {
    const older = await api.get<Catalogue>('/v2/utils/static-resources/integration-providers', tenant);
    expect(older.body).toEqual((await api.get<Catalogue>(PATH, tenant)).body);
  });

  it('is open to every logged-in user and to keys that may read or list providers, or list integrations', async () => {
    const { organisationId, workspaceId } = tenant;
    const { email } = await api.user(organisationId, 'member', { [workspaceId]: 'member' });
    expect((await api.get(PATH, { token: await api.login(email) })).status).toBe(200);
    expect((await api.get(PATH, { key: tenant.adminKey })).status).toBe(200);
    for (const scope of ['providers.read', 'virtual_keys.list', 'workspace_integrations.list']) {
      const key = await api.apiKey('workspace-service', { organisationId, workspaceId }, [scope]);
      expect([scope, (await api.get(PATH, { key })).status]).toEqual([scope, 200]);
    }
  });

  it('returns 401 without a key and 403 without a suitable scope', async () => {
    const { organisationId, workspaceId } = tenant;
    const key = await api.apiKey('workspace-service', { organisationId, workspaceId }, ['configs.list']);
    expect((await api.get(PATH)).status).toBe(401);
    expect((await api.get(PATH, { key })).status).toBe(403);
  });
});
