import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, startMcpFixture, type McpFixture } from '@gw/testing';
import { CHANGE_MS, withProductOn, type Drivers } from './spec-support/workbench';

interface Named {
  readonly id: string;
  readonly slug: string;
}

describe.each<Drivers>(['embedded', 'Redis'])('MCP servers with the %s drivers', (drivers) => {
  const { bench } = withProductOn(drivers);
  const clients: Client[] = [];
  let fixture: McpFixture;
  let integration: Named;
  let server: Named;
  let key: { readonly id: string; readonly key: string };

  const admin = <T = Named>(method: string, path: string, body?: object): Promise<T> =>
    bench().manage(method, path, { key: bench().adminKey, ...(body ? { body } : {}) });

  beforeAll(async () => {
    fixture = await startMcpFixture();
    const { workspace_id: workspaceId } = bench().product.credentials;
    integration = await admin('POST', '/mcp-integrations', {
      ...{ name: 'Tools', url: fixture.url.href, transport: 'http', auth_type: 'none' },
      pricing: { default_usd: 0, tools: { echo: 0.01 } },
    });
    await admin('PUT', `/mcp-integrations/${integration.id}/workspaces`, {
      workspaces: [{ id: workspaceId, enabled: true }],
    });
    await admin('POST', `/mcp-integrations/${integration.id}/sync`);
    server = await admin('POST', '/mcp-servers', {
      ...{ name: 'Tools', slug: 'tools', mcp_integration_id: integration.id, workspace_id: workspaceId },
    });
    key = await bench().newKey({ scopes: ['mcp.invoke', 'logs.list', 'logs.view'] });
  });
  afterAll(() => fixture.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });

  async function connected(apiKey = key.key, path = `/${server.slug}/mcp`): Promise<Client> {
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    const url = new URL(new URL(bench().baseUrl).origin + path);
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-gw-api-key': apiKey } } }),
    );
    clients.push(client);
    return client;
  }
  const toolsOf = async (client: Client): Promise<string[]> =>
    (await client.listTools()).tools.map(({ name }) => name);
  const becomes = (names: (tools: string[]) => boolean): Promise<unknown> =>
    eventually(
      async () => {
        expect(names(await toolsOf(await connected()))).toBe(true);
        return true;
      },
      { timeoutMs: CHANGE_MS },
    );

  it('[MCP-01] [REL-17] lists and calls the tools of a registered server through the gateway with mcp.invoke', async () => {
    const client = await connected();
    expect(await toolsOf(client)).toEqual(expect.arrayContaining(['echo', 'add', 'fail']));
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hello' } })).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
    });
    const other = await bench().newKey({ scopes: ['completions.write'] });
    await expect(connected(other.key)).rejects.toThrow();
  });

  it('[MCP-01] enables and disables capabilities at the integration and the server, and calls follow', async () => {
    const capability = (name: string, enabled: boolean) => ({
      capabilities: [{ name, type: 'tool', enabled }],
    });
    await admin('PUT', `/mcp-integrations/${integration.id}/capabilities`, capability('fail', false));
    await admin('PUT', `/mcp-servers/${server.id}/capabilities`, capability('add', false));
    await becomes((tools) => !tools.includes('fail') && !tools.includes('add') && tools.includes('echo'));
    const client = await connected();
    for (const name of ['fail', 'add'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    const listed = await admin<{ data: { name: string; enabled: boolean; integration_enabled: boolean }[] }>(
      'GET',
      `/mcp-servers/${server.id}/capabilities?page_size=500`,
    );
    const shown = listed.data.filter(({ name }) => ['fail', 'add'].includes(name));
    expect(shown.map((each) => [each.name, each.enabled && each.integration_enabled]).sort()).toEqual([
      ['add', false],
      ['fail', false],
    ]);
  });

  it('[MCP-02] logs calls with their server, tool and price, and counts them', async () => {
    await (await connected()).callTool({ name: 'echo', arguments: { text: 'a text for the log' } });
    const entry = await eventually(async () => {
      const { data } = await bench().logs('page_size=100', key.key);
      return data.find((each) => JSON.stringify(each).includes('tools/call echo'));
    });
    expect(entry).toMatchObject({ route: 'mcp.tools.call', cost: 1 });
    const [from, to] = [-3_600_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const range = `time_of_generation_min=${String(from)}&time_of_generation_max=${String(to)}`;
    await eventually(async () => {
      const { summary } = await admin<{ summary: Readonly<Record<string, number>> }>(
        'GET',
        `/analytics/summary/counters?${range}`,
      );
      return (summary['mcp'] ?? 0) > 0;
    });
  });

  it('[MCP-01] lists and calls the tools of a server through a toolset and the address of all servers', async () => {
    const toolset = await admin('POST', '/mcp-toolsets', {
      ...{ name: 'Desk', slug: 'desk', workspace_id: bench().product.credentials.workspace_id },
      members: [
        {
          ...{ server: server.slug, prefix: 'own', include: ['echo'] },
          overrides: { echo: { hidden_arguments: [], fixed_arguments: { text: 'fixed' } } },
        },
      ],
    });
    const atPath = (path: string): Promise<Client> => connected(key.key, path);
    const desk = await eventually(() => atPath('/desk/mcp').catch(() => undefined), { timeoutMs: CHANGE_MS });
    expect(await toolsOf(desk)).toEqual(['own__echo']);
    expect(await desk.callTool({ name: 'own__echo', arguments: { text: 'mine' } })).toMatchObject({
      content: [{ type: 'text', text: 'fixed' }],
    });
    const all = await atPath('/mcp');
    expect(await toolsOf(all)).toContain('tools__echo');
    expect(await all.callTool({ name: 'tools__echo', arguments: { text: 'hello' } })).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
    });
    await admin('DELETE', `/mcp-toolsets/${toolset.id}`);
    await eventually(
      async () => {
        await expect(atPath('/desk/mcp')).rejects.toThrow(/There is no such MCP server|404/);
        return true;
      },
      { timeoutMs: CHANGE_MS },
    );
  });

  it('[REL-02] judges calls of the tools in the mapping of a guardrail with the target mcp_tools', async () => {
    const { data } = await admin<{ data: { id: string; name: string }[] }>(
      'GET',
      `/mcp-servers/${server.id}/capabilities?page_size=500`,
    );
    const guardrail = await admin('POST', '/guardrails', {
      ...{ name: 'No secrets', target: 'mcp_tools', workspace_id: bench().product.credentials.workspace_id },
      checks: [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }],
      actions: { deny: true },
    });
    await admin('PUT', `/guardrails/${guardrail.slug}/mcp-servers`, {
      mcp_servers: {
        [server.id]: {
          run_on: ['beforeToolCall'],
          capability_ids: data.filter(({ name }) => name === 'echo').map(({ id }) => id),
        },
      },
    });
    await eventually(
      async () => {
        const client = await connected();
        await expect(
          client.callTool({ name: 'echo', arguments: { text: 'a secret' } }),
        ).rejects.toMatchObject({ code: -32_446, data: { type: 'hooks_failed', phase: 'beforeToolCall' } });
        return true;
      },
      { timeoutMs: CHANGE_MS },
    );
    expect(await (await connected()).callTool({ name: 'echo', arguments: { text: 'hello' } })).toHaveProperty(
      'content',
    );
  });

  it('[MCP-01] removes the server from a workspace that loses the integration', async () => {
    await admin('PUT', `/mcp-integrations/${integration.id}/workspaces`, {
      workspaces: [{ id: bench().product.credentials.workspace_id, enabled: false }],
    });
    await eventually(
      async () => {
        await expect(connected()).rejects.toThrow(/There is no such MCP server|404/);
        return true;
      },
      { timeoutMs: CHANGE_MS },
    );
  });
});
