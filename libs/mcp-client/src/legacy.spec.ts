import { NO_CAPABILITIES } from '@gw/mcp';
import { EraVerdicts } from './connect/era-verdicts';
import {
  closedAfterEach,
  eventsOf,
  failureOf,
  json,
  result,
  rpcError,
  stream,
  until,
} from './spec-support/fixture';
import { sdkServer, streamableSdk } from './spec-support/sdk-servers';
import type { InputHandling } from './calls/call-event';

const { serve, upstream } = closedAfterEach();
const FORM = { ...NO_CAPABILITIES, form: true };
const echo = { name: 'echo', arguments: { text: 'hi' } };
const handling = (respond: InputHandling['respond']): InputHandling => ({
  context: { capabilities: FORM, ownHosts: [], allowSampling: false },
  respond,
});

describe.each([
  ['event streams', false],
  ['JSON', true],
])('McpUpstream with a server of the SDK 1.x that responds with %s', (_, enableJsonResponse) => {
  it('opens one session for all calls and ends it with DELETE', async () => {
    const sessions = streamableSdk(sdkServer, enableJsonResponse);
    const server = await serve(sessions.answer);
    const client = upstream(server.url);
    for (let count = 0; count < 2; count += 1)
      expect(await eventsOf(client.call(echo))).toEqual([
        { kind: 'result', result: { content: [{ type: 'text', text: 'hi' }] }, numbers: null },
      ]);
    expect(sessions.open()).toHaveLength(1);
    expect(server.log()).toEqual([
      ...['server/discover', 'initialize', 'notifications/initialized', 'tools/call', 'tools/call'],
    ]);
    const [, initialize, , call] = server.received;
    expect(initialize?.headers['mcp-protocol-version']).toBeUndefined();
    expect(call?.headers).toMatchObject({
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': sessions.open()[0],
    });
    expect(call?.headers['mcp-method']).toBeUndefined();
    await client.close();
    expect(sessions.open()).toEqual([]);
    expect(await failureOf(eventsOf(client.call(echo)))).toMatchObject({
      kind: 'closed',
      mayHaveExecuted: false,
    });
  });

  it('initialises again when the server forgot the session, and repeats the call once', async () => {
    const sessions = streamableSdk(sdkServer, enableJsonResponse);
    const server = await serve(sessions.answer);
    const client = upstream(server.url);
    await eventsOf(client.call(echo));
    sessions.restart();
    expect(await eventsOf(client.call(echo))).toHaveLength(1);
    expect(server.log().slice(4)).toEqual([
      ...['tools/call', 'initialize', 'notifications/initialized', 'tools/call'],
    ]);
  });

  it('describes the server and lists its capabilities', async () => {
    const server = await serve(streamableSdk(sdkServer, enableJsonResponse).answer);
    const client = upstream(server.url);
    expect(await client.describe()).toMatchObject({
      ...{ era: 'legacy', revision: '2025-11-25', instructions: 'Be kind.', serverInfo: { name: 'sdk' } },
    });
    const names = async (kind: 'tools' | 'prompts' | 'resources' | 'templates') =>
      (await client.list(kind)).items.map(({ name }) => name);
    expect(await names('tools')).toEqual(['echo', 'steps', 'wait', 'form', 'stray']);
    expect(await names('prompts')).toEqual(['greet']);
    expect(await names('resources')).toEqual(['readme']);
    expect(await names('templates')).toEqual([]);
  });
});

