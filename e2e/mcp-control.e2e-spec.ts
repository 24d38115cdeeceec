import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, startMcpFixture, type McpFixture } from '@gw/testing';
import { CHANGE_MS, withProductOn, type Drivers } from './spec-support/workbench';

const PASSWORD = 'correct horse battery';
interface Named {
  readonly id: string;
  readonly slug: string;
}
interface Approval {
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
}

describe.each<Drivers>(['embedded', 'Redis'])('control of MCP servers with the %s drivers', (drivers) => {
  const { bench } = withProductOn(drivers);
  const clients: Client[] = [];
  let fixture: McpFixture;
  let integration: Named;
  let server: Named;
  let workspaceId: string;

  const admin = <T = Named>(method: string, path: string, body?: object): Promise<T> =>
    bench().manage(method, path, { key: bench().adminKey, ...(body ? { body } : {}) });
  const rules = (...given: object[]): Promise<unknown> =>
    admin('PUT', `/mcp-servers/${server.id}/access-rules?workspace_id=${workspaceId}`, { rules: given });

  beforeAll(async () => {
    fixture = await startMcpFixture();
    workspaceId = bench().product.credentials.workspace_id;
    integration = await admin('POST', '/mcp-integrations', {
      ...{ name: 'Tools', url: fixture.url.href, transport: 'http', auth_type: 'none' },
      workspace_id: workspaceId,
    });
    await admin('POST', `/mcp-integrations/${integration.id}/sync`);
    server = await admin('POST', '/mcp-servers', {
      ...{ name: 'Tools', slug: 'tools', mcp_integration_id: integration.id, workspace_id: workspaceId },
    });
  });
  afterAll(() => fixture.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });

  async function connected(key: string): Promise<Client> {
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    const url = new URL(`${new URL(bench().baseUrl).origin}/${server.slug}/mcp`);
    const requestInit = { headers: { 'x-gw-api-key': key } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    clients.push(client);
    return client;
  }
  /** Calls the tool `echo` and returns the text of its result; null if there is none. */
  async function echo(key: string, text: string): Promise<string | null> {
    const client = await connected(key);
    const { content } = await client.callTool({ name: 'echo', arguments: { text } });
    const [first] = content as readonly { readonly text?: string }[];
    return first?.text ?? null;
  }

  it('executes a call that needs an approval once after a person approved it', async () => {
    const { id, key } = await bench().newKey({ scopes: ['mcp.invoke'] });
    await rules({ subject: { type: 'key', id }, tools: ['echo'], effect: 'ask' });
    const isHeld = async (text: string): Promise<true> => {
      expect(await echo(key, text)).toContain('approv');
      return true;
    };
    await eventually(() => isHeld('hello'), { timeoutMs: CHANGE_MS });
    const waiting = await admin<{ data: Approval[] }>('GET', '/mcp-approvals?status=pending');
    expect(waiting.data).toMatchObject([{ tool: 'echo', arguments: { text: 'hello' } }]);
    await admin('POST', `/mcp-approvals/${waiting.data[0]?.id ?? ''}/approve`, {});
    // The gateway reads the decision with the call, so it applies immediately.
    expect(await echo(key, 'hello')).toBe('hello');
    await isHeld('hello');
    await isHeld('another text');
    await rules();
  });

  it('applies a rule for a role when the role of the user changes', async () => {
    const { invite_link: link } = await admin<{ invite_link: string }>('POST', '/users/invites', {
      ...{ email: `ada-${drivers}@example.com`, role: 'member' },
      workspaces: [{ id: workspaceId, role: 'member' }],
    });
    await bench().manage('POST', '/invites/accept', {
      body: { token: link.split('/').at(-1), password: PASSWORD },
    });
    const { data: users } = await admin<{ data: { id: string; email: string }[] }>('GET', '/users');
    const userId = users.find(({ email }) => email.startsWith('ada-'))?.id ?? '';
    const { key } = await admin<{ key: string }>('POST', '/api-keys/workspace/user', {
      ...{ name: 'Of Ada', user_id: userId, workspace_id: workspaceId, scopes: ['mcp.invoke'] },
    });
    await rules({ subject: { type: 'role', id: 'member' }, tools: ['echo'], effect: 'deny' });
    const tools = async (): Promise<string[]> =>
      (await (await connected(key)).listTools()).tools.map(({ name }) => name);
    const becomes = (isListed: boolean): Promise<unknown> =>
      eventually(async () => (await tools()).includes('echo') === isListed, { timeoutMs: CHANGE_MS });
    await becomes(false);
    await admin('PUT', `/workspaces/${workspaceId}/users/${userId}`, { role: 'manager' });
    await becomes(true);
    await rules();
  });

  it('checks the health of the server in a worker, and restores an integration from an earlier version', async () => {
    const path = `/mcp-integrations/${integration.id}`;
    const health = await eventually(
      async () => {
        const { state } = await admin<{ state: string }>('GET', `${path}/health`);
        return state === 'unknown' ? undefined : state;
      },
      { timeoutMs: 180_000 },
    );
    expect(['healthy', 'degraded']).toContain(health);
    await admin('PUT', path, { name: 'Renamed' });
    await admin('POST', `${path}/versions/1/restore`, {});
    expect(await admin('GET', path)).toMatchObject({ name: 'Tools' });
  });
});
