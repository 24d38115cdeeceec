import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { startMcpFixture, type McpFixture } from '@gw/testing';

const INFO = { name: 'spec-client', version: '1.0.0' };

describe.each(['legacy', 'modern', 'both'] as const)('an upstream of the era %s', (era) => {
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
  const requestInit = () => ({ headers: { 'x-gw-api-key': gateway.apiKey } });

  it('serves clients of SDK 1: lists, calls, progress, errors, prompts and resources', async () => {
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(url(), { requestInit: requestInit() }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'add', 'slow']));
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
    });
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    });
    const seen: unknown[] = [];
    // The client drops progress that it reads together with the result.
    await client.callTool({ name: 'slow', arguments: { ms: 20_000 } }, undefined, {
      onprogress: (progress) => {
        seen.push(progress);
        fixture.release();
      },
    });
    expect(seen).toEqual([expect.objectContaining({ progress: 1, total: 2 })]);
    expect(await client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    expect((await client.getPrompt({ name: 'test_simple_prompt' })).messages).toHaveLength(1);
    expect((await client.readResource({ uri: 'test://static-text' })).contents).toHaveLength(1);
    await client.close();
  });

  it('serves clients of SDK 2 that discover the era', async () => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new ModernTransport(url(), { requestInit: requestInit() }));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(10);
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
    });
    await client.close();
  });

  it('logs calls', async () => {
    const records = await gateway.records();
    const calls = records.filter(({ route }) => route === 'mcp.tools.call');
    expect(calls.length).toBeGreaterThan(4);
    expect(calls[0]).toMatchObject({
      ...{ outcome: 'ok', provider: 'mcp', credential: 'tools' },
      decision: {
        mcp: { server: 'tools', name: 'echo' },
        attempts: [{ target: 'tools', end: 'answered', status: 200 }],
      },
    });
  });

  it('logs server, integration, method and capability, which analytics group by', async () => {
    const records = await gateway.records();
    expect(new Set(records.map(({ mcpServer }) => mcpServer))).toEqual(new Set(['tools']));
    expect(new Set(records.map(({ integrationId }) => integrationId)).size).toBe(1);
    const logged = records.map(({ mcpMethod, mcpCapability }) => [mcpMethod, mcpCapability]);
    expect(logged).toEqual(
      expect.arrayContaining([
        ['tools/call', 'echo'],
        ['tools/call', 'fail'],
        ['tools/list', null],
        ['prompts/get', 'test_simple_prompt'],
      ]),
    );
    // Callers choose unknown names and URIs, so the number of groups would be unlimited.
    expect(logged).toEqual(
      expect.arrayContaining([
        ['tools/call', null],
        ['resources/read', null],
      ]),
    );
  });
});
