import { headerParameters, NO_CAPABILITIES, own, type JsonObject } from '@gw/mcp';
import {
  startMcpFixture,
  type McpFixture,
  type McpFixtureOptions,
  type McpFixtureRequest,
} from '@gw/testing';
import type { CallEvent, CallOptions, InputHandling } from './calls/call-event';
import { closedAfterEach, eventsOf, failureOf, until, type ShownEvent } from './spec-support/fixture';
import type { McpUpstream } from './upstream';

const { upstream } = closedAfterEach();
const fixtures: McpFixture[] = [];
afterEach(() => Promise.all(fixtures.splice(0).map((each) => each.close())));

const CAPABILITIES = { ...NO_CAPABILITIES, form: true, sampling: true, roots: true };

async function serve(options: McpFixtureOptions): Promise<McpFixture> {
  const fixture = await startMcpFixture(options);
  fixtures.push(fixture);
  return fixture;
}

/** Responds to each request for input with what a user, a model or a client would return. */
function responding(requests: string[] = []): InputHandling {
  const responses: Readonly<Record<string, JsonObject>> = {
    'elicitation/create': {
      action: 'accept',
      content: { name: 'Ada', response: 'yes', ok: true, color: 'blue' },
    },
    'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' },
    'roots/list': { roots: [{ uri: 'file:///work', name: 'work' }] },
  };
  return {
    context: { capabilities: CAPABILITIES, ownHosts: [], allowSampling: true },
    respond: ({ method }) => {
      requests.push(method);
      return Promise.resolve(responses[method] ?? null);
    },
  };
}

const textOf = (result: JsonObject): unknown =>
  (result['content'] as readonly { readonly text?: string }[] | undefined)?.[0]?.text;

const resultOf = (events: readonly ShownEvent[]): JsonObject => {
  const last = events.at(-1);
  if (last?.kind !== 'result') throw new Error(`No result: ${JSON.stringify(events)}`);
  return last.result;
};

/**
 * Returns whether a request receives notifications: a GET of a session, or a modern subscription.
 */
const isOpenStream = ({ verb, headers, isAnswered }: McpFixtureRequest): boolean =>
  isAnswered && (verb === 'GET' || headers['mcp-method'] === 'subscriptions/listen');

async function call(client: McpUpstream, name: string, args: JsonObject = {}, options: CallOptions = {}) {
  return resultOf(await eventsOf(client.call({ name, arguments: args }, options)));
}

