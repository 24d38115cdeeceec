import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { AgentServerDocument, LogRecord } from '@gw/contracts';
import { readSealedFile } from '@gw/journal';
import { eventually } from '@gw/testing';
import { recordOfLine } from '../in-flight/begun-record';
import { GatewayHarness } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { message, StubAgent, task, type StubCall } from './spec-support/stub-agent';

const CENT = 1_000_000;
const OTHER_KEY = 'otherKey000000000000000000000AB1';

describe('responses and streams of agents', () => {
  let gateway: GatewayHarness;
  let agent: StubAgent;
  let document: AgentServerDocument;
  /** Connections of clients that have closed. */
  let closed = 0;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ STREAM_KEEP_ALIVE: '100' });
    for (const key of [gateway.apiKey, OTHER_KEY])
      gateway.addKey(key, { id: key, scopes: ['agents.invoke'] });
    gateway.server.on('connection', (socket: Socket) => {
      socket.once('close', () => (closed += 1));
    });
    agent = await StubAgent.start();
    document = agentDocument(agent, 'stub', { prices: { perMessage: CENT, perTask: CENT } });
    saveAgent(gateway, document);
  });
  afterAll(async () => {
    await agent.close();
    await gateway.stop();
  });

  const post = (method: string, params: object, more: RequestInit & { readonly apiKey?: string } = {}) => {
    const { apiKey = gateway.apiKey, ...init } = more;
    return fetch(`${gateway.baseUrl}/agent/stub`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': apiKey },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
      ...init,
    });
  };
  const params = (more: object = {}) => ({
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...more },
  });
  const streamed = (text: string): unknown[] =>
    text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as unknown] : []));
  /** Holds the response to the next stream until the spec sends its events. */
  const held = (): Promise<{ readonly send: (result: unknown) => void; readonly res: ServerResponse }> =>
    new Promise((resolve) => {
      agent.respond = (call: StubCall, res) => resolve({ send: StubAgent.stream(call, res), res });
    });

  it('are relayed event by event without delay, with comments in between, and end with the last state', async () => {
    const opened = held();
    const response = post('SendStreamingMessage', params());
    const { send } = await opened;
    send({ task: task('t-1', 'TASK_STATE_WORKING') });
    const reader = (await response).body?.getReader();
    if (reader === undefined) throw new Error('The response has no body.');
    let text = '';
    const until = async (part: string): Promise<void> => {
      while (!text.includes(part)) text += Buffer.from((await reader.read()).value ?? []).toString('utf8');
    };
    await until('TASK_STATE_WORKING');
    await until(': keep-alive');
    send({
      statusUpdate: { taskId: 't-1', contextId: 'context-of-t-1', status: { state: 'TASK_STATE_COMPLETED' } },
    });
    await until('TASK_STATE_COMPLETED');
    expect((await reader.read()).done).toBe(true);
    expect(streamed(text)).toMatchObject([
      { jsonrpc: '2.0', id: 7, result: { task: { id: 't-1' } } },
      { jsonrpc: '2.0', id: 7, result: { statusUpdate: { taskId: 't-1' } } },
    ]);
  });

  it('are read from the agent only as fast as the client reads them', async () => {
    const opened = held();
    const [body, { port }] = [
      JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendStreamingMessage', params: params() }),
      gateway,
    ];
    const slow = connect(port, '127.0.0.1');
    slow.write(
      `POST /v1/agent/stub HTTP/1.1\r\nhost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\na2a-version: 1.0\r\n` +
        `content-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
    );
    const { send, res } = await opened;
    const artifact = { artifactId: 'a', parts: [{ text: 'x'.repeat(1_048_576) }] };
    send({ task: task('t-slow', 'TASK_STATE_WORKING') });
    const events = 100;
    for (let at = 0; at < events; at += 1)
      send({ artifactUpdate: { taskId: 't-slow', contextId: 'context-of-t-slow', artifact } });
    await once(slow, 'readable');
    agent.respond = (call, other) => StubAgent.result(call, other, { message: message('hello') });
    for (let at = 0; at < 50; at += 1) await (await post('SendMessage', params())).text();
    // Nearly all of it still waits at the agent; the connections on the way hold some.
    expect(res.writableLength).toBeGreaterThan((events / 2) * 1_048_576);
    let received = 0;
    slow.on('data', (chunk: Buffer) => (received += chunk.length));
    await eventually(() => received > events * 1_048_576);
    res.end();
    await eventually(async () =>
      (await gateway.records()).some(({ decision }) => decision.agent?.taskId === 't-slow'),
    );
    await gateway.takeRecords();
    slow.destroy();
  });

  it('continue at the agent after the client disconnects, and are charged and logged as they end', async () => {
    await gateway.takeRecords();
    const opened = held();
    const abort = new AbortController();
    const response = post('SendStreamingMessage', params(), { signal: abort.signal });
    const { send, res } = await opened;
    send({ task: task('t-2', 'TASK_STATE_WORKING') });
    await response;
    const before = closed;
    abort.abort();
    await eventually(() => closed > before);
    expect(res.destroyed).toBe(false);
    const artifact = { artifactId: 'a', parts: [{ text: 'b' }] };
    const update = { taskId: 't-2', contextId: 'context-of-t-2', artifact };
    send({ artifactUpdate: update });
    // A further piece of the same artifact.
    send({ artifactUpdate: { ...update, append: true } });
    send({
      statusUpdate: { taskId: 't-2', contextId: 'context-of-t-2', status: { state: 'TASK_STATE_COMPLETED' } },
    });
    res.end();
    await eventually(async () => (await gateway.records()).length > 0);
    expect((await gateway.records())[0]).toMatchObject({
      ...{ outcome: 'client_closed', cost: 2 * CENT },
      decision: { agent: { taskId: 't-2', state: 'TASK_STATE_COMPLETED', artifacts: 1 } },
    });
    expect(agent.calls.map(({ method }) => method)).not.toContain('CancelTask');
  });

  it('never show a caller the task of another caller, even if the agent reuses its id', async () => {
    agent.respond = (call, res) => StubAgent.result(call, res, { task: task('same', 'TASK_STATE_WORKING') });
    expect(await (await post('SendMessage', params())).json()).toHaveProperty('result.task.id', 'same');
    const foreign = await post('SendMessage', params(), { apiKey: OTHER_KEY });
    expect(await foreign.json()).toMatchObject({ error: { code: -32_006 } });
    agent.respond = (call, res) => {
      const send = StubAgent.stream(call, res);
      send({ message: { ...message('yours'), contextId: 'context-of-same' } });
      res.end();
    };
    const stream = await post('SendStreamingMessage', params(), { apiKey: OTHER_KEY });
    const text = await stream.text();
    expect(text).toContain('-32006');
    expect(text).not.toContain('yours');
  });

  it.each<[string, (call: StubCall, res: ServerResponse) => void]>([
    [
      'of another id',
      ({ id }, res) => StubAgent.result({ id: `${String(id)}1` } as StubCall, res, { message: message('a') }),
    ],
    ['without a member', (call, res) => StubAgent.result(call, res, { nothing: true })],
    [
      'with two members',
      (call, res) => StubAgent.result(call, res, { message: message('a'), task: task('a', 'b') }),
    ],
    ['of an id that is no text', (call, res) => StubAgent.result(call, res, { task: { id: 5 } })],
    [
      'that is no JSON',
      (_call, res) => {
        res.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
      },
    ],
    [
      'of another type',
      (_call, res) => {
        res.writeHead(200, { 'content-type': 'text/html' }).end('{}');
      },
    ],
  ])('are refused when they are %s', async (_what, respond) => {
    agent.respond = respond;
    const response = await post('SendMessage', params());
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { id: 7, error: { code: -32_006 } },
    ]);
  });

  it('contain A2A errors of the agent, and no details of other failures', async () => {
    const failing = async (status: number, body: string, headers = {}): Promise<string> => {
      agent.respond = (_call, res) => {
        res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      };
      return (await post('SendMessage', params())).text();
    };
    const own = {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_005, message: 'No audio.', data: { secret: 'inner' } },
    };
    expect(JSON.parse(await failing(400, JSON.stringify(own)))).toEqual({
      ...{ jsonrpc: '2.0', id: 7 },
      error: {
        ...{ code: -32_005, message: 'No audio.' },
        data: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            ...{ reason: 'CONTENT_TYPE_NOT_SUPPORTED', domain: 'a2a-protocol.org' },
          },
        ],
      },
    });
    for (const text of [
      await failing(401, '{"secret":"inner"}', { 'www-authenticate': 'Bearer realm="inner"' }),
      await failing(500, 'inner'),
      await failing(302, 'inner', { location: 'https://inner.example.com/' }),
    ]) {
      expect(JSON.parse(text)).toMatchObject({ id: 7, error: { code: -32_603 } });
      expect(text).not.toContain('inner');
    }
  });

  it('cost nothing without a response', async () => {
    await gateway.takeRecords();
    agent.respond = (_call, res) => {
      res.destroy();
    };
    await post('SendMessage', params());
    expect(
      (await gateway.records()).map(({ outcome, cost, errorType }) => [outcome, cost, errorType]),
    ).toEqual([['failed', null, 'provider_unreachable']]);
  });

  it('end the stream of the client with an error when they break off', async () => {
    agent.respond = (call, res) => {
      StubAgent.stream(call, res)({ task: task('t-3', 'TASK_STATE_WORKING') });
      setImmediate(() => res.destroy());
    };
    const text = await (await post('SendStreamingMessage', params())).text();
    expect(streamed(text)).toMatchObject([
      { result: { task: { id: 't-3' } } },
      { id: 7, error: { code: -32_603 } },
    ]);
    agent.respond = (call, res) => {
      const send = StubAgent.stream(call, res);
      send({ task: task('t-4', 'TASK_STATE_WORKING') });
      res.write('data: {"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"No more."}}\n\n');
      res.end();
    };
    const ended = await (await post('SendStreamingMessage', params())).text();
    expect(streamed(ended)[1]).toMatchObject({ error: { code: -32_004, message: 'No more.' } });
  });

  it('are on disk with their price while the agent handles the message, in case the gateway crashes', async () => {
    let records: readonly (LogRecord | null)[] = [];
    agent.respond = (call, res) => {
      const { directory, sealer } = gateway.home;
      records = readdirSync(directory)
        .filter((name) => name.startsWith('in-flight-'))
        .flatMap((name) => (readSealedFile(join(directory, name), sealer) ?? []).join('').split('\n'))
        .map(recordOfLine);
      StubAgent.result(call, res, { message: message('done') });
    };
    await post('SendMessage', params());
    expect(records).toContainEqual(
      expect.objectContaining({ route: 'a2a.message.send', outcome: 'interrupted', cost: 2 * CENT }),
    );
  });

  it('end when the key of their caller is revoked', async () => {
    const apiKey = 'goneKey00000000000000000000000AB';
    gateway.addKey(apiKey, { scopes: ['agents.invoke'] });
    const opened = held();
    const response = post('SendStreamingMessage', params(), { apiKey });
    const { send } = await opened;
    send({ task: task('t-5', 'TASK_STATE_WORKING') });
    const text = (await response).text();
    gateway.removeKey(apiKey);
    await expect(
      text.then(
        () => 'ended',
        () => 'ended',
      ),
    ).resolves.toBe('ended');
  });

  it('a call for a revoked key is cancelled at its agent', async () => {
    const apiKey = 'goneKey00000000000000000000000AC';
    gateway.addKey(apiKey, { scopes: ['agents.invoke'] });
    let isCut = false;
    agent.respond = (_call, res) => {
      res.on('close', () => (isCut = true));
      gateway.removeKey(apiKey);
    };
    expect((await post('SendMessage', params(), { apiKey })).status).toBe(401);
    await eventually(() => isCut);
  });

  it('name the activated extensions that the client requested and the card lists', async () => {
    const extensions = [{ uri: 'https://example.com/a' }, { uri: 'https://example.com/b' }];
    const card = { ...(JSON.parse(agent.card) as object), capabilities: { streaming: true, extensions } };
    saveAgent(gateway, { ...document, card: JSON.stringify(card) });
    agent.respond = (call, res) => {
      res.setHeader('a2a-extensions', 'https://example.com/a, https://example.com/other');
      StubAgent.result(call, res, { message: message('done') });
    };
    const response = await fetch(`${gateway.baseUrl}/agent/stub`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': gateway.apiKey },
        'a2a-extensions': 'https://example.com/a, https://example.com/unknown',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendMessage', params: params() }),
    });
    expect(response.headers.get('a2a-extensions')).toBe('https://example.com/a');
    expect(agent.calls.at(-1)?.headers['a2a-extensions']).toBe('https://example.com/a');
    saveAgent(gateway, document);
  });

  it('list only the tasks of the caller, page by page, in their current state at the agent', async () => {
    const apiKey = 'listKey0000000000000000000000AB1';
    gateway.addKey(apiKey, { id: apiKey, scopes: ['agents.invoke'] });
    const states = new Map<string, string>();
    agent.respond = (call, res) => {
      const text = JSON.stringify(call.params);
      const id = /list-\d/.exec(text)?.[0] ?? '';
      if (call.method === 'SendMessage') states.set(id, 'TASK_STATE_WORKING');
      const state = states.get(id);
      if (state === undefined || state === 'BROKEN') {
        const code = state === undefined ? -32_001 : -32_603;
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, error: { code, message: 'gone' } }));
        return;
      }
      const artifacts = [{ artifactId: 'a', parts: [{ text: 'b' }] }];
      const known = { ...task(id, state, 'list-context'), artifacts };
      StubAgent.result(call, res, call.method === 'SendMessage' ? { task: known } : known);
    };
    for (let index = 1; index <= 5; index += 1)
      await post('SendMessage', params({ parts: [{ text: `list-${String(index)}` }] }), { apiKey });
    states.set('list-2', 'TASK_STATE_COMPLETED');
    states.delete('list-4');
    const list = async (query: object) =>
      ((await (await post('ListTasks', query, { apiKey })).json()) as { readonly result: ListResult }).result;
    const found: string[] = [];
    let pageToken = '';
    let pages = 0;
    do {
      const page = await list({ pageSize: 2, pageToken });
      expect(page.totalSize).toBe(5);
      found.push(...page.tasks.map(({ id }) => id));
      expect(page.tasks.every((each) => each.artifacts === undefined)).toBe(true);
      pageToken = page.nextPageToken;
      pages += 1;
    } while (pageToken !== '');
    expect([pages, found.toSorted()]).toEqual([2, ['list-1', 'list-2', 'list-3', 'list-5']]);
    expect((await list({ status: 'TASK_STATE_COMPLETED' })).tasks.map(({ id }) => id)).toEqual(['list-2']);
    expect((await list({ contextId: 'another' })).tasks).toEqual([]);
    // Each total is the number of tasks that match, also beyond the page.
    const totals = ['TASK_STATE_COMPLETED', 'TASK_STATE_WORKING', 'TASK_STATE_FAILED'].map(
      async (status) => (await list({ status, pageSize: 1 })).totalSize,
    );
    expect(await Promise.all(totals)).toEqual([1, 3, 0]);
    // A task of another page that the agent cannot show counts by its last state.
    states.set('list-1', 'BROKEN');
    const page = await list({ status: 'TASK_STATE_WORKING', pageSize: 1 });
    expect([page.tasks.length, page.totalSize]).toEqual([1, 3]);
    states.set('list-1', 'TASK_STATE_WORKING');
    // The agent has finished a task since the gateway saw it.
    const statusTimestampAfter = new Date().toISOString();
    states.set('list-1', 'TASK_STATE_COMPLETED');
    const finished = await list({ status: 'TASK_STATE_COMPLETED', statusTimestampAfter, pageSize: 1 });
    expect([finished.tasks.map(({ id }) => id), finished.nextPageToken]).toEqual([['list-1'], '']);
    expect((await list({ includeArtifacts: true, pageSize: 1 })).tasks[0]?.artifacts).toHaveLength(1);
    expect(await (await post('ListTasks', { pageToken: 'bm90aGluZw' }, { apiKey })).json()).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining('pageToken') as string },
    });
  });

  interface ListResult {
    readonly tasks: readonly { readonly id: string; readonly artifacts?: readonly unknown[] }[];
    readonly nextPageToken: string;
    readonly totalSize: number;
  }
});
