import { eventually, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { RawSession } from './spec-support/raw-session';

describe('batches of clients of 2025-03-26', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture({ era: 'legacy' });
    const prices = { default: 500, tools: {} };
    saveServer(gateway, await serverDocument(fixture.url, 'tools', { prices }));
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });
  const origin = () => `http://127.0.0.1:${String(gateway.port)}`;
  const opened = (revision = '2025-03-26', capabilities = {}) =>
    RawSession.open(origin(), gateway.apiKey, { revision, capabilities });
  const rpc = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });
  const call = (id: number, name: string, args: object = {}, more: object = {}) =>
    rpc(id, 'tools/call', { name, arguments: args, ...more });
  const echo = (id: number) => call(id, 'echo', { text: `echo ${String(id)}` });

  it('have each message handled separately, and their responses in order', async () => {
    const client = await opened();
    const response = await client.send(origin(), [
      call(1, 'slow', { ms: 100 }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      rpc(2, 'ping'),
      call(3, 'nothing'),
      rpc(4, 'nothing/known'),
      rpc(5, 'tools/list'),
      echo(6),
    ]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([
      expect.objectContaining({ id: 1, result: expect.objectContaining({ content: [expect.anything()] }) }),
      expect.objectContaining({ id: 2, result: {} }),
      expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32_602 }) }),
      expect.objectContaining({ id: 4, error: expect.objectContaining({ code: -32_601 }) }),
      expect.objectContaining({ id: 5, result: expect.objectContaining({ tools: expect.anything() }) }),
      expect.objectContaining({ id: 6, result: { content: [{ type: 'text', text: 'echo 6' }] } }),
    ]);
  });

  it('have a record, a charge and a body for each call', async () => {
    const before = (await gateway.records()).length;
    const client = await opened();
    await (await client.send(origin(), [echo(1), echo(2), rpc(3, 'ping')])).json();
    const records = (await gateway.records()).slice(before);
    expect(records.map(({ route, outcome, cost }) => [route, outcome, cost])).toEqual([
      ['mcp.tools.call', 'ok', 500],
      ['mcp.tools.call', 'ok', 500],
    ]);
    const bodies = records.map(({ requestBody, responseBody }) => [requestBody, responseBody].map(String));
    for (const [at, text] of ['echo 1', 'echo 2'].entries())
      expect(bodies.toSorted()[at]).toEqual([expect.stringContaining(text), expect.stringContaining(text)]);
  });

  it('end each call with its own error when the caller is revoked, and begin no more', async () => {
    const apiKey = 'goneKey00000000000000000000000A3';
    gateway.addKey(apiKey, { scopes: ['mcp.invoke'] });
    const before = fixture.calls.get('slow') ?? 0;
    const client = await RawSession.open(origin(), apiKey, { revision: '2025-03-26' });
    const ids = [1, 2, 3, 4, 5, 6, 7];
    const response = client.send(
      origin(),
      ids.map((id) => call(id, 'slow', { ms: 20_000 })),
    );
    await eventually(() => (fixture.calls.get('slow') ?? 0) === before + 5);
    gateway.removeKey(apiKey);
    const denied = { error: { data: { type: 'unauthorized' } } };
    // It does not wait for the server: after ten seconds without a response it would be a stream.
    expect(await (await response).json()).toMatchObject(ids.map((id) => ({ id, ...denied })));
    expect(fixture.calls.get('slow')).toBe(before + 5);
    expect([...gateway.faults.counts.values()]).toEqual([0, 0]);
  });

  it('become a stream when a message precedes the responses', async () => {
    const client = await opened('2025-03-26', { elicitation: {} });
    const response = await client.send(origin(), [
      call(1, 'slow', { ms: 1 }, { _meta: { progressToken: 'p' } }),
      echo(2),
    ]);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = (await response.text()).split('\n\n').filter((each) => each.includes('data: '));
    expect(events[0]).toContain('notifications/progress');
    expect(JSON.parse(events.at(-1)?.split('data: ')[1] ?? '')).toEqual([
      expect.objectContaining({ id: 1 }),
      expect.objectContaining({ id: 2 }),
    ]);
  });

  it('are accepted without a response body if they contain only notifications and responses', async () => {
    const client = await opened();
    const response = await client.send(origin(), [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'gwr1.unknown', result: {} },
    ]);
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  it('contain at most 20 messages, none of which may open a session or belong to the modern era', async () => {
    const client = await opened();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    for (const batch of [
      [],
      Array.from({ length: 21 }, (_, at) => rpc(at, 'ping')),
      [rpc(1, 'ping'), rpc(2, 'initialize', { protocolVersion: '2025-03-26' })],
      [rpc(1, 'ping'), rpc(2, 'tools/list', { _meta: meta })],
      [[rpc(1, 'ping')]],
    ]) {
      const response = await client.send(origin(), batch);
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ error: expect.objectContaining({ code: -32_600 }) }),
      ]);
    }
  });

  it('are refused for every other revision', async () => {
    for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25']) {
      const client = await opened(revision);
      expect((await client.send(origin(), [rpc(1, 'ping')])).status).toBe(400);
    }
  });

  it('end after their client disconnects and the wait for calls of this era is over', async () => {
    const client = await opened();
    const before = fixture.calls.get('slow') ?? 0;
    const records = (await gateway.records()).length;
    const leaving = new AbortController();
    const sent = fetch(`${origin()}/main/tools/mcp`, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...{ 'x-gw-api-key': gateway.apiKey, 'mcp-session-id': client.id },
      },
      body: JSON.stringify([call(1, 'slow', { ms: 500 }), call(2, 'slow', { ms: 500 })]),
    }).catch(() => null);
    await eventually(() => (fixture.calls.get('slow') ?? 0) === before + 2);
    leaving.abort();
    await sent;
    await eventually(async () => (await gateway.records()).length === records + 2);
    expect((await gateway.records()).slice(-2).map(({ cost }) => cost)).toEqual([500, 500]);
  });

  it('cannot get more bytes from the gateway than one response may have', async () => {
    const client = await opened();
    const bytes = 3_000_000;
    const response = await client.send(
      origin(),
      [1, 2, 3, 4].map((id) => call(id, 'big', { bytes })),
    );
    const text = await response.text();
    expect(text.length).toBeLessThan(8_400_000);
    const bodies = JSON.parse(text) as { error?: { message: string } }[];
    expect(bodies.filter(({ error }) => error?.message.includes('too large together'))).toHaveLength(2);
  });
});