describe.each([
  ['legacy', '2025-11-25'],
  ['modern', '2026-07-28'],
] as const)('McpUpstream with a %s server of the SDK 2', (era, revision) => {
  it('determines the era and describes the server', async () => {
    const { url } = await serve({ era });
    expect(await upstream(url).describe()).toMatchObject({
      ...{ era, revision, instructions: 'A server for tests.' },
      serverInfo: { name: 'tollgate-fixture', version: '1.0.0' },
      capabilities: { tools: { listChanged: true }, logging: {}, completions: {} },
    });
  });

  it('lists tools, prompts, resources and templates', async () => {
    const client = upstream((await serve({ era })).url);
    const { items, ttlMs, isCut, invalidCount } = await client.list('tools');
    expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'add', 'slow', 'routed']));
    expect({ ttlMs, isCut, invalidCount }).toEqual({
      ttlMs: era === 'modern' ? 60_000 : null,
      isCut: false,
      invalidCount: 0,
    });
    const { items: prompts } = await client.list('prompts');
    expect(prompts.map(({ name }) => name)).toContain('test_prompt_with_arguments');
    const { items: resources } = await client.list('resources');
    expect(resources.map(({ uri }) => uri)).toContain('test://static-text');
    const { items: templates } = await client.list('templates');
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['test://template/{id}/data']);
  });

  it('calls tools, with structured content, an error of the tool and a large result', async () => {
    const fixture = await serve({ era });
    const client = upstream(fixture.url);
    expect(textOf(await call(client, 'echo', { text: 'é 漢 🙂' }))).toBe('é 漢 🙂');
    expect(await call(client, 'add', { a: 0.5, b: 2 })).toMatchObject({ structuredContent: { sum: 2.5 } });
    expect(await call(client, 'fail')).toMatchObject({ isError: true });
    expect(textOf(await call(client, 'big', { bytes: 3_000_000 }))).toHaveLength(3_000_000);
    expect(Object.fromEntries(fixture.calls)).toEqual({ echo: 1, add: 1, fail: 1, big: 1 });
  });

  it('gets prompts, reads resources and completes arguments', async () => {
    const client = upstream((await serve({ era })).url);
    const prompt = await client.request('prompts/get', {
      name: 'test_prompt_with_arguments',
      arguments: { arg1: 'a', arg2: 'b' },
    });
    expect(JSON.stringify(prompt)).toContain("arg1='a', arg2='b'");
    const read = await client.request('resources/read', { uri: 'test://template/7/data' });
    expect(JSON.stringify(read)).toContain('Data for ID: 7');
    const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
    const argument = { name: 'arg1', value: 'par' };
    expect(await client.request('completion/complete', { ref, argument })).toMatchObject({
      completion: { values: ['paris', 'park', 'party'] },
    });
    expect(await failureOf(client.request('resources/read', { uri: 'test://none' }))).toMatchObject({
      ...{ kind: 'rpc_error', rpc: { code: -32_602 } },
    });
  });

  it('yields progress and log messages of a call in order', async () => {
    const client = upstream((await serve({ era })).url);
    const progress = await eventsOf(
      client.call({ name: 'test_tool_with_progress' }, { wantsProgress: true }),
    );
    expect(
      progress.map((event) => (event.kind === 'progress' ? event.params['progress'] : event.kind)),
    ).toEqual([0, 50, 100, 'result']);
    const logged = await eventsOf(client.call({ name: 'test_tool_with_logging' }));
    // A modern server logs only for a request that names a level.
    expect(logged.filter(({ kind }) => kind === 'notification')).toHaveLength(era === 'legacy' ? 3 : 0);
  });

  it('cancels a call at the server when the caller aborts', async () => {
    const fixture = await serve({ era });
    const abort = new AbortController();
    const options = { signal: abort.signal, wantsProgress: true };
    const running = upstream(fixture.url).call({ name: 'slow', arguments: { ms: 60_000 } }, options);
    expect(await running.next()).toMatchObject({ value: { kind: 'progress' } });
    abort.abort();
    expect(await failureOf(running.next())).toMatchObject({ kind: 'cancelled' });
    await until(() => fixture.cancelled.length === 1);
  });

  it.each([
    [
      'the caller leaves the loop',
      60_000,
      async (events: AsyncGenerator<CallEvent>) => void (await events.return(undefined)),
    ],
    [
      'the time is over',
      5_000,
      async (events: AsyncGenerator<CallEvent>) =>
        expect(await failureOf(events.next())).toMatchObject({ kind: 'timeout', mayHaveExecuted: true }),
    ],
  ])('cancels a call at the server when %s', async (_, timeoutMs, leave) => {
    const fixture = await serve({ era });
    const options = { wantsProgress: true, timeoutMs };
    const events = upstream(fixture.url).call({ name: 'slow', arguments: { ms: 60_000 } }, options);
    expect(await events.next()).toMatchObject({ value: { kind: 'progress' } });
    await leave(events);
    await until(() => fixture.cancelled.length === 1);
  });

  it('delivers to each of many concurrent calls its own progress and result', async () => {
    const fixture = await serve({ era });
    const client = upstream(fixture.url);
    const calls = Array.from({ length: 10 }, async (_, index) => {
      const args = { ms: 50 + index };
      const events = await eventsOf(client.call({ name: 'slow', arguments: args }, { wantsProgress: true }));
      const echoed = await call(client, 'echo', { text: String(index) });
      return [events.map(({ kind }) => kind).join(), textOf(echoed)];
    });
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => ['progress,result', String(index)]));
    expect(fixture.sessions()).toHaveLength(era === 'legacy' ? 1 : 0);
  });

  it('responds to requests for input: a form, sampling and roots', async () => {
    const fixture = await serve({ era });
    const client = upstream(fixture.url, { capabilities: CAPABILITIES });
    const requests: string[] = [];
    const input = responding(requests);
    const name = 'test_input_required_result_';
    expect(textOf(await call(client, `${name}elicitation`, {}, { input }))).toBe('Hello, Ada!');
    expect(textOf(await call(client, 'test_sampling', { prompt: 'Capital?' }, { input }))).toContain('Paris');
    expect(textOf(await call(client, `${name}list_roots`, {}, { input }))).toContain('file:///work');
    expect(requests).toEqual(['elicitation/create', 'sampling/createMessage', 'roots/list']);
    expect(textOf(await call(client, `${name}request_state`, {}, { input }))).toContain('state-ok');
    expect(textOf(await call(client, `${name}multi_round`, {}, { input }))).toContain('blue');
    requests.length = 0;
    await call(client, `${name}multiple_inputs`, {}, { input });
    expect(requests.sort()).toEqual(['elicitation/create', 'roots/list', 'sampling/createMessage']);
    expect(fixture.calls.get(`${name}multi_round`)).toBe(era === 'modern' ? 3 : 1);
  });

  it('receives notifications of changed lists and updated resources', async () => {
    const fixture = await serve({ era });
    const client = upstream(fixture.url);
    const uri = 'test://watched-resource';
    if (era === 'legacy') await client.request('resources/subscribe', { uri });
    const abort = new AbortController();
    const filter = { toolsListChanged: true, resourceSubscriptions: [uri] };
    const received: (readonly [method: string, uri: unknown])[] = [];
    const ended = (async () => {
      for await (const { method, params } of client.listen(filter, { signal: abort.signal }))
        received.push([method, own(params, 'uri')]);
    })();
    await until(() => fixture.requests.some(isOpenStream));
    fixture.changeTool('echo', { description: 'Sends the text elsewhere.' });
    await fixture.notifyResourceUpdated(uri);
    await fixture.notifyResourceUpdated('test://static-text');
    fixture.notifyListChanged('tools');
    await until(() => received.length >= (era === 'modern' ? 4 : 3));
    abort.abort();
    expect(await failureOf(ended)).toMatchObject({ kind: 'cancelled' });
    expect(received).toEqual([
      ...(era === 'modern' ? [['notifications/subscriptions/acknowledged', undefined]] : []),
      ['notifications/tools/list_changed', undefined],
      ['notifications/resources/updated', uri],
      ['notifications/tools/list_changed', undefined],
    ]);
    const { items } = await client.list('tools');
    expect(items.find(({ name }) => name === 'echo')).toMatchObject({
      description: 'Sends the text elsewhere.',
    });
  });
});

