import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { SANDBOX_MCP_URL } from '@gw/mcp';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const INFO = { name: 'spec', version: '1' };
const ADD = { name: 'add', arguments: { a: 2, b: 3 } };

async function started(environment: Record<string, string> = {}): Promise<GatewayHarness> {
  const gateway = await GatewayHarness.start(environment);
  gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
  saveServer(gateway, await serverDocument(new URL(SANDBOX_MCP_URL), 'sandbox'));
  return gateway;
}
const urlOf = ({ port }: GatewayHarness): URL => new URL(`http://127.0.0.1:${String(port)}/sandbox/mcp`);
const optionsOf = ({ apiKey }: GatewayHarness) => ({ requestInit: { headers: { 'x-gw-api-key': apiKey } } });

describe('sandbox MCP server', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await started();
  });
  afterAll(() => gateway.stop());

  it('serves clients of SDK 1, and asks them by elicitation', async () => {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
    await client.connect(new StreamableHTTPClientTransport(urlOf(gateway), optionsOf(gateway)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['add', 'echo', 'now', 'greet']);
    expect(await client.callTool(ADD)).toMatchObject({ structuredContent: { sum: 5 } });
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
    });
    const { structuredContent } = await client.callTool({ name: 'now', arguments: {} });
    expect(structuredContent).toEqual({ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) });
    expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    await client.close();
  });

  it('serves clients of SDK 2, which may decline to answer', async () => {
    const client = new ModernClient(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    });
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    await client.connect(new ModernTransport(urlOf(gateway), optionsOf(gateway)));
    expect(await client.callTool(ADD)).toMatchObject({ structuredContent: { sum: 5 } });
    expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({
      structuredContent: { greeting: 'Hello, stranger!' },
    });
    await client.close();
  });

  it('does not exist if the sandbox is off, whatever the document says', async () => {
    const without = await started({ SANDBOX_ENABLED: 'off' });
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(urlOf(without), optionsOf(without)));
    expect(await client.callTool(ADD)).toMatchObject({ isError: true });
    await client.close();
    await without.stop();
  });
});
