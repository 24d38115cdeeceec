import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
  type Progress,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpServerDocument } from '@gw/contracts';
import { eventually, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { saveServer, serverDocument } from '../spec-support/mcp-server';
import { EventReader } from '../spec-support/read-events';

const INFO = { name: 'old', version: '1' };
const OTHER_KEY = 'otherKey0000000000000000000000AB';

describe('clients with HTTP+SSE', () => {
  let gateway: GatewayHarness;
  let fixtures: Record<'modern' | 'legacy', McpFixture>;
  let documents: Record<'modern' | 'legacy', McpServerDocument>;
  const clients: Client[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ MCP_LEGACY_SSE: 'on' });
    gateway.addKey(gateway.apiKey, { id: 'key-1', scopes: ['mcp.invoke'] });
    gateway.addKey(OTHER_KEY, { id: 'key-2', scopes: ['mcp.invoke'] });
    fixtures = {
      modern: await startMcpFixture({ era: 'modern' }),
      legacy: await startMcpFixture({ era: 'legacy' }),
    };
    documents = {
      modern: await serverDocument(fixtures.modern.url, 'modern'),
      legacy: await serverDocument(fixtures.legacy.url, 'legacy'),
    };
    for (const document of Object.values(documents)) saveServer(gateway, document);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  afterAll(async () => {
    await Promise.all([fixtures.modern.close(), fixtures.legacy.close()]);
    await gateway.stop();
  });

  const url = (path: string): URL => new URL(`http://127.0.0.1:${String(gateway.port)}${path}`);
  const headers = (key = gateway.apiKey): Record<string, string> => ({ 'x-gw-api-key': key });
  async function connected(path: string): Promise<Client> {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: 'accept',
      content: { name: 'Ada', response: 'yes' },
    }));
    await client.connect(new SSEClientTransport(url(path), { requestInit: { headers: headers() } }));
    clients.push(client);
    return client;
  }
  async function stream(key = gateway.apiKey): Promise<{ events: EventReader; messages: string }> {
    const init = { headers: { ...headers(key), accept: 'text/event-stream' } };
    const events = await EventReader.open(url('/main/modern/sse').href, init);
    await events.until('event: endpoint');
    return { events, messages: /data: (\S+)/.exec(events.text)?.[1] ?? '' };
  }
  const post = (path: string, message: object, key = gateway.apiKey): Promise<Response> =>
    fetch(url(path), {
      method: 'POST',
      headers: { ...headers(key), 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
  const ECHO = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'a' } },
  };

  it.each([
    ['modern', '/main/modern/sse', 'test_input_required_result_elicitation'],
    ['legacy', '/legacy/sse', 'test_elicitation'],
  ])('list, call, get progress and answer elicitations of a %s server', async (_era, path, asking) => {
    const client = await connected(path);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ text: 'hi' }],
    });
    const progress: Progress[] = [];
    // The client drops progress that it reads together with the result.
    await client.callTool({ name: 'slow', arguments: { ms: 20_000 } }, undefined, {
      onprogress: (each) => {
        progress.push(each);
        for (const fixture of Object.values(fixtures)) fixture.release();
      },
    });
    expect(progress).toMatchObject([{ progress: 1, total: 2 }]);
    const answered = await client.callTool({ name: asking, arguments: { message: 'Who?' } });
    expect(answered.isError).not.toBe(true);
    await expect(client.callTool({ name: 'none', arguments: {} })).rejects.toThrow('Unknown tool');
  });

  it('cancel a call, and get many results at the same time', async () => {
    const client = await connected('/main/legacy/sse');
    const abort = new AbortController();
    const slow = client.callTool({ name: 'slow', arguments: { ms: 60_000 } }, undefined, {
      signal: abort.signal,
    });
    await eventually(() => fixtures.legacy.calls.get('slow') === 2);
    abort.abort();
    await expect(slow).rejects.toThrow();
    await eventually(() => fixtures.legacy.cancelled.includes('slow'));
    const texts = Array.from({ length: 8 }, (_, at) => String(at));
    const results = await Promise.all(
      texts.map((text) => client.callTool({ name: 'echo', arguments: { text } })),
    );
    expect(results.map(({ content }) => (content as [{ text: string }])[0].text)).toEqual(texts);
  });

  it('are notified of changed lists', async () => {
    const client = await connected('/main/modern/sse');
    let count = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      count += 1;
    });
    saveServer(gateway, documents.modern);
    await eventually(() => count > 0);
  });

  it('log each call under its own request', async () => {
    const client = await connected('/main/modern/sse');
    await client.callTool({ name: 'echo', arguments: { text: 'logged' } });
    const logged = (await gateway.records()).filter(
      ({ requestBody }) => requestBody?.includes('logged') === true,
    );
    expect(logged).toMatchObject([{ status: 200, mcpMethod: 'tools/call', mcpCapability: 'echo' }]);
    expect(logged[0]?.responseBody?.toString()).toContain('"text":"logged"');
  });

  it('have the rights that their key has now, not those at the opening of the stream', async () => {
    const key = 'narrowedKey000000000000000000AB1';
    gateway.addKey(key, { id: 'key-3', scopes: ['mcp.invoke'] });
    const { events, messages } = await stream(key);
    gateway.addKey(key, { id: 'key-3', scopes: ['mcp.invoke'], mcp: { tools: ['modern/slow'] } });
    expect((await post(messages, ECHO, key)).status).toBe(202);
    await events.until('"id":7');
    expect(events.text).toContain('Unknown tool: echo');
    events.leave();
  });

  it('cannot use the session of another caller or address, or an ended one', async () => {
    const { events, messages } = await stream();
    expect(messages).toMatch(/^\/main\/modern\/messages\?sessionId=gwe1\./);
    expect((await post(messages, ECHO, OTHER_KEY)).status).toBe(404);
    expect((await post(messages.replace('/modern/', '/legacy/'), ECHO)).status).toBe(404);
    expect((await post(messages.slice(0, -3), ECHO)).status).toBe(404);
    expect((await post('/main/modern/messages', ECHO)).status).toBe(404);
    expect((await post(messages, ECHO, 'wrongKey')).status).toBe(401);
    expect((await post(messages, [ECHO])).status).toBe(400);
    expect((await post(messages, { id: 1 })).status).toBe(400);
    expect((await post(messages, ECHO)).status).toBe(202);
    await events.until('"id":7');
    expect(events.text.match(/"id":7/g)).toHaveLength(1);
    events.leave();
    await eventually(async () => (await post(messages, ECHO)).status === 404);
  });

  it('use GET for the stream and POST for messages', async () => {
    const get = await fetch(url('/main/modern/messages'), { headers: headers() });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    const posted = await post('/main/modern/sse', ECHO);
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await fetch(url('/main/none/sse'), { headers: headers() })).status).toBe(404);
    expect((await fetch(url('/main/modern/sse'))).status).toBe(401);
  });

  it('have at most twenty streams of one caller', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => stream(OTHER_KEY)));
    const refused = await fetch(url('/main/modern/sse'), { headers: headers(OTHER_KEY) });
    expect(refused.status).toBe(429);
    for (const { events } of streams) events.leave();
  });
});

it('does not have HTTP+SSE unless it is on', async () => {
  const gateway = await GatewayHarness.start();
  try {
    for (const path of ['/main/modern/sse', '/main/modern/messages', '/modern/sse'])
      expect((await fetch(`http://127.0.0.1:${String(gateway.port)}${path}`)).status).toBe(404);
  } finally {
    await gateway.stop();
  }
});
