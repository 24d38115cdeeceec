import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually, modernRequest } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { HandWrittenServer, SERVER_INFO } from './spec-support/hand-written-server';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const NUMBER = '12345678901234567890.10';
describe('results of MCP servers', () => {
  const server = new HandWrittenServer();
  let gateway: GatewayHarness;
  beforeAll(async () => {
    await server.start();
    gateway = await GatewayHarness.start({ MAX_BODY_MEMORY: String(32 * 1_048_576) });
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    saveServer(gateway, await serverDocument(server.url, 'tools'));
  });
  afterAll(async () => {
    await gateway.stop();
    await server.stop();
  });

  const call = async (args: string = '{}'): Promise<string> => {
    const request = modernRequest(gateway.apiKey, 'tools/call', { name: 'tool', ...{ arguments: {} } });
    const url = `http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`;
    const body = request.body.replace('"arguments":{}', `"arguments":${args}`);
    return (await fetch(url, { ...request, body })).text();
  };

  it('reach the client byte for byte, with the members that its revision requires', async () => {
    server.result = `{ "content": [], "n": ${NUMBER} }`;
    const info = JSON.stringify({ name: 'by-hand', version: '2' });
    const added = `{"resultType":"complete","_meta":{"${SERVER_INFO}":${info}},`;
    expect(await call()).toBe(`{"jsonrpc":"2.0","id":1,"result":${added} "content": [], "n": ${NUMBER} }}`);
  });

  it('are dropped while the workspace uses its memory share, and pass once clients have read earlier ones', async () => {
    // The share of the workspace is 16 MiB: a result of 6 MiB and what is sent of it, and not a
    // second one.
    server.result = JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(6_291_456) }] });
    const { port } = gateway;
    const request = modernRequest(gateway.apiKey, 'tools/call', { name: 'tool', ...{ arguments: {} } });
    const slow = connect(port, '127.0.0.1');
    const head = Object.entries({
      ...request.headers,
      host: '127.0.0.1',
      'content-length': request.body.length,
    });
    slow.write(
      `POST /main/tools/mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${String(value)}\r\n`).join('')}\r\n${request.body}`,
    );
    // The response has begun, and is not read to its end.
    await once(slow, 'readable');
    const { result } = JSON.parse(await call()) as { readonly result: object };
    expect(result).toMatchObject({
      _meta: { 'gw/error': { type: 'unavailable', retry_after_ms: 1_000 } },
      content: [{ text: expect.stringContaining("workspace's share of the gateway's memory") as string }],
    });
    server.result = '{"content":[]}';
    expect(await call()).toContain('"content":[]');
    slow.destroy();
    server.result = JSON.stringify({ content: [{ type: 'text', text: 'y'.repeat(6_291_456) }] });
    await eventually(async () => (await call()).includes('yyy'));
  });

  it('do not identify the server', async () => {
    server.result = `{"resultType":"complete","content":[],"_meta":{"${SERVER_INFO}":{"name":"bank"},"a":1}}`;
    expect(JSON.parse(await call())).toMatchObject({
      result: { _meta: { [SERVER_INFO]: { name: 'by-hand', version: '2' }, a: 1 } },
    });
    // The second of two members would win in most parsers.
    server.result = `{"content":[],"_meta":{"${SERVER_INFO}":{"name":"a"},"${SERVER_INFO}":{"name":"bank"}}}`;
    expect(await call()).not.toContain('bank');
  });

  it('count as server errors when they end early or have duplicate members', async () => {
    for (const result of ['{"content":[', '{"content":[]}}', '{"isError":true,"isError":false}', '[]']) {
      server.result = result;
      const { result: shown } = JSON.parse(await call()) as { readonly result: Record<string, unknown> };
      expect(shown).toMatchObject({ isError: true, _meta: { 'gw/error': { type: 'provider_error' } } });
    }
  });

  it('are logged as failed if they report an error', async () => {
    const before = (await gateway.records()).length;
    server.result = '{"content":[],"isError": true}';
    await call();
    const records = (await gateway.records()).slice(before);
    expect(records.map(({ outcome, decision }) => [outcome, decision.mcp?.isError])).toEqual([['ok', true]]);
  });

  it('belong to arguments that reached the server byte for byte', async () => {
    server.result = '{"content":[]}';
    const args = `{ "n": ${NUMBER}, "text": "\\u00e9" }`;
    await call(args);
    expect(server.received).toContain(`"arguments":${args}`);
  });
});
