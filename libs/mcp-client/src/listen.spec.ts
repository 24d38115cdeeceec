import { NO_CAPABILITIES } from '@gw/mcp';
import type { ServerResponse } from 'node:http';
import type { InputHandling } from './calls/call-event';
import {
  closedAfterEach,
  event,
  eventsOf,
  failureOf,
  json,
  notification,
  result,
  stream,
  until,
  type Answer,
} from './spec-support/fixture';
import { modernServer } from './spec-support/modern-server';
import { sdkServer, sseSdk, streamableSdk } from './spec-support/sdk-servers';

const { serve, upstream } = closedAfterEach();
const FORM = { ...NO_CAPABILITIES, form: true };
const CHANGED = notification('notifications/tools/list_changed', {});
const toolsChanged = { kind: 'notification', method: 'notifications/tools/list_changed', params: {} };
const input: InputHandling = {
  context: { capabilities: FORM, ownHosts: [], allowSampling: false },
  respond: () => Promise.resolve({ action: 'decline' }),
};

/** Returns a legacy server whose GET streams the test writes. */
function legacy(get: (res: ServerResponse, count: number) => void): Answer {
  let count = 0;
  return (received, res) => {
    if (received.verb === 'GET') get(res, (count += 1));
    else if (received.method === 'initialize')
      json(res, result(received, { protocolVersion: '2025-06-18', capabilities: {} }), 200, {
        'mcp-session-id': 'session',
      });
    else if (received.method === 'tools/call') json(res, result(received, { content: [] }));
    else res.writeHead(received.method === 'server/discover' ? 400 : 202).end();
  };
}

describe('McpUpstream.listen', () => {
  it('subscribes at a modern server and ends with its result', async () => {
    const server = await serve(
      modernServer({
        'subscriptions/listen': (received, res) => {
          stream(res, [CHANGED, result(received, { resultType: 'complete' })]);
          res.end();
        },
      }),
    );
    const listening = upstream(server.url).listen({ toolsListChanged: true });
    expect(await eventsOf(listening)).toEqual([toolsChanged]);
    expect(server.received[1]?.message).toMatchObject({
      params: { notifications: { toolsListChanged: true } },
    });
  });

  it('reads the GET stream of a legacy session, and resumes it after its last event', async () => {
    const server = await serve(
      legacy((res, count) => {
        stream(res, []);
        res.write('retry: 1\n\n');
        event(res, CHANGED, `e${String(count)}`);
        if (count === 1) res.end();
      }),
    );
    const abort = new AbortController();
    const listening = upstream(server.url, { protocol: 'legacy' }).listen({}, { signal: abort.signal });
    for (const _ of [1, 2]) expect(await listening.next()).toEqual({ done: false, value: toolsChanged });
    expect(server.received.filter(({ verb }) => verb === 'GET').map(({ headers }) => headers)).toMatchObject([
      { 'mcp-session-id': 'session', 'mcp-protocol-version': '2025-06-18' },
      { 'last-event-id': 'e1' },
    ]);
    abort.abort();
    expect(await failureOf(listening.next())).toMatchObject({ kind: 'cancelled' });
  });

  it('fails when the server offers no stream, while calls still work', async () => {
    const server = await serve(legacy((res) => void res.writeHead(405).end()));
    const client = upstream(server.url, { protocol: 'legacy' });
    for (const _ of [1, 2])
      expect(await failureOf(client.listen({}).next())).toMatchObject({ kind: 'http_status', status: 405 });
    expect(await eventsOf(client.call({ name: 'a' }, { input }))).toHaveLength(1);
    expect(server.log().filter((method) => method === 'GET')).toHaveLength(1);
  });

  it('opens the stream again for the next reader after the server has refused the credential', async () => {
    const server = await serve(
      legacy((res, count) => {
        if (count === 1) res.writeHead(401).end();
        else stream(res, [CHANGED]);
      }),
    );
    const client = upstream(server.url, { protocol: 'legacy' });
    expect(await failureOf(eventsOf(client.listen({})))).toMatchObject({ kind: 'unauthorized', status: 401 });
    const abort = new AbortController();
    const listening = client.listen({}, { signal: abort.signal });
    expect(await listening.next()).toEqual({ done: false, value: toolsChanged });
    abort.abort();
    await listening.return(undefined).catch(() => undefined);
    expect(server.log().filter((each) => each === 'initialize')).toHaveLength(1);
  });

  it('opens a new session when the stream shows that the server forgot the old one', async () => {
    const server = await serve(
      legacy((res, count) => {
        if (count === 2) {
          res.writeHead(404).end();
          return;
        }
        stream(res, []);
        res.write('retry: 1\n\n');
        event(res, CHANGED);
        if (count === 1) res.end();
      }),
    );
    const client = upstream(server.url, { protocol: 'legacy' });
    const listening = client.listen({});
    expect(await listening.next()).toMatchObject({ value: toolsChanged });
    expect(await failureOf(listening.next())).toMatchObject({ status: 404 });
    const again = client.listen({});
    expect(await again.next()).toMatchObject({ value: toolsChanged });
    expect(server.log().filter((method) => method === 'initialize')).toHaveLength(2);
    await again.return();
  });

  it('reads the stream of HTTP+SSE', async () => {
    const made: ReturnType<typeof sdkServer>[] = [];
    const make = () => {
      const one = sdkServer();
      made.push(one);
      return one;
    };
    const server = await serve(sseSdk(make), '/sse');
    const client = upstream(server.url, { protocol: 'sse' });
    await client.describe();
    const next = client.listen({}).next();
    made[0]?.sendToolListChanged();
    expect(await next).toMatchObject({ value: { method: 'notifications/tools/list_changed' } });
  });

  it('limits the readers of one session', async () => {
    const server = await serve(legacy((res) => stream(res, [])));
    const client = upstream(server.url, { protocol: 'legacy' });
    const abort = new AbortController();
    const all = Array.from({ length: 21 }, () =>
      failureOf(client.listen({}, { signal: abort.signal }).next()),
    );
    expect(await Promise.race(all)).toMatchObject({ kind: 'busy', mayHaveExecuted: false });
    abort.abort();
    const kinds = (await Promise.all(all)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'cancelled')).toHaveLength(20);
  });
});