describe('McpUpstream with a server of the SDK 2', () => {
  it('prefers the modern era when the server speaks both', async () => {
    const fixture = await serve({ era: 'both' });
    expect(await upstream(fixture.url).describe()).toMatchObject({ era: 'modern' });
    expect(await upstream(fixture.url, { protocol: 'legacy' }).describe()).toMatchObject({ era: 'legacy' });
    expect(fixture.sessions()).toHaveLength(1);
  });

  it('sends the header parameters of a tool to a modern server, which checks them', async () => {
    const client = upstream((await serve({ era: 'modern' })).url);
    const { items } = await client.list('tools');
    const read = headerParameters(items.find(({ name }) => name === 'routed')?.['inputSchema']);
    if (!read.ok) throw new Error('The header parameters of the tool are not valid.');
    const options = { headerParameters: read.parameters };
    expect(textOf(await call(client, 'routed', { region: 'Zürich' }, options))).toBe('Zürich');
    expect(await failureOf(call(client, 'routed', { region: 'Zürich' }))).toMatchObject({
      rpc: { code: -32_020 },
    });
  });

  it('refuses a call for which the client lacks a capability, and names that capability', async () => {
    const client = upstream((await serve({ era: 'modern' })).url);
    expect(await failureOf(call(client, 'test_missing_capability'))).toMatchObject({
      kind: 'rpc_error',
      rpc: { code: -32_021, data: { requiredCapabilities: { sampling: {} } } },
    });
  });

  it('opens a new session when the server forgot the old one', async () => {
    const fixture = await serve({ era: 'legacy' });
    const client = upstream(fixture.url);
    await call(client, 'echo', { text: 'one' });
    fixture.forgetSessions();
    expect(textOf(await call(client, 'echo', { text: 'two' }))).toBe('two');
  });

  it('resumes a stream that the server closed before the result, without a second call', async () => {
    const fixture = await serve({ era: 'legacy' });
    expect(textOf(await call(upstream(fixture.url), 'test_reconnection'))).toContain('completed');
    expect(fixture.calls.get('test_reconnection')).toBe(1);
    expect(fixture.requests.at(-1)?.headers['last-event-id']).toBeDefined();
  });

  it('reports a missing token with the challenge of the server', async () => {
    const tokens = new Set(['good']);
    const { url } = await serve({ authorization: { tokens, authorizationServer: 'https://issuer.example' } });
    const failure = await failureOf(call(upstream(url), 'echo', { text: 'x' }));
    const resourceMetadata = `${url.origin}/.well-known/oauth-protected-resource/mcp`;
    expect(failure).toMatchObject({ kind: 'unauthorized', status: 401, challenge: { resourceMetadata } });
    const client = upstream(url, { headers: () => ({ authorization: 'Bearer good' }) });
    expect(textOf(await call(client, 'echo', { text: 'x' }))).toBe('x');
  });
});
