import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { McpServerDocument } from '@gw/contracts';
import { eventually, modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { startScriptedServer, type ScriptedServer } from './spec-support/scripted-server';

const QUIET_KEY = 'quietKey000000000000000000000AB1';
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
type Answer = (res: ServerResponse, id: unknown) => void;

const sends =
  (body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Answer =>
  (res) => {
    res.writeHead(200, headers).end(body);
  };
const result = (id: unknown, value: unknown = { content: [] }): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: value });
/** Whether a message is an error of the protocol, or a result that reports an error. */
const isFailure = (message: { error?: unknown; result?: { isError?: unknown } }): boolean =>
  message.error !== undefined || message.result?.isError === true;
const RESULT = { resultType: 'complete', content: [{ type: 'text', text: 'x' }] };

describe('a hostile MCP server of one workspace', () => {
  let gateway: GatewayHarness;
  let hostile: Server;
  let scripted: ScriptedServer;
  let good: McpFixture;
  let document: McpServerDocument;
  let answer: Answer = sends('');
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    gateway.addKey(QUIET_KEY, { id: QUIET_KEY, workspaceId: OTHER_WORKSPACE_ID, scopes: ['mcp.invoke'] });
    good = await startMcpFixture();
    saveServer(gateway, { ...(await serverDocument(good.url, 'good')), workspaceId: OTHER_WORKSPACE_ID });
    scripted = await startScriptedServer('modern');
    hostile = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => void respond(Buffer.concat(chunks).toString(), res));
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((hostile.address() as AddressInfo).port)}/mcp`;
    document = { ...(await serverDocument(scripted.url, 'tools')), url, timeoutMs: 2_000 };
    saveServer(gateway, document);
  });
  afterAll(async () => {
    hostile.closeAllConnections();
    await new Promise((resolve) => hostile.close(resolve));
    await scripted.close();
    await good.close();
    await gateway.stop();
  });

  /** Answers calls of the tool as the test says, and everything else like the scripted server. */
  async function respond(body: string, res: ServerResponse): Promise<void> {
    const { id, method } = JSON.parse(body === '' ? '{}' : body) as { id?: unknown; method?: string };
    if (method === 'tools/call') {
      answer(res, id);
      return;
    }
    const known = await fetch(scripted.url, { method: 'POST', body });
    res.writeHead(known.status, JSON_TYPE).end(await known.text());
  }
  const call = async (apiKey: string, path: string, name: string, args: object): Promise<string> => {
    const params = { name, arguments: args };
    const response = await fetch(
      `http://127.0.0.1:${String(gateway.port)}${path}`,
      modernRequest(apiKey, 'tools/call', params),
    );
    return response.text();
  };
  /** Returns the JSON-RPC message that the caller of the hostile server gets. */
  async function called(by: Answer): Promise<Parameters<typeof isFailure>[0]> {
    answer = by;
    const text = await call(gateway.apiKey, '/main/tools/mcp', 'work', {});
    return JSON.parse(text.split('data: ').at(-1) ?? '') as Parameters<typeof isFailure>[0];
  }
  /** Nothing is left of the calls, none was a fault, and the other workspace is served. */
  async function isOver(): Promise<void> {
    await eventually(() => gateway.plane.requestsInFlight.isEmpty);
    expect([...gateway.faults.counts.values()]).toEqual([0, 0]);
    expect(await call(QUIET_KEY, '/other/good/mcp', 'echo', { text: 'calm' })).toContain('calm');
  }

  it.each<[string, Answer]>([
    ...[null, true, 'x', -1, 1e300, [], {}].map((id): [string, Answer] => [
      `the id ${JSON.stringify(id)}`,
      sends(result(id)),
    ]),
    ['no body', sends('')],
    ['no JSON', sends('{"jsonrpc":')],
    ['a scalar', sends('7')],
    ['a list', sends('[]')],
    ['bytes that are no UTF-8', sends(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
    [
      'deep nesting',
      (res, id) => sends(`{"jsonrpc":"2.0","id":${String(id)},"result":${'['.repeat(50_000)}`)(res, id),
    ],
    ['no result', (res, id) => sends(JSON.stringify({ jsonrpc: '2.0', id }))(res, id)],
    ['a result that is a list', (res, id) => sends(result(id, []))(res, id)],
    ['an unknown kind of result', (res, id) => sends(result(id, { resultType: 'x' }))(res, id)],
    [
      'an error that is a text',
      (res, id) => sends(JSON.stringify({ jsonrpc: '2.0', id, error: 'no' }))(res, id),
    ],
    ['a page', sends('<html>', { 'content-type': 'text/html' })],
    ['a stream without events', sends('', EVENTS)],
    ['a stream of a response to another call', sends(`data: ${result(99)}\n\n`, EVENTS)],
    [
      'a compressed bomb',
      sends(gzipSync(Buffer.alloc(64 * 1_048_576)), { ...JSON_TYPE, 'content-encoding': 'gzip' }),
    ],
    ['a redirect', (res) => void res.writeHead(307, { location: 'http://169.254.169.254/' }).end()],
    ['a closed connection', (res) => void res.destroy()],
    ['headers of 32 KiB', sends('{}', { ...JSON_TYPE, 'x-large': 'x'.repeat(32_768) })],
    ['an event of 9 MiB without an end', sends(`data: ${'x'.repeat(9 * 1_048_576)}`, EVENTS)],
  ])('fails its own call with %s', async (_what, by) => {
    expect(isFailure(await called(by))).toBe(true);
    await isOver();
  });

  it.each<[string, unknown]>([
    ['content that is no list', { ...RESULT, content: 7 }],
    ['content of nulls', { ...RESULT, content: [null, 1, 'x', []] }],
    ['texts that are no texts', { ...RESULT, content: [{ type: 'text', text: {} }, { type: {} }] }],
    ['members of the prototype', JSON.parse('{"resultType":"complete","content":[],"__proto__":{"a":1}}')],
    ['structured content that is a list', { ...RESULT, structuredContent: [[[]]] }],
    ['a task that was not requested', { ...RESULT, task: { taskId: 7 } }],
    ['a request for input without requests', { resultType: 'input_required', inputRequests: 7 }],
  ])('ends its own call with %s', async (_what, value) => {
    expect(await called((res, id) => sends(result(id, value))(res, id))).toHaveProperty('jsonrpc', '2.0');
    await isOver();
  });

  it.each([
    ['JSON', (id: unknown) => result(id, RESULT), JSON_TYPE],
    ['events', (id: unknown) => `event: message\ndata: ${result(id, RESULT)}\n\n`, EVENTS],
  ] as const)('ends each call whose %s closes early', async (_what, textOf, headers) => {
    const whole = textOf(1);
    for (let length = 0; length < whole.length; length += 7) {
      const message = await called((res, id) => {
        res.writeHead(200, headers);
        res.write(textOf(id).slice(0, length), () => res.destroy());
      });
      expect(message).toHaveProperty('jsonrpc', '2.0');
    }
    await isOver();
  });

  it('has its endless stream cut after the time of the call, and late messages dropped', async () => {
    let wasCut = false;
    const endless: Answer = (res) => {
      res.writeHead(200, EVENTS);
      const timer = setInterval(() => res.write(': alive\n\n'), 5);
      res.on('close', () => {
        clearInterval(timer);
        wasCut = true;
      });
    };
    expect(isFailure(await called(endless))).toBe(true);
    await eventually(() => wasCut);
    saveServer(gateway, { ...document, timeoutMs: 60_000 });
    const twice: Answer = (res, id) => {
      res.writeHead(200, EVENTS);
      const event = `data: ${result(id, RESULT)}\n\n`;
      res.end(event + event + `data: ${result(id, 7)}\n\ndata: nothing\n\n`);
    };
    expect(await called(twice)).toMatchObject({ result: { content: [{ text: 'x' }] } });
    await isOver();
  });
});
