import { NO_CAPABILITIES, type JsonObject } from '@gw/mcp';
import {
  closedAfterEach,
  event,
  eventsOf,
  failureOf,
  json,
  notification,
  result,
  rpcError,
  stream,
  until,
} from './spec-support/fixture';
import { modernServer } from './spec-support/modern-server';
import { UpstreamError } from './upstream-error';

const { serve, upstream } = closedAfterEach();
const TEXT = { resultType: 'complete', content: [{ type: 'text', text: 'sunny' }] };

describe('McpUpstream with a modern server', () => {
  it('determines the era once, and repeats method and name in headers', async () => {
    const server = await serve(
      modernServer({ 'tools/call': (received, res) => json(res, result(received, TEXT)) }),
    );
    const client = upstream(server.url);
    for (const city of ['Jena', 'Köln'])
      expect(await eventsOf(client.call({ name: 'wetter é', arguments: { city } }))).toEqual([
        { kind: 'result', result: TEXT, numbers: null },
      ]);
    expect(server.log()).toEqual(['server/discover', 'tools/call', 'tools/call']);
    expect(server.received[2]).toMatchObject({
      headers: { 'mcp-name': '=?base64?d2V0dGVyIMOp?=', accept: 'application/json, text/event-stream' },
      message: {
        params: {
          arguments: { city: 'Köln' },
          _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'tollgate', version: '1' } },
        },
      },
    });
    expect(server.accepted()).toBe(1);
  });

  it('describes the server from its discovery', async () => {
    const server = await serve(modernServer({}));
    const client = upstream(server.url);
    const facts = {
      ...{ era: 'modern', revision: '2026-07-28', capabilities: { tools: {} } },
      ...{ serverInfo: { name: 'modern', version: '1' }, instructions: 'Be brief.' },
    };
    expect(await client.describe()).toEqual(facts);
    expect(await client.describe()).toEqual(facts);
    expect(await upstream(server.url, { protocol: 'modern' }).describe()).toEqual(facts);
    expect(server.log()).toEqual(['server/discover', 'server/discover']);
  });

  it('yields progress of its own call and log messages while the stream runs', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (received, res) => {
          const { progressToken } = (received.message['params'] as { _meta: { progressToken: unknown } })
            ._meta;
          stream(res, [
            notification('notifications/progress', { progressToken, progress: 1, total: 2 }),
            notification('notifications/progress', { progressToken: 'other', progress: 9 }),
            notification('notifications/message', { level: 'info', data: 'half' }),
            result(received, TEXT),
          ]);
          res.end();
        },
      }),
    );
    const call = upstream(server.url).call({ name: 'w' }, { wantsProgress: true });
    expect(await eventsOf(call)).toEqual([
      { kind: 'progress', params: { progress: 1, total: 2 } },
      { kind: 'notification', method: 'notifications/message', params: { level: 'info', data: 'half' } },
      { kind: 'result', result: TEXT, numbers: null },
    ]);
  });

  it('yields no progress of a call that asked for none, whatever token the server writes', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (received, res) => {
          const progressToken = received.message['id'];
          stream(res, [
            notification('notifications/progress', { progressToken, progress: 1 }),
            result(received, TEXT),
          ]);
          res.end();
        },
      }),
    );
    expect(await eventsOf(upstream(server.url).call({ name: 'w' }))).toEqual([
      { kind: 'result', result: TEXT, numbers: null },
    ]);
  });

  it('keeps the connection of a stream that ends after its response', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (received, res) => {
          stream(res, [result(received, TEXT)]);
          setImmediate(() => res.end());
        },
      }),
    );
    const client = upstream(server.url);
    for (let count = 0; count < 3; count += 1) {
      await eventsOf(client.call({ name: 'w' }));
      await until(() => server.received.every(({ wasDropped }) => !wasDropped));
    }
    expect(server.received.filter(({ wasDropped }) => wasDropped)).toEqual([]);
  });

  it('drops the connection when the caller aborts, which cancels the call', async () => {
    const server = await serve(
      modernServer({ 'tools/call': (_, res) => stream(res, [notification('notifications/message', {})]) }),
    );
    const abort = new AbortController();
    const call = upstream(server.url).call({ name: 'w' }, { signal: abort.signal });
    expect(await call.next()).toMatchObject({ value: { kind: 'notification' } });
    abort.abort();
    expect(await failureOf(call.next())).toMatchObject({ kind: 'cancelled', mayHaveExecuted: true });
    await until(() => server.received[1]?.wasDropped === true);
    expect(server.log()).toEqual(['server/discover', 'tools/call']);
  });

  it('drops the connection when the reader leaves the loop', async () => {
    const server = await serve(
      modernServer({ 'tools/call': (_, res) => stream(res, [notification('notifications/message', {})]) }),
    );
    const client = upstream(server.url);
    for await (const each of client.call({ name: 'w' })) {
      expect(each.kind).toBe('notification');
      break;
    }
    await until(() => server.received[1]?.wasDropped === true);
    expect(client.calls).toBe(0);
  });

  it('reports an error of the tool call with its code, and sends the call once', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (received, res) => json(res, rpcError(received, -32_603, 'no', { a: 1 })),
      }),
    );
    const failure = await failureOf(eventsOf(upstream(server.url).call({ name: 'w' })));
    expect(failure).toMatchObject({
      kind: 'rpc_error',
      mayHaveExecuted: true,
      rpc: { code: -32_603, message: 'no', data: { a: 1 } },
    });
    expect(server.log()).toEqual(['server/discover', 'tools/call']);
  });

  it('refuses results of an unknown kind', async () => {
    const server = await serve(
      modernServer({ 'tools/call': (received, res) => json(res, result(received, { resultType: 'task' })) }),
    );
    expect(await failureOf(eventsOf(upstream(server.url).call({ name: 'w' })))).toMatchObject({
      kind: 'protocol',
    });
    const withTasks = upstream(server.url, { capabilities: { ...NO_CAPABILITIES, tasks: true } });
    expect(await eventsOf(withTasks.call({ name: 'w' }))).toHaveLength(1);
  });

  it('sends annotated arguments in headers', async () => {
    const server = await serve(
      modernServer({ 'tools/call': (received, res) => json(res, result(received, TEXT)) }),
    );
    const headerParameters = [{ header: 'region', path: ['place', 'region'], type: 'string' }] as const;
    const params = { name: 'w', arguments: { place: { region: 'eu' } } };
    await eventsOf(upstream(server.url).call(params, { headerParameters }));
    expect(server.received[1]?.headers).toMatchObject({ 'mcp-param-region': 'eu', 'mcp-name': 'w' });
  });

  it('sends only the headers of the call, and none that the protocol reserves', async () => {
    const server = await serve(
      modernServer({ 'tools/call': (received, res) => json(res, result(received, TEXT)) }),
    );
    let token = 1;
    const client = upstream(server.url, { headers: () => ({ Authorization: `Bearer ${String(token++)}` }) });
    await eventsOf(client.call({ name: 'w' }, { headers: { 'x-user': 'ann' } }));
    expect(Object.keys(server.received[1]?.headers ?? {}).sort()).toEqual([
      ...[
        'accept',
        'accept-encoding',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
      ],
      ...['mcp-method', 'mcp-name', 'mcp-protocol-version', 'user-agent', 'x-user'],
    ]);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
    for (const name of ['Mcp-Session-Id', 'host', 'transfer-encoding', 'mcp-param-a', 'a b', 'accept']) {
      const call = client.call({ name: 'w' }, { headers: { [name]: 'x' } });
      expect(await failureOf(eventsOf(call))).toMatchObject({ kind: 'protocol', mayHaveExecuted: false });
    }
    const call = client.call({ name: 'w' }, { headers: { 'x-user': 'a\r\nb: c' } });
    expect(await failureOf(eventsOf(call))).toMatchObject({ kind: 'protocol', mayHaveExecuted: false });
    expect(server.received).toHaveLength(2);
  });

  it('sends arguments as their caller wrote them', async () => {
    const server = await serve(
      modernServer({ 'tools/call': (received, res) => json(res, result(received, TEXT)) }),
    );
    const bytes = '{ "n": 12345678901234567890.10 }';
    const args = JSON.parse(bytes) as JsonObject;
    const options = { argumentBytes: Buffer.from(bytes) };
    await eventsOf(upstream(server.url).call({ name: 'w', arguments: args }, options));
    const received = server.received.at(-1);
    expect(received?.text).toContain(`"arguments":${bytes}`);
    expect(received?.message).toMatchObject({ params: { name: 'w', arguments: args } });
  });

  it('parses a result when it is read, and reports an invalid one', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (received, res) => {
          res.writeHead(200, { 'content-type': 'application/json' });
          res.end(
            `{"jsonrpc":"2.0","id":${String(received.message['id'])},"result":{"isError":true,"a":"\\x"}}`,
          );
        },
      }),
    );
    const end = await upstream(server.url).perform('tools/call', { name: 'w' });
    if (end.kind !== 'result') throw new Error(end.kind);
    expect([end.result.type, end.result.isError]).toEqual(['complete', true]);
    expect(() => end.result.value).toThrow(UpstreamError);
  });

  it('renews the verdict when the server no longer speaks the revision', async () => {
    let count = 0;
    const server = await serve(
      modernServer({
        'tools/call': (received, res) => {
          count += 1;
          if (count > 1) json(res, result(received, TEXT));
          else json(res, rpcError(received, -32_022, 'no', { supported: ['2026-07-28'] }), 400);
        },
      }),
    );
    expect(await eventsOf(upstream(server.url).call({ name: 'w' }))).toHaveLength(1);
    expect(server.log()).toEqual(['server/discover', 'tools/call', 'tools/call']);
  });

  it('refuses an invalid message, and a response of another media type', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (_, res) => {
          stream(res, []);
          event(res, { jsonrpc: '1.0' });
        },
        'prompts/get': (_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
        'resources/read': (_, res) => json(res, { jsonrpc: '2.0', id: 99, result: {} }),
      }),
    );
    const client = upstream(server.url);
    expect(await failureOf(eventsOf(client.call({ name: 'w' })))).toMatchObject({ kind: 'protocol' });
    expect(await failureOf(client.request('prompts/get', { name: 'p' }))).toMatchObject({ kind: 'protocol' });
    expect(await failureOf(client.request('resources/read', { uri: 'a:b' }))).toMatchObject({
      kind: 'interrupted',
    });
  });
});
