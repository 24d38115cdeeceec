import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const INFO = { name: 'spec', version: '1' };
const TOOLS = {
  legacy: { name: 'test_elicitation', arguments: { message: 'Who?' } },
  modern: { name: 'test_input_required_result_elicitation', arguments: {} },
};
const ANSWER = {
  action: 'accept' as const,
  content: { response: 'yes', name: 'Ada', username: 'ada', email: 'a@b.example' },
};

describe.each(['legacy', 'modern'] as const)('input for a server of the era %s', (era) => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture({ era });
    saveServer(gateway, await serverDocument(fixture.url, 'tools'));
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });
  const url = () => new URL(`http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`);
  const options = () => ({ requestInit: { headers: { 'x-gw-api-key': gateway.apiKey } } });

  it('comes from clients with sessions, which the gateway asks on the stream of the call', async () => {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return ANSWER;
    });
    await client.connect(new StreamableHTTPClientTransport(url(), options()));
    const result = await client.callTool(TOOLS[era]);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(result.content)).toContain('Ada');
    await client.close();
    const record = (await gateway.records()).at(-1);
    expect(record?.decision.mcp).toMatchObject({ inputs: 1 });
    expect(record?.requestBody?.toString()).not.toContain('Ada');
  });

  it('comes from modern clients, which send the call again with the responses', async () => {
    const client = new ModernClient(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    });
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return ANSWER;
    });
    await client.connect(new ModernTransport(url(), options()));
    const result = await client.callTool(TOOLS[era]);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(result)).toContain('Ada');
    await client.close();
    const calls = (await gateway.records()).filter(({ decision }) => decision.mcp?.inputs === 1);
    const last = calls.at(-1)?.requestBody?.toString() ?? '';
    expect(last).toContain(`"name":"${TOOLS[era].name}"`);
    expect(last).not.toContain('Ada');
    expect(last).not.toContain('a@b.example');
  });

  it('is refused for clients that did not declare it', async () => {
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(url(), options()));
    const outcome = await client.callTool(TOOLS[era]).catch((error: unknown) => error);
    expect(JSON.stringify(outcome)).not.toContain('Ada');
    await client.close();
  });
});
