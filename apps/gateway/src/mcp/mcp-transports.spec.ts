import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { startSseServer, type SseServer } from './spec-support/sse-server';

const INFO = { name: 'spec', version: '1' };

describe('a server with the transport sse', () => {
  let gateway: GatewayHarness;
  let server: SseServer;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    server = await startSseServer();
    saveServer(gateway, await serverDocument(server.url, 'tools', { transport: 'sse' }));
  });
  afterAll(async () => {
    await gateway.stop();
    await server.close();
  });
  const url = () => new URL(`http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`);
  const options = () => ({ requestInit: { headers: { 'x-gw-api-key': gateway.apiKey } } });

  it('serves clients with sessions, and requests input from them', async () => {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
    await client.connect(new StreamableHTTPClientTransport(url(), options()));
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ text: 'hi' }],
    });
    expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    });
    await client.close();
  });

  it('serves clients without sessions, and gets their input in rounds', async () => {
    const client = new ModernClient(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
    await client.connect(new ModernTransport(url(), options()));
    expect(JSON.stringify(await client.callTool({ name: 'greet', arguments: {} }))).toContain('Hello, Ada!');
    await client.close();
  });

  it('has one stream for each session of a client, which many calls share', async () => {
    const before = server.streams();
    const clients = await Promise.all(
      [1, 2, 3].map(async () => {
        const client = new Client(INFO);
        await client.connect(new StreamableHTTPClientTransport(url(), options()));
        return client;
      }),
    );
    const calls = clients.flatMap((client) =>
      Array.from({ length: 5 }, (_, at) =>
        client.callTool({ name: 'echo', arguments: { text: String(at) } }),
      ),
    );
    const texts = (await Promise.all(calls)).map((result) => (result.content as [{ text: string }])[0].text);
    expect(texts).toEqual(clients.flatMap(() => ['0', '1', '2', '3', '4']));
    expect(server.streams() - before).toBe(3);
    await Promise.all(clients.map((client) => client.close()));
  });
});
