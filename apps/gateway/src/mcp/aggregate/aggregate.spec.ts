import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { member, saveCatalogue, saveToolset } from '../spec-support/aggregate';
import { saveServer, serverDocument } from '../spec-support/mcp-server';

const INFO = { name: 'spec', version: '1' };

describe('clients of SDK 1 and SDK 2 at addresses with servers of both eras', () => {
  let gateway: GatewayHarness;
  let legacy: McpFixture;
  let modern: McpFixture;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    [legacy, modern] = await Promise.all([
      startMcpFixture({ era: 'legacy' }),
      startMcpFixture({ era: 'modern' }),
    ]);
    const documents = [
      await serverDocument(legacy.url, 'old'),
      await serverDocument(modern.url, 'new'),
    ] as const;
    for (const document of documents) saveServer(gateway, document);
    saveCatalogue(gateway, documents);
    const [old, current] = documents;
    saveToolset(gateway, { slug: 'both', members: [member(old), member(current)] });
  });
  afterAll(async () => {
    await Promise.all([legacy.close(), modern.close()]);
    await gateway.stop();
  });

  const url = (path: string): URL => new URL(`http://127.0.0.1:${String(gateway.port)}${path}`);
  const options = () => ({ requestInit: { headers: { 'x-gw-api-key': gateway.apiKey } } });
  const CLIENTS = {
    'SDK 1': async (path: string) => {
      const client = new Client(INFO);
      await client.connect(new StreamableHTTPClientTransport(url(path), options()));
      return client;
    },
    'SDK 2': async (path: string) => {
      const client = new ModernClient(INFO, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new ModernTransport(url(path), options()));
      return client;
    },
  } as const;
  const PATHS = ['/mcp', '/main/-/mcp', '/main/both/mcp', '/both/mcp'];
  const runs = (['SDK 1', 'SDK 2'] as const).flatMap((sdk) => PATHS.map((path) => [sdk, path] as const));

  it.each(runs)('%s lists and calls tools, prompts and resources of both at %s', async (sdk, path) => {
    const client = await CLIENTS[sdk](path);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['old__echo', 'new__echo']));
    expect(names.indexOf('new__echo')).toBeGreaterThan(names.lastIndexOf('old__echo'));
    for (const [server, fixture] of [
      ['old', legacy],
      ['new', modern],
    ] as const) {
      const before = fixture.calls.get('echo') ?? 0;
      expect(await client.callTool({ name: `${server}__echo`, arguments: { text: server } })).toMatchObject({
        content: [{ type: 'text', text: server }],
      });
      expect(fixture.calls.get('echo')).toBe(before + 1);
      const prompt = await client.getPrompt({ name: `${server}__test_simple_prompt` });
      expect(prompt.messages).toHaveLength(1);
    }
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain('new__test_simple_prompt');
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.endsWith('://static-text'));
    expect(uris).toEqual(['test://static-text', 'gw+new:test://static-text']);
    for (const uri of uris) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ uri }]);
    }
    await client.close();
  });
});