describe('McpUpstream with a legacy session', () => {
  it('shares the opening among concurrent calls', async () => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const client = upstream(server.url);
    await Promise.all([1, 2, 3, 4].map(() => eventsOf(client.call(echo))));
    expect(server.log().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('yields progress of the call', async () => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const events = await eventsOf(upstream(server.url).call({ name: 'steps' }, { wantsProgress: true }));
    expect(
      events.map((event) => (event.kind === 'progress' ? event.params['progress'] : event.kind)),
    ).toEqual([...[1, 2, 'result']]);
  });

  it('cancels the call at the server when the caller aborts', async () => {
    const aborted: string[] = [];
    const server = await serve(streamableSdk(() => sdkServer(aborted)).answer);
    const abort = new AbortController();
    const call = upstream(server.url).call({ name: 'wait' }, { signal: abort.signal });
    expect(await call.next()).toMatchObject({ value: { kind: 'notification' } });
    abort.abort();
    expect(await failureOf(call.next())).toMatchObject({ kind: 'cancelled' });
    await until(() => aborted.length === 1);
    expect(server.received.at(-1)?.message).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    });
  });

  it('responds to a request for input with the result of the callback, on the session of the call', async () => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const client = upstream(server.url, { capabilities: FORM });
    const requests: unknown[] = [];
    const input = handling((request) => {
      requests.push(request.method);
      return Promise.resolve({ action: 'accept', content: { city: 'Jena' } });
    });
    const [event] = await eventsOf(client.call({ name: 'form' }, { input }));
    expect(event).toMatchObject({
      result: { content: [{ text: '{"action":"accept","content":{"city":"Jena"}}' }] },
    });
    expect(requests).toEqual(['elicitation/create']);
  });

  it.each([
    ['without a callback', {}],
    ['when the callback refuses', { input: handling(() => Promise.resolve(null)) }],
  ])('refuses a request for input %s, and the tool continues', async (_, options) => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const client = upstream(server.url, { capabilities: FORM });
    const [event] = await eventsOf(client.call({ name: 'form' }, options));
    expect(event).toMatchObject({ kind: 'result', result: { isError: true } });
  });

  it('ends the call when the callback for input fails, because the server waits for it', async () => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const client = upstream(server.url, { capabilities: FORM });
    const input = handling(() => Promise.reject(new Error('broken')));
    expect(await failureOf(eventsOf(client.call({ name: 'form' }, { input })))).toMatchObject({
      kind: 'input_refused',
    });
    await until(() => server.log().includes('response'));
    expect(server.received.find(({ message }) => 'error' in message)?.verb).toBe('POST');
  });

  it('limits the calls that are in flight in one session', async () => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const client = upstream(server.url);
    await client.describe();
    const abort = new AbortController();
    const calls = Array.from({ length: 10 }, () =>
      eventsOf(client.call({ name: 'wait' }, { signal: abort.signal })).catch(() => null),
    );
    await until(() => client.calls === 10);
    expect(await failureOf(eventsOf(client.call(echo)))).toMatchObject({
      kind: 'busy',
      mayHaveExecuted: false,
    });
    abort.abort();
    await Promise.all(calls);
    expect(client.calls).toBe(0);
  });

  it('limits the calls that were made before the session was open', async () => {
    const server = await serve(streamableSdk(sdkServer).answer);
    const client = upstream(server.url);
    const abort = new AbortController();
    const options = { signal: abort.signal };
    const calls = Array.from({ length: 12 }, () =>
      failureOf(eventsOf(client.call({ name: 'wait' }, options))),
    );
    const refused = await Promise.race(calls);
    expect(refused).toMatchObject({ kind: 'busy', mayHaveExecuted: false });
    await until(() => server.log().filter((method) => method === 'tools/call').length === 10);
    abort.abort();
    const kinds = (await Promise.all(calls)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'busy')).toHaveLength(2);
    expect(client.calls).toBe(0);
  });

  it('determines the era again when a legacy server became modern, or a modern one legacy', async () => {
    const sessions = streamableSdk(sdkServer);
    const server = await serve(sessions.answer);
    const verdicts = new EraVerdicts();
    verdicts.keep('test', { kind: 'modern', revision: '2026-07-28' });
    expect(await eventsOf(upstream(server.url, { verdicts }).call(echo))).toHaveLength(1);
    expect(verdicts.get('test')).toEqual({ kind: 'legacy' });
    expect(server.log().slice(0, 3)).toEqual(['tools/call', 'server/discover', 'initialize']);

    const modern = await serve((received, res) =>
      received.method === 'server/discover'
        ? json(res, result(received, { resultType: 'complete', supportedVersions: ['2026-07-28'] }))
        : json(res, rpcError(received, -32_600, 'no'), 400),
    );
    expect(await upstream(modern.url, { verdicts }).describe()).toMatchObject({ era: 'modern' });
    expect(verdicts.get('test')).toEqual({ kind: 'modern', revision: '2026-07-28' });
  });

  it('refuses an unknown revision', async () => {
    const server = await serve((received, res) =>
      received.method === 'initialize'
        ? json(res, result(received, { protocolVersion: '2031-01-01', capabilities: {} }))
        : json(res, {}, 400),
    );
    expect(await failureOf(eventsOf(upstream(server.url).call(echo)))).toMatchObject({
      ...{ kind: 'unsupported', supported: ['2031-01-01'], mayHaveExecuted: false },
    });
  });

  it('refuses a session id that is not valid in a header', async () => {
    const server = await serve((received, res) =>
      received.method === 'initialize'
        ? json(res, result(received, { protocolVersion: '2025-06-18' }), 200, { 'mcp-session-id': 'a b' })
        : json(res, {}, 400),
    );
    expect(await failureOf(eventsOf(upstream(server.url).call(echo)))).toMatchObject({ kind: 'protocol' });
  });
});

