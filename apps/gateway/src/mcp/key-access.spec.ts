import type { McpKeyAccess, McpServerDocument } from '@gw/contracts';
import { modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';

/** The only tool of the fixture that is approved as read-only here. */
const READER = 'echo';

describe('keys that are restricted to MCP servers and tools', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let document: McpServerDocument;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    fixture = await startMcpFixture();
    const read = await serverDocument(fixture.url, 'tools');
    document = {
      ...read,
      capabilities: read.capabilities.map((each) => ({
        ...each,
        definition: { ...each.definition, annotations: { readOnlyHint: each.name === READER } },
      })),
    };
    saveServer(gateway, document);
    saveServer(gateway, { ...(await serverDocument(fixture.url, 'others')), id: 'others' });
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  const restrict = (mcp: McpKeyAccess): void => {
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'], mcp });
  };
  async function request(
    path: string,
    method: string,
    params: object = {},
  ): Promise<Record<string, unknown>> {
    const url = `http://127.0.0.1:${String(gateway.port)}${path}`;
    const response = await fetch(url, modernRequest(gateway.apiKey, method, params));
    const { result, error } = (await response.json()) as Record<string, Record<string, unknown>>;
    return { ...result, ...(error && { error: error['message'] }) };
  }
  async function listed(path: string, list = 'tools'): Promise<string[]> {
    const result = await request(path, `${list}/list`);
    return (result[list] as { name: string }[]).map(({ name }) => name);
  }
  const call = (path: string, name: string): Promise<Record<string, unknown>> =>
    request(path, 'tools/call', { name, arguments: { text: 'hi', a: 1, b: 1 } });

  it('list and call only the named tools', async () => {
    restrict({ tools: ['tools/add'] });
    expect(await listed('/tools/mcp')).toEqual(['add']);
    expect(await call('/tools/mcp', 'add')).toHaveProperty('content');
    expect(await call('/tools/mcp', 'echo')).toEqual({ error: 'Unknown tool: echo' });
  });

  it('use nothing of servers that are not named', async () => {
    restrict({ servers: ['others'] });
    expect(await listed('/tools/mcp')).toEqual([]);
    expect(await call('/tools/mcp', 'add')).toEqual({ error: 'Unknown tool: add' });
    expect(await call('/others/mcp', 'add')).toHaveProperty('content');
  });

  it('use read-only tools, resources and prompts with readOnly', async () => {
    restrict({ readOnly: true, servers: ['tools'] });
    expect(await listed('/tools/mcp')).toEqual([READER]);
    expect(await call('/tools/mcp', 'add')).toEqual({ error: 'Unknown tool: add' });
    const prompts = document.capabilities.filter(({ type }) => type === 'prompt').map(({ name }) => name);
    expect(await listed('/tools/mcp', 'prompts')).toEqual(prompts);
    expect(prompts).not.toEqual([]);
  });
});
