import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { eventually } from '../eventually';
import { startKeyProxy } from './key-proxy';
import {
  startMcpFixture,
  type McpFixture,
  type McpFixtureOptions,
  type McpFixtureRequest,
} from './mcp-fixture';

const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function serve(options?: McpFixtureOptions): Promise<McpFixture> {
  const fixture = await startMcpFixture(options);
  opened.push(fixture);
  return fixture;
}

async function connect(url: URL, mode: 'auto' | 'legacy', changed: string[] = []): Promise<Client> {
  const client = new Client(
    { name: 'spec', version: '1' },
    {
      versionNegotiation: { mode },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changed.push('tools') },
      },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(url));
  opened.push(client);
  return client;
}

const ERAS = [
  ['2026-07-28', 'auto'],
  ['2025-11-25', 'legacy'],
] as const;

/** A request that receives announcements: a GET of a session, or a modern subscription. */
const isOpenStream = ({ verb, headers, isAnswered }: McpFixtureRequest): boolean =>
  isAnswered && (verb === 'GET' || headers['mcp-method'] === 'subscriptions/listen');

describe('startMcpFixture', () => {
  it.each(ERAS)('serves %s from one address and counts calls by tool', async (revision, mode) => {
    const fixture = await serve();
    const client = await connect(fixture.url, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { content } = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    expect(content).toEqual([{ type: 'text', text: 'hello' }]);
    await client.callTool({ name: 'echo', arguments: { text: 'again' } });
    expect([...fixture.calls]).toEqual([['echo', 2]]);
    expect(fixture.sessions()).toHaveLength(mode === 'legacy' ? 1 : 0);
  });

  it('supports only the era that the options name', async () => {
    const [legacy, modern] = await Promise.all([serve({ era: 'legacy' }), serve({ era: 'modern' })]);
    const client = await connect(legacy.url, 'auto');
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    await expect(connect(modern.url, 'legacy')).rejects.toThrow();
  });

  it.each(ERAS)('changes and adds tools while a client of %s listens', async (_revision, mode) => {
    const fixture = await serve();
    const changed: string[] = [];
    const client = await connect(fixture.url, mode, changed);
    await eventually(() => fixture.requests.some(isOpenStream));
    fixture.changeTool('echo', { description: 'Sends the text to another server.' });
    await eventually(() => changed.length > 0);
    fixture.addTool('late');
    fixture.changeTool('big', { enabled: false });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'echo')?.description).toBe('Sends the text to another server.');
    expect(tools.map(({ name }) => name)).toContain('late');
    expect(tools.map(({ name }) => name)).not.toContain('big');
    expect((await client.callTool({ name: 'late' })).content).toEqual([{ type: 'text', text: 'late' }]);
  });

  it('requires an accepted bearer token and names its authorization server', async () => {
    const tokens = new Set(['good']);
    const authorization = { tokens, authorizationServer: 'https://issuer.example', scopes: ['mcp'] };
    const { url } = await serve({ authorization });
    const metadataUrl = `${url.origin}/.well-known/oauth-protected-resource/mcp`;
    const refused = await fetch(url, { method: 'POST', headers: { authorization: 'Bearer bad' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${metadataUrl}", scope="mcp", error="invalid_token"`,
    );
    expect(await (await fetch(metadataUrl)).json()).toEqual({
      resource: url.href,
      authorization_servers: ['https://issuer.example'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['mcp'],
    });
  });
});

describe('startKeyProxy', () => {
  it.each(ERAS)(
    'adds a credential to the requests of a %s client that sends none',
    async (_revision, mode) => {
      const authorization = { tokens: ['good'], authorizationServer: 'https://issuer.example' };
      const fixture = await serve({ authorization });
      const proxy = await startKeyProxy(fixture.url, { authorization: 'Bearer good' });
      opened.push(proxy);
      const client = await connect(proxy.url, mode);
      const { structuredContent } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
      expect(structuredContent).toEqual({ sum: 3 });
    },
  );
});