describe('requests of a server outside of calls', () => {
  it('are handled by the only call in flight', async () => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const client = upstream(server.url, { capabilities: FORM });
    const events = await eventsOf(client.call({ name: 'stray' }, { input }));
    expect(events).toMatchObject([{ result: { content: [{ text: '{"action":"decline"}' }] } }]);
  });

  it('are refused while several calls are in flight, so that no question reaches another user', async () => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const client = upstream(server.url, { capabilities: FORM });
    const respond = jest.fn();
    const abort = new AbortController();
    const other = client.call({ name: 'wait' }, { input: { ...input, respond }, signal: abort.signal });
    await other.next();
    const events = await eventsOf(client.call({ name: 'stray' }, { input: { ...input, respond } }));
    expect(events).toMatchObject([{ kind: 'result', result: { isError: true } }]);
    expect(respond).not.toHaveBeenCalled();
    abort.abort();
    await failureOf(other.next());
  });

  it('are refused soon after an abandoned call, because they may be meant for its user', async () => {
    const question = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: {} };
    let streamed: ServerResponse | null = null;
    let finish = (): void => undefined;
    const server = await serve((received, res) => {
      if (received.verb === 'GET') stream((streamed = res), []);
      else if (received.method === 'initialize')
        json(res, result(received, { protocolVersion: '2025-06-18', capabilities: {} }), 200, {
          'mcp-session-id': 'session',
        });
      else if (received.method === 'tools/call') finish = () => json(res, result(received, { content: [] }));
      else res.writeHead(202).end();
    });
    const client = upstream(server.url, { capabilities: FORM, protocol: 'legacy' });
    const respond = jest.fn();
    const calls = (): number => server.log().filter((method) => method === 'tools/call').length;
    const abort = new AbortController();
    const first = failureOf(eventsOf(client.call({ name: 'a' }, { input, signal: abort.signal })));
    await until(() => calls() === 1);
    abort.abort();
    expect(await first).toMatchObject({ kind: 'cancelled' });
    const second = eventsOf(client.call({ name: 'b' }, { input: { ...input, respond } }));
    await until(() => calls() === 2);
    event(streamed as unknown as ServerResponse, question);
    await until(() => server.log().includes('response'));
    finish();
    expect(await second).toHaveLength(1);
    expect(server.received.find(({ message }) => message['id'] === 'q')?.message).toMatchObject({
      error: { code: -32_600 },
    });
    expect(respond).not.toHaveBeenCalled();
  });

  it('get an immediate response if they are a ping, also without a call', async () => {
    const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' };
    const server = await serve(legacy((res) => stream(res, [ping])));
    const client = upstream(server.url, { protocol: 'legacy' });
    const abort = new AbortController();
    const listening = client.listen({}, { signal: abort.signal }).next();
    await until(() => server.log().includes('response'));
    expect(server.received.at(-1)?.message).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    abort.abort();
    await failureOf(listening);
  });
});