describe('McpUpstream with a stream that breaks off', () => {
  const initialize = { protocolVersion: '2025-11-25', capabilities: {} };
  const done = { content: [] };

  it('resumes the stream after the last event, and never repeats the call', async () => {
    let id: unknown;
    const server = await serve((received, res) => {
      if (received.method === 'initialize') json(res, result(received, initialize));
      else if (received.method === 'notifications/initialized') res.writeHead(202).end();
      else if (received.method === 'tools/call') {
        id = received.message['id'];
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.end('id: e1\nretry: 5\ndata: \n\n');
      } else if (received.verb === 'GET') {
        const isLast = received.headers['last-event-id'] === 'e2';
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        const message = isLast ? { id, result: done } : { method: 'notifications/message', params: {} };
        res.end(`id: e2\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      } else json(res, {}, 400);
    });
    const events = await eventsOf(upstream(server.url).call(echo));
    expect(events.map(({ kind }) => kind)).toEqual(['notification', 'result']);
    expect(server.log().slice(3)).toEqual(['tools/call', 'GET', 'GET']);
    expect(server.received.at(-1)?.headers).toMatchObject({
      ...{ accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    });
  });

  it('fails after three resumptions without an event', async () => {
    const server = await serve((received, res) => {
      if (received.method === 'initialize') json(res, result(received, initialize));
      else if (received.method === 'notifications/initialized') res.writeHead(202).end();
      else if (received.method === 'server/discover') json(res, {}, 400);
      else res.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: e1\nretry: 1\ndata: \n\n');
    });
    expect(await failureOf(eventsOf(upstream(server.url).call(echo)))).toMatchObject({
      ...{ kind: 'interrupted', mayHaveExecuted: true },
    });
    expect(server.log().slice(3)).toEqual(['tools/call', 'GET', 'GET', 'GET']);
  });

  it('repeats a list, but not a tool call, after its connection broke', async () => {
    const server = await serve((received, res) => {
      if (received.method === 'initialize') json(res, result(received, initialize));
      else if (received.method === 'notifications/initialized') res.writeHead(202).end();
      else if (received.method === 'server/discover') json(res, {}, 400);
      else if (received.method === 'tools/list' && server.log().length > 5)
        json(res, result(received, { tools: [] }));
      else {
        stream(res, []);
        res.destroy();
      }
    });
    const client = upstream(server.url);
    expect(await failureOf(eventsOf(client.call(echo)))).toMatchObject({ kind: 'interrupted' });
    expect((await client.list('tools')).items).toEqual([]);
    expect(server.log().slice(3)).toEqual(['tools/call', 'tools/list', 'tools/list']);
    await failureOf(eventsOf(client.call(echo, { isRepeatable: true })));
    expect(server.log().slice(6)).toEqual(['tools/call', 'tools/call']);
  });
});
