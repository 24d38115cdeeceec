import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, restDocument, startRestService, type RestService } from '@gw/testing';
import { CHANGE_MS, withProductOn } from './spec-support/workbench';

interface Named {
  readonly id: string;
  readonly slug: string;
}
interface Changes {
  readonly data: readonly { readonly type: string; readonly name: string; readonly digest: string }[];
}

describe('HTTP service as an MCP server', () => {
  const { bench } = withProductOn('embedded');
  const clients: Client[] = [];
  let service: RestService;
  let integration: Named;
  let server: Named;
  let apiKey: string;

  const admin = <T = Named>(method: string, path: string, body?: object): Promise<T> =>
    bench().manage(method, path, { key: bench().adminKey, ...(body ? { body } : {}) });

  beforeAll(async () => {
    service = await startRestService();
    const { workspace_id: workspaceId } = bench().product.credentials;
    integration = await admin('POST', '/mcp-integrations/from-openapi', {
      ...{ name: 'Pets', auth_type: 'headers', base_url: service.url.href, workspace_id: workspaceId },
      configurations: { headers: { authorization: 'Bearer of-the-service' } },
      openapi: { spec_url: service.specUrl.href, include: { tags: ['pets'] } },
      ...{ approval_mode: 'review_changes', pricing: { default_usd: 0, tools: { addPet: 0.01 } } },
    });
    server = await admin('POST', '/mcp-servers', {
      ...{ name: 'Pets', slug: 'pets', mcp_integration_id: integration.id, workspace_id: workspaceId },
    });
    apiKey = (await bench().newKey({ scopes: ['mcp.invoke', 'logs.list', 'logs.view'] })).key;
  });
  afterAll(() => service.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });

  async function connected(): Promise<Client> {
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    const url = new URL(`${new URL(bench().baseUrl).origin}/${server.slug}/mcp`);
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-gw-api-key': apiKey } } }),
    );
    clients.push(client);
    return client;
  }
  const call = async (name: string, args: Record<string, unknown>) =>
    (await connected()).callTool({ name, arguments: args });

  it('is listed and called by an MCP client, with the credential of the integration', async () => {
    const client = await connected();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['addPet', 'getPet', 'listPets', 'removePet']);
    expect(await client.callTool({ name: 'getPet', arguments: { id: 'a/1' } })).toMatchObject({
      structuredContent: { id: 'a/1', name: 'Rex' },
    });
    expect(service.requests.at(-1)).toMatchObject({
      ...{ method: 'GET', target: '/v1/pets/a%2F1' },
      headers: { authorization: 'Bearer of-the-service' },
    });
    expect(JSON.stringify(service.requests)).not.toContain(apiKey);
  });

  it('charges the prices of its tools, and logs the calls', async () => {
    await call('addPet', { name: 'Rex' });
    const entry = await eventually(async () => {
      const { data } = await bench().logs('page_size=100', apiKey);
      return data.find((each) => JSON.stringify(each).includes('tools/call addPet'));
    });
    expect(entry).toMatchObject({ route: 'mcp.tools.call', cost: 1 });
  });

  it('does not call an operation that changed until the change is approved', async () => {
    const document = restDocument(service.url.href);
    const { '/pets/{id}': pet, ...others } = document.paths;
    service.spec = { ...document, paths: { ...others, '/admin/{id}': pet } };
    await admin('POST', `/mcp-integrations/${integration.id}/sync`, {});
    const before = service.requests.length;
    await eventually(
      async () => {
        await expect(call('getPet', { id: '1' })).rejects.toMatchObject({ code: -32_602 });
        return true;
      },
      { timeoutMs: CHANGE_MS },
    );
    const path = `/mcp-integrations/${integration.id}/capabilities`;
    const { data } = await admin<Changes>('GET', `${path}/changes`);
    const items = data.map(({ type, name, digest }) => ({ type, name, digest }));
    expect(items.map(({ name }) => name).sort()).toEqual(['getPet', 'removePet']);
    await admin('POST', `${path}/approve`, { items });
    await eventually(
      async () => {
        await call('getPet', { id: '1' });
        return true;
      },
      { timeoutMs: CHANGE_MS },
    );
    const called = service.requests.slice(before).map(({ target }) => target);
    expect(called.at(-1)).toBe('/v1/admin/1');
  });
});
