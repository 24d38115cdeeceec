import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServerDocument } from '@gw/contracts';
import { UpstreamError } from '@gw/mcp-client';
import { TargetHealth } from '@gw/routing';
import { modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import type { UpstreamBreakers } from '../limits/upstream-breakers';
import { GatewayHarness } from '../spec-support/harness';
import { Denied } from './denials';
import { serverBreakers } from './server-breakers';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const unreachable = new UpstreamError('unreachable', 'No connection.', { mayHaveExecuted: false });
const timeout = (phase: 'idle' | 'total') =>
  new UpstreamError('timeout', 'Timed out.', { mayHaveExecuted: true, phase });
const viewOf = (workspaceId: string, integrationId = 'i1') => ({ workspaceId, integrationId });

describe('breakers of MCP servers', () => {
  let now = 1_000_000;
  let breakers: UpstreamBreakers;
  beforeEach(() => {
    breakers = serverBreakers(new TargetHealth(), () => now);
  });
  const call = (error: unknown, view = viewOf('w1')): void => breakers.enter(view)(error);
  const calls = (count: number, error: unknown, view = viewOf('w1')): void => {
    for (let at = 0; at < count; at += 1) call(error, view);
  };

  it('open after five failures in a row, for one integration of one workspace', () => {
    calls(4, unreachable);
    call(null);
    calls(4, timeout('idle'));
    call(unreachable);
    expect(() => call(null)).toThrow(Denied);
    call(null, viewOf('w2'));
    call(null, viewOf('w1', 'i2'));
  });

  it('admit one call after half a minute, whose result decides', () => {
    calls(5, unreachable);
    now += 30_000;
    const ends = breakers.enter(viewOf('w1'));
    expect(() => call(null)).toThrow(Denied);
    ends(unreachable);
    expect(() => call(null)).toThrow(Denied);
    now += 30_000;
    call(null);
    calls(2, null);
  });

  it('do not open because of long calls, cancelled ones, refusals or guardrail denials', () => {
    calls(20, timeout('total'));
    calls(20, new UpstreamError('cancelled', '', { mayHaveExecuted: true }));
    calls(20, new UpstreamError('rpc_error', '', { mayHaveExecuted: true }));
    calls(20, new UpstreamError('http_status', '', { mayHaveExecuted: true, status: 503 }));
    calls(20, new Error('denied'));
    call(null);
  });
});

describe('unreachable server', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture();
    saveServer(gateway, await serverDocument(fixture.url, 'tools'));
    await fixture.close();
  });
  afterAll(() => gateway.stop());
  const send = async (method: string, params: object = {}): Promise<unknown> => {
    const url = `http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`;
    return (await fetch(url, modernRequest(gateway.apiKey, method, params))).json();
  };
  const echo = { name: 'echo', arguments: { text: 'x' } };

  it('gets no more calls for a while, and its lists are still served', async () => {
    for (let at = 0; at < 5; at += 1)
      expect(JSON.stringify(await send('tools/call', echo))).toContain('provider_unreachable');
    expect(JSON.stringify(await send('tools/call', echo))).toMatch(/circuit_open.*"retry_after_ms":30000/);
    expect(await send('tools/list')).toHaveProperty('result.tools');
    const records = (await gateway.records()).filter(({ route }) => route === 'mcp.tools.call');
    expect(records.map(({ cost }) => cost)).toEqual([null, null, null, null, null, null]);
  });
});

describe('a call whose connection breaks', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let proxy: Server;
  let document: McpServerDocument;
  /** Number of tool calls to cut after the server received them. */
  let cuts = 0;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture({ era: 'modern' });
    fixture.changeTool('echo', { annotations: { idempotentHint: true } });
    proxy = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => void relay(req.headers as Record<string, string>, Buffer.concat(chunks)));
      const relay = async (headers: Record<string, string>, body: Buffer): Promise<void> => {
        const { host: _host, 'content-length': _length, connection: _connection, ...sent } = headers;
        const response = await fetch(fixture.url, { method: 'POST', headers: sent, body });
        const bytes = Buffer.from(await response.arrayBuffer());
        if (headers['mcp-method'] === 'tools/call' && cuts > 0) {
          cuts -= 1;
          req.socket.destroy();
          return;
        }
        res.writeHead(response.status, { 'content-type': response.headers.get('content-type') ?? '' });
        res.end(bytes);
      };
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}/mcp`);
    document = await serverDocument(url, 'tools');
  });
  afterAll(async () => {
    await gateway.stop();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await fixture.close();
  });
  const call = async (name: string, args: object, isRepeated: boolean): Promise<[string, number]> => {
    saveServer(gateway, { ...document, configurations: { retry_idempotent: isRepeated } });
    const before = fixture.calls.get(name) ?? 0;
    cuts = 1;
    const url = `http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`;
    const params = { name, arguments: args };
    const response = await fetch(url, modernRequest(gateway.apiKey, 'tools/call', params));
    return [await response.text(), (fixture.calls.get(name) ?? 0) - before];
  };

  it('is repeated once for an idempotent tool, if the integration allows it', async () => {
    expect(await call('echo', { text: 'hi' }, true)).toEqual([expect.stringContaining('"text":"hi"'), 2]);
    expect(await call('echo', { text: 'hi' }, false)).toEqual([expect.stringContaining('error'), 1]);
  });

  it('is not repeated for another tool', async () => {
    expect(await call('add', { a: 1, b: 2 }, true)).toEqual([expect.stringContaining('error'), 1]);
  });
});
