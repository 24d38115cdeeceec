import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { McpServerDocument } from '@gw/contracts';
import { modernRequest, startMcpFixture, StubProvider, type McpFixture } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../../spec-support/harness';
import { saveServer, serverDocument } from '../spec-support/mcp-server';
import { startScriptedServer } from '../spec-support/scripted-server';

const INFO = { name: 'spec', version: '1' };
const CALL = { name: 'test_sampling', arguments: { prompt: 'What is a parrot?' } };
const COMPLETION = {
  ...{ id: 'c-1', object: 'chat.completion', created: 1, model: 'gpt-4o' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'A bird.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};

describe.each(['legacy', 'modern'] as const)('sampling of a %s server by a model of the workspace', (era) => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let stub: StubProvider;
  let document: McpServerDocument;
  const clients: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    fixture = await startMcpFixture({ era });
    stub = await StubProvider.start();
    document = await serverDocument(fixture.url, 'tools', {
      configurations: { sampling: { model: '@main/gpt-4o', max_tokens: 50 } },
    });
  });
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { id: 'key-1', scopes: ['mcp.invoke'] });
    gateway.addProvider('main', 'openai', stub.origin);
    saveServer(gateway, document);
    stub.respondJson(COMPLETION);
    stub.requests.length = 0;
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await gateway.stop();
  });
  afterAll(async () => {
    await Promise.all([fixture.close(), stub.stop()]);
  });

  const address = (): URL => new URL(`http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`);
  const options = () => ({ requestInit: { headers: { 'x-gw-api-key': gateway.apiKey } } });
  async function connected(): Promise<Client> {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
    await client.connect(new StreamableHTTPClientTransport(address(), options()));
    clients.push(client);
    return client;
  }
  async function modern(): Promise<ModernClient> {
    const client = new ModernClient(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
    await client.connect(new ModernTransport(address(), options()));
    clients.push(client);
    return client;
  }
  const completions = async (): Promise<LoggedRequest[]> =>
    (await gateway.records()).filter(({ route }) => route === 'chat.completions');

  it.each([
    ['in a session', connected],
    ['without a session', modern],
  ])(
    'serves a client without the sampling capability, %s, and is logged as a request of the caller',
    async (_kind, connect) => {
      const client = await connect();
      const result = await client.callTool(CALL);
      expect(JSON.stringify(result.content)).toContain('A bird.');
      expect(stub.requests).toHaveLength(1);
      expect(JSON.parse(stub.requests[0]?.body.toString() ?? '')).toMatchObject({
        ...{ model: 'gpt-4o', max_tokens: 50 },
        messages: [{ role: 'user', content: [{ type: 'text', text: 'What is a parrot?' }] }],
      });
      const records = await gateway.records();
      const [made] = records.filter(({ route }) => route === 'chat.completions');
      const [call] = records.filter(({ route }) => route === 'mcp.tools.call');
      expect(made).toMatchObject({ status: 200, apiKeyId: 'key-1', traceId: call?.traceId });
      expect(made?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    },
  );

  it('serves a tool that requests a greeting of the model and, of the client, the name of the user', async () => {
    for (const client of [await connected(), await modern()]) {
      const result = await client.callTool({
        name: 'test_input_required_result_capabilities',
        arguments: {},
      });
      expect(result.isError).not.toBe(true);
    }
    expect(await completions()).toHaveLength(2);
  });

  it('is refused by the limits of the caller, and the tool call then fails', async () => {
    const limit = { id: 'limit-1', type: 'requests', unit: 'rpd', value: 1 } as const;
    gateway.addKey(gateway.apiKey, { id: 'key-1', scopes: ['mcp.invoke'], rateLimits: [limit] });
    const client = await connected();
    expect(JSON.stringify(await client.callTool(CALL))).toContain('A bird.');
    const refused = await client.callTool(CALL);
    expect(refused.isError).toBe(true);
    expect(stub.requests).toHaveLength(1);
    expect((await completions()).map(({ status }) => status)).toEqual([200, 429]);
  });

  it('fails the tool call when the model fails or returns no JSON, or the sampling request exceeds 64 KiB', async () => {
    const client = await connected();
    stub.respondJson({ error: { message: 'Down.' } }, 400);
    expect((await client.callTool(CALL)).isError).toBe(true);
    stub.respond({ headers: { 'content-type': 'text/plain' }, steps: [{ chunk: 'no JSON' }] });
    expect((await client.callTool(CALL)).isError).toBe(true);
    stub.respondJson(COMPLETION);
    const long = { ...CALL, arguments: { prompt: 'x'.repeat(70_000) } };
    expect((await client.callTool(long)).isError).toBe(true);
    expect(stub.requests.filter(({ body }) => body.length > 70_000)).toHaveLength(0);
  });

  it('is unavailable unless it is configured', async () => {
    saveServer(gateway, { ...document, configurations: {} });
    const client = await connected();
    const [end] = await Promise.allSettled([client.callTool(CALL)]);
    const isRefused = end.status === 'rejected' || end.value.isError === true;
    expect(isRefused).toBe(true);
    expect(stub.requests).toHaveLength(0);
  });
});

it('makes five completions for one tool call, however often a server of 2026-07-28 requests one', async () => {
  const [server, stub, gateway] = await Promise.all([
    startScriptedServer('modern'),
    StubProvider.start(),
    GatewayHarness.start(),
  ]);
  try {
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    gateway.addProvider('main', 'openai', stub.origin);
    stub.respondJson(COMPLETION);
    const configurations = { sampling: { model: '@main/gpt-4o' } };
    saveServer(gateway, await serverDocument(server.url, 'tools', { configurations }));
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }];
    const sampling = { method: 'sampling/createMessage', params: { messages, maxTokens: 10 } };
    server.script = {
      result: { resultType: 'input_required', inputRequests: { sampling }, requestState: 'state' },
    };
    const request = modernRequest(gateway.apiKey, 'tools/call', { name: 'work' });
    const response = await fetch(`http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`, request);
    expect(await response.json()).toMatchObject({ result: { isError: true } });
    expect(stub.requests.length).toBe(5);
  } finally {
    await Promise.all([server.close(), gateway.stop(), stub.stop()]);
  }
});
