import { NO_CAPABILITIES } from '@gw/mcp';
import type { ServerResponse } from 'node:http';
import {
  closedAfterEach,
  event,
  eventsOf,
  failureOf,
  notification,
  until,
  type Answer,
} from './spec-support/fixture';
import { sdkServer, sseSdk } from './spec-support/sdk-servers';

const { serve, upstream } = closedAfterEach();
const echo = { name: 'echo', arguments: { text: 'hi' } };
const FORM = { ...NO_CAPABILITIES, form: true };
const text = (value: string) => ({
  kind: 'result',
  result: { content: [{ type: 'text', text: value }] },
  numbers: null,
});

/** Returns a server of HTTP+SSE whose tool calls the test completes. */
function byHand(endpoint: string): { readonly answer: Answer; readonly stream: () => ServerResponse } {
  let open: ServerResponse | null = null;
  return {
    stream: () => open as ServerResponse,
    answer: (received, res) => {
      if (received.verb === 'GET') {
        open = res;
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(`event: endpoint\ndata: ${endpoint}\n\n`);
      } else if (received.path !== '/messages') res.writeHead(405).end();
      else {
        res.writeHead(202).end();
        const { id } = received.message;
        const result = { protocolVersion: '2024-11-05', capabilities: {} };
        if (received.method === 'initialize') event(open as ServerResponse, { jsonrpc: '2.0', id, result });
      }
    },
  };
}

describe('McpUpstream with HTTP+SSE', () => {
  it('falls back to HTTP+SSE when the server refuses streamable HTTP', async () => {
    const server = await serve(sseSdk(sdkServer), '/sse');
    const client = upstream(server.url);
    expect(await eventsOf(client.call(echo))).toEqual([text('hi')]);
    expect(await eventsOf(client.call(echo))).toEqual([text('hi')]);
    expect((await client.list('tools')).items).toHaveLength(5);
    expect(server.log().slice(0, 6)).toEqual([
      ...['server/discover', 'initialize', 'GET', 'initialize', 'notifications/initialized', 'tools/call'],
    ]);
    await client.close();
    await until(() => server.received[2]?.wasDropped === true);
  });

  it('separates concurrent calls, and responds to requests for input', async () => {
    const server = await serve(sseSdk(sdkServer), '/sse');
    const client = upstream(server.url, { protocol: 'sse', capabilities: FORM });
    const input = {
      context: { capabilities: FORM, ownHosts: [], allowSampling: false },
      respond: () => Promise.resolve({ action: 'decline' }),
    };
    expect(await eventsOf(client.call({ name: 'form' }, { input }))).toEqual([text('{"action":"decline"}')]);
    const many = ['a', 'b', 'c'].map((each) =>
      eventsOf(client.call({ name: 'echo', arguments: { text: each } })),
    );
    expect(await Promise.all(many)).toEqual([[text('a')], [text('b')], [text('c')]]);
  });

  it('drops messages that name no call while several are in flight, so that none reaches another caller', async () => {
    const { answer, stream } = byHand('/messages');
    const server = await serve(answer, '/sse');
    const client = upstream(server.url, { protocol: 'sse' });
    const calls = ['a', 'b'].map((name) => eventsOf(client.call({ name })));
    await until(() => server.log().filter((method) => method === 'tools/call').length === 2);
    event(stream(), notification('notifications/message', { data: 'whose?' }));
    for (const id of [1, 2]) event(stream(), { jsonrpc: '2.0', id, result: { content: [] } });
    expect((await Promise.all(calls)).map((events) => events.map(({ kind }) => kind))).toEqual([
      ['result'],
      ['result'],
    ]);
  });

  it('drops messages that name no call soon after an abandoned call', async () => {
    const { answer, stream } = byHand('/messages');
    const server = await serve(answer, '/sse');
    const client = upstream(server.url, { protocol: 'sse' });
    const calls = (): number => server.log().filter((method) => method === 'tools/call').length;
    const abort = new AbortController();
    const first = failureOf(eventsOf(client.call({ name: 'a' }, { signal: abort.signal })));
    await until(() => calls() === 1);
    abort.abort();
    expect(await first).toMatchObject({ kind: 'cancelled' });
    const second = eventsOf(client.call({ name: 'b' }));
    await until(() => calls() === 2);
    event(stream(), notification('notifications/message', { data: 'of the first call' }));
    event(stream(), { jsonrpc: '2.0', id: 2, result: { content: [] } });
    expect((await second).map(({ kind }) => kind)).toEqual(['result']);
  });

  it('fails the calls in flight when the stream ends, and opens another for the next call', async () => {
    const { answer, stream } = byHand('/messages');
    const server = await serve(answer, '/sse');
    const client = upstream(server.url, { protocol: 'sse' });
    const failure = failureOf(eventsOf(client.call({ name: 'a' })));
    await until(() => server.log().includes('tools/call'));
    stream().end();
    expect(await failure).toMatchObject({ kind: 'interrupted', mayHaveExecuted: true });
    const next = eventsOf(client.call({ name: 'b' }));
    await until(() => server.log().filter((method) => method === 'tools/call').length === 2);
    event(stream(), { jsonrpc: '2.0', id: 2, result: { content: [] } });
    expect(await next).toHaveLength(1);
    expect(server.log().filter((method) => method === 'GET')).toHaveLength(2);
  });

  it.each([
    'http://127.0.0.1:1/messages',
    'https://attacker.example/',
    '//attacker.example/messages',
    'http://',
  ])('refuses the endpoint %s on another origin, which would get the credentials', async (endpoint) => {
    const server = await serve(byHand(endpoint).answer, '/sse');
    const call = upstream(server.url, { protocol: 'sse' }).call({ name: 'a' });
    expect(await failureOf(eventsOf(call))).toMatchObject({ kind: 'protocol', mayHaveExecuted: false });
    await until(() => server.received[0]?.wasDropped === true);
  });

  it('reports the first refusal if the server has neither transport', async () => {
    const server = await serve((_, res) => void res.writeHead(404).end());
    expect(await failureOf(eventsOf(upstream(server.url).call({ name: 'a' })))).toMatchObject({
      ...{ kind: 'http_status', status: 404, mayHaveExecuted: false },
    });
  });

  it('fails for a stream that names no endpoint', async () => {
    const server = await serve((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(': wait\n\n');
    });
    const client = upstream(server.url, { protocol: 'sse', timeouts: { requestMs: 50 } });
    expect(await failureOf(eventsOf(client.call({ name: 'a' })))).toMatchObject({
      ...{ kind: 'timeout', phase: 'total', mayHaveExecuted: false },
    });
    await until(() => server.received[0]?.wasDropped === true);
  });
});
