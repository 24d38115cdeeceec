import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy } from '@gw/kernel';
import { HeldMemory, OutboundClient } from '@gw/outbound';
import { AGENT_TIMEOUTS, AgentCallError, AgentClient, type AgentCall, type AgentTarget } from './index';

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const result = (value: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result: value });
const MESSAGE = { message: { messageId: 'r', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } };

type Respond = (req: IncomingMessage, res: ServerResponse) => void;

describe('AgentClient', () => {
  const policy = createAddressPolicy({ trustedHosts: ['127.0.0.1'] });
  const outbound = new OutboundClient({
    ...{ policy, maxConnectionsPerOrigin: 16, maxPools: 16, keepAliveTimeoutMs: 10_000 },
  });
  const client = new AgentClient({ client: outbound, policy });
  const requests: IncomingMessage[] = [];
  let server: Server;
  let target: AgentTarget;
  let respond: Respond;
  beforeAll(async () => {
    server = createServer((req, res) => {
      requests.push(req);
      req.resume().on('end', () => respond(req, res));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/rpc`;
    target = { url, binding: 'JSONRPC', version: '1.0', tenant: null, poolClass: 'test' };
  });
  beforeEach(() => {
    requests.length = 0;
    respond = (_req, res) => res.writeHead(200, JSON_TYPE).end(result(MESSAGE));
  });
  afterAll(async () => {
    outbound.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const sent = (over: Partial<AgentCall> = {}): AgentCall => ({
    ...{ operation: 'sendMessage', params: { message: {} }, credential: {}, passed: {}, extensions: [] },
    ...{ signal: new AbortController().signal, timeouts: AGENT_TIMEOUTS },
    ...over,
  });
  const failed = (work: Promise<unknown>): Promise<AgentCallError> =>
    work.then(
      () => Promise.reject(new Error('The call did not fail.')),
      (error: unknown) => error as AgentCallError,
    );
  async function all(events: AsyncIterable<unknown>): Promise<readonly unknown[]> {
    const list: unknown[] = [];
    for await (const event of events) list.push(event);
    return list;
  }

  it('sends the headers of the protocol, and prefers headers of the caller to those of the integration', async () => {
    await client.call(target, {
      ...sent({ extensions: ['urn:a', 'urn:b'] }),
      ...{ credential: { Authorization: 'Bearer a', 'x-tenant': 'red' }, passed: { 'x-tenant': 'blue' } },
    });
    expect(requests[0]?.headers).toMatchObject({
      ...{ authorization: 'Bearer a', 'x-tenant': 'blue', 'a2a-version': '1.0' },
      ...{ 'a2a-extensions': 'urn:a, urn:b', 'content-type': 'application/json' },
    });
    await client.call({ ...target, version: '0.3' }, sent({ extensions: ['urn:a'] }));
    expect(requests[1]?.headers).toMatchObject({ 'x-a2a-extensions': 'urn:a' });
    expect(requests[1]?.headers).not.toHaveProperty('a2a-version');
  });

  it.each(['a2a-version', 'X-A2A-Extensions', 'Content-Length', 'host', 'transfer-encoding', 'bad name'])(
    'sends no header %s of an integration or a caller',
    async (name) => {
      for (const layer of ['credential', 'passed'] as const) {
        const error = await failed(client.call(target, sent({ [layer]: { [name]: 'x' } })));
        expect([error.kind, error.message]).toEqual(['protocol', expect.stringContaining(name)]);
      }
      expect(requests).toHaveLength(0);
    },
  );

  it('calls no address that the policy refuses, and follows no redirect', async () => {
    const url = 'http://169.254.169.254/rpc';
    expect(await failed(client.call({ ...target, url }, sent()))).toMatchObject({ kind: 'refused_address' });
    respond = (_req, res) => res.writeHead(307, { location: '/other' }).end();
    expect(await failed(client.call(target, sent()))).toMatchObject({ kind: 'redirected', status: 307 });
    expect(requests).toHaveLength(1);
  });

  it.each([
    [401, {}, '{}', { kind: 'unauthorized', status: 401 }],
    [503, { 'retry-after': '7' }, 'down', { kind: 'http_status', status: 503, retryAfterMs: 7_000 }],
    [503, { 'retry-after-ms': '1500' }, 'down', { kind: 'http_status', retryAfterMs: 1_500 }],
    [503, { 'retry-after': '999999' }, 'down', { kind: 'http_status', retryAfterMs: 3_600_000 }],
    [503, { 'retry-after': 'soon' }, 'down', { kind: 'http_status', retryAfterMs: null }],
    [
      400,
      JSON_TYPE,
      JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_001, message: 'No.' } }),
      { kind: 'agent_error', status: 400, error: { code: -32_001, message: 'No.' } },
    ],
    [200, { 'content-type': 'text/html' }, '<p>', { kind: 'protocol', status: 200 }],
    [200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'x', { kind: 'protocol' }],
    [200, JSON_TYPE, '{"jsonrpc":"2.0","id":2,"result":{}}', { kind: 'protocol' }],
    [200, JSON_TYPE, 'nope', { kind: 'protocol' }],
  ])('reads status %s with %o and %s as an error', async (status, headers, body, expected) => {
    respond = (_req, res) => res.writeHead(status, headers).end(body);
    expect(await failed(client.call(target, sent()))).toMatchObject(expected);
  });

  it('bounds a response and an event', async () => {
    const text = 'x'.repeat(16_777_300);
    respond = (_req, res) => res.writeHead(200, JSON_TYPE).end(text);
    expect(await failed(client.call(target, sent()))).toMatchObject({ kind: 'too_large' });
    respond = (_req, res) => res.writeHead(200, EVENTS).end(`data: ${text}\n\n`);
    expect(await failed(all(client.stream(target, sent())))).toMatchObject({ kind: 'too_large' });
  });

  it('counts the bytes of responses that it holds, and fails when there is no memory for more', async () => {
    let held = 0;
    const memory = {
      take: (bytes: number): boolean => {
        if (held + bytes > 300_000) return false;
        held += bytes;
        return true;
      },
      give: (bytes: number): void => void (held -= bytes),
    };
    const big = (length: number): string => result({ text: 'x'.repeat(length) });
    respond = (_req, res) => res.writeHead(200, JSON_TYPE).end(big(50_000));
    await client.call(target, sent({ memory }));
    expect(held).toBe(3 * big(50_000).length);
    held = 0;
    for (const length of [120_000, 500_000]) {
      respond = (_req, res) => res.writeHead(200, JSON_TYPE).end(big(length));
      const request = new HeldMemory(memory);
      expect(await failed(client.call(target, sent({ memory: request })))).toMatchObject({
        kind: 'no_memory',
      });
      request.end();
      expect(held).toBe(0);
    }
    const event = `data: ${big(60_000)}\n\n`;
    respond = (_req, res) => res.writeHead(200, EVENTS).end(event + event + event);
    const seen: number[] = [];
    for await (const _ of client.stream(target, sent({ memory }))) seen.push(held);
    // The client holds one event at a time, and the received bytes of the next ones.
    expect(seen).toHaveLength(3);
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(180_000);
    expect(held).toBe(0);
    respond = (_req, res) => res.writeHead(200, EVENTS).end(`data: ${big(400_000)}\n\n`);
    expect(await failed(all(client.stream(target, sent({ memory }))))).toMatchObject({ kind: 'no_memory' });
  });

  it('ends a call that takes too long, that becomes silent, or that its caller aborts', async () => {
    respond = () => undefined;
    const short = { ...AGENT_TIMEOUTS, responseMs: 30, idleMs: 30 };
    expect(await failed(client.call(target, sent({ timeouts: short })))).toMatchObject({ kind: 'timeout' });
    respond = (_req, res) => res.writeHead(200, EVENTS).write(`data: ${result(MESSAGE)}\n\n`);
    const silent = all(client.stream(target, sent({ timeouts: { ...short, responseMs: 5_000 } })));
    expect(await failed(silent)).toMatchObject({ kind: 'timeout' });
    const abort = new AbortController();
    const reason = new AgentCallError('cancelled', 'Enough.');
    respond = () => abort.abort(reason);
    expect(await failed(client.call(target, sent({ signal: abort.signal })))).toBe(reason);
    const before = requests.length;
    expect(await failed(client.call(target, sent({ signal: abort.signal })))).toMatchObject({
      kind: 'cancelled',
    });
    expect(requests).toHaveLength(before);
  });

  it('yields the events of a stream, or a single JSON object', async () => {
    respond = (_req, res) =>
      res.writeHead(200, EVENTS).end(`: beat\n\ndata: ${result(MESSAGE)}\n\ndata: ${result({ b: 1 })}\n\n`);
    expect(await all(client.stream(target, sent()))).toEqual([MESSAGE, { b: 1 }]);
    respond = (_req, res) => res.writeHead(200, JSON_TYPE).end(result(MESSAGE));
    expect(await all(client.stream(target, sent()))).toEqual([MESSAGE]);
  });

  it('fails with the error event of a stream, and when the stream breaks off', async () => {
    const error = { code: -32_603, message: 'No.' };
    const event = JSON.stringify({ jsonrpc: '2.0', id: 1, error });
    respond = (_req, res) => res.writeHead(200, EVENTS).end(`event: error\ndata: ${event}\n\n`);
    expect(await failed(all(client.stream(target, sent())))).toMatchObject({ kind: 'agent_error', error });
    respond = (_req, res) => {
      res.writeHead(200, EVENTS).write(`data: ${result(MESSAGE)}\n\n`);
      setImmediate(() => res.destroy());
    };
    expect(await failed(all(client.stream(target, sent())))).toMatchObject({ kind: 'interrupted' });
  });

  it('closes the connection when its reader stops early', async () => {
    const closed = new Promise((resolve) => {
      respond = (_req, res) => {
        res.on('close', resolve);
        res.writeHead(200, EVENTS).write(`data: ${result(MESSAGE)}\n\n`);
      };
    });
    for await (const event of client.stream(target, sent())) {
      expect(event).toEqual(MESSAGE);
      break;
    }
    await closed;
  });

  it('returns the extensions that the agent activated, unless the header is too long', async () => {
    respond = (_req, res) =>
      res.writeHead(200, { ...JSON_TYPE, 'a2a-extensions': 'urn:a' }).end(result(MESSAGE));
    expect(await client.call(target, sent())).toEqual({ result: MESSAGE, extensions: 'urn:a' });
    respond = (_req, res) =>
      res.writeHead(200, { ...JSON_TYPE, 'a2a-extensions': 'a'.repeat(8_193) }).end(result(MESSAGE));
    expect(await client.call(target, sent())).toEqual({ result: MESSAGE, extensions: null });
  });
});
