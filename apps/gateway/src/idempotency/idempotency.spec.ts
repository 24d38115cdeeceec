import { eventually, StubProvider, type RecordedRequest, type StubResponse } from '@gw/testing';
import { TestClient, type TestRequest, type TestResponse } from '../spec-support/test-client';
import {
  GatewayHarness,
  OTHER_WORKSPACE_ID,
  WORKSPACE_ID,
  type LoggedRequest,
} from '../spec-support/harness';

const PATIENT = { timeoutMs: 90_000 };
const OTHER_KEY = 'otherKey0000000000000000000000AB';
const ASK = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const SSE = { 'content-type': 'text/event-stream' };
const PIECE = { chunk: 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n' };
const DONE = { chunk: 'data: [DONE]\n\n' };

describe('Idempotency-Key', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let count = 0;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start({
      MAX_BUFFERED_BODY: '100000',
      IDEMPOTENCY_ENTRY_MAX_BYTES: '100000',
    });
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    count = 0;
    stub.respond(() => ({ body: { model: 'gpt-4o', choices: [], count: (count += 1) } }));
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const headersWith = (key: string | null, over: TestRequest['headers'] = {}) => ({
    'x-gw-provider': '@main',
    ...(key !== null && { 'idempotency-key': key }),
    ...over,
  });
  const ask = (
    key: string | null,
    body: object | Buffer = ASK,
    requested: TestRequest = {},
    path = '/chat/completions',
  ): Promise<TestResponse> =>
    asker.ask(path, body, { ...requested, headers: headersWith(key, requested.headers) });
  const isReplay = ({ headers }: TestResponse): boolean => headers.get('idempotent-replayed') === 'true';
  const errorOf = ({ text }: TestResponse): string =>
    (JSON.parse(text) as { error: { type: string } }).error.type;
  const lastRecord = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);

  it('replays the first response without a second call and at no cost', async () => {
    const first = await ask('k');
    expect(isReplay(first)).toBe(false);
    expect((await lastRecord())?.decision.idempotency).toBe('first');
    const second = await ask('k');
    expect([second.status, second.text, isReplay(second)]).toEqual([200, first.text, true]);
    expect(second.headers.get('content-type')).toBe('application/json');
    expect(second.headers.get('x-gw-request-id')).not.toBe(first.headers.get('x-gw-request-id'));
    expect(stub.requests).toHaveLength(1);
    expect(await lastRecord()).toMatchObject({
      status: 200,
      outcome: 'ok',
      cost: null,
      usage: null,
      decision: { idempotency: 'replayed', attempts: [] },
    });
  });

  it('replays a stream as a stream', async () => {
    stub.respond({ headers: SSE, steps: [PIECE, PIECE, DONE] });
    const body = { ...ASK, stream: true };
    const first = await ask('k', body);
    const second = await ask('k', body);
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
    expect(second.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(second.headers.get('content-type')).toBe('text/event-stream');
    expect(stub.requests).toHaveLength(1);
    expect(await lastRecord()).toMatchObject({ streamed: true, responseBytes: first.bytes.length });
  });

  it('replays a provider’s error as the client received it', async () => {
    stub.respondJson({ error: { message: 'no such model' } }, 404);
    const first = await ask('k');
    const second = await ask('k');
    expect([second.status, second.text, isReplay(second)]).toEqual([404, first.text, true]);
    expect(await lastRecord()).toMatchObject({ status: 404, outcome: 'provider_error' });
  });

  it.each([
    ['passthrough', '/some/endpoint', Buffer.from([1, 2, 255])],
    ['an upload', '/files', Buffer.from('--x\r\n\r\n--x--')],
    ['an upload that is too large for memory', '/files', Buffer.alloc(200_000, 'x')],
  ])('works on %s, and distinguishes bodies', async (_name, path, body) => {
    const requested = { headers: { 'content-type': 'multipart/form-data; boundary=x' } };
    const first = await ask('k', body, requested, path);
    const second = await ask('k', body, requested, path);
    expect([first.status, second.text, isReplay(second)]).toEqual([200, first.text, true]);
    expect(stub.requests).toHaveLength(1);
    const other = Buffer.from(body);
    other[1] = 7;
    const reused = await ask('k', other, requested, path);
    expect([reused.status, errorOf(reused)]).toEqual([422, 'idempotency_key_reused']);
  });

  it('makes a second request wait for the first, which is executed once', async () => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    stub.respond({
      headers: { 'content-type': 'application/json' },
      steps: [{ until }, { chunk: '{"choices":[]}' }],
    });
    const first = ask('k');
    await stub.waitForRequest(1, PATIENT.timeoutMs);
    const others = [ask('k'), ask('k')];
    release();
    const response = await Promise.all([first, ...others]);
    expect(response.map(({ status, text }) => [status, text])).toEqual(
      Array.from({ length: 3 }, () => [200, '{"choices":[]}']),
    );
    expect(response.map(isReplay)).toEqual([false, true, true]);
    expect(stub.requests).toHaveLength(1);
  });

  it('returns 409 with retry-after to a request that can wait no longer', async () => {
    stub.respond({ neverRespond: true });
    const leaving = new AbortController();
    const first = ask('k', ASK, { signal: leaving.signal });
    await stub.waitForRequest(1, PATIENT.timeoutMs);
    const second = await ask('k', ASK, { headers: { 'x-gw-request-timeout': '50' } });
    expect([second.status, errorOf(second), second.headers.get('retry-after')]).toEqual([
      409,
      'idempotency_in_flight',
      '1',
    ]);
    leaving.abort();
    await expect(first).rejects.toThrow();
  });

  const again: readonly (readonly [string, StubResponse])[] = [
    ['the provider fails', { status: 500, body: { error: { message: 'x' } } }],
    ['the provider limits the rate', { status: 429, body: { error: { message: 'x' } } }],
    ['the connection fails', { raw: '' }],
    [
      'the response breaks off',
      { headers: { 'content-length': '100' }, steps: [{ chunk: '{"a":' }, { cut: 'reset' }] },
    ],
    ['the stream ends early', { headers: SSE, steps: [PIECE] }],
  ];
  it.each(again)('allows the request again if %s', async (_name, response) => {
    stub.respond(response, { body: { choices: [], answered: true } });
    const stream = response.headers === SSE;
    await ask('k', { ...ASK, stream }).catch(() => undefined);
    const second = await ask('k', { ...ASK, stream });
    expect([second.status, isReplay(second)]).toEqual([200, false]);
    expect(second.text).toContain('answered');
    expect(stub.requests).toHaveLength(2);
  });

  it('allows the request again if the client disconnected before the end of the response', async () => {
    stub.respond({ headers: SSE, steps: [PIECE, { hang: true }] }, { body: { choices: [] } });
    const leaving = new AbortController();
    const body = { ...ASK, stream: true };
    const open = await asker.open('/chat/completions', body, {
      signal: leaving.signal,
      headers: headersWith('k'),
    });
    leaving.abort();
    await expect(open.text()).rejects.toThrow();
    await eventually(() => (stub.requests[0] as RecordedRequest).cancelled, PATIENT);
    const second = await ask('k', body);
    expect([second.status, isReplay(second)]).toEqual([200, false]);
    expect(stub.requests).toHaveLength(2);
  });

  it('allows the request again if the gateway refused it', async () => {
    gateway.addProvider('main', 'openai', stub.origin, { status: 'exhausted' });
    expect((await ask('k')).status).toBe(412);
    gateway.addProvider('main', 'openai', stub.origin);
    const second = await ask('k');
    expect([second.status, isReplay(second)]).toEqual([200, false]);
  });

  it('returns 409 if the first response was too large to be stored', async () => {
    stub.respondJson({ choices: [], pad: 'x'.repeat(100_000) });
    expect((await ask('k')).status).toBe(200);
    const second = await ask('k');
    expect([second.status, errorOf(second)]).toEqual([409, 'conflict']);
    expect(stub.requests).toHaveLength(1);
  });

  it('applies to one path of one workspace: other paths and workspaces have keys of their own', async () => {
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    gateway.addKey(OTHER_KEY, { workspaceId: OTHER_WORKSPACE_ID });
    gateway.addProvider('main', 'openai', stub.origin, { workspaceId: OTHER_WORKSPACE_ID });
    await ask('k');
    const response = [
      await ask('k', ASK, { key: OTHER_KEY }),
      await ask('k', ASK, {}, '/some/endpoint'),
      await ask('other'),
    ];
    expect(response.map((one) => [one.status, isReplay(one)])).toEqual([
      [200, false],
      [200, false],
      [200, false],
    ]);
    expect(stub.requests).toHaveLength(4);
  });

  it.each([
    ['body', { ...ASK, temperature: 0 }, {}, ''],
    ['query', ASK, {}, '?a=1'],
    ['provider', ASK, { 'x-gw-provider': 'openai' }, ''],
    ['config', ASK, { 'x-gw-config': '{"provider":"@main"}' }, ''],
    ['provider key', ASK, { authorization: 'Bearer sk-mine' }, ''],
  ])('refuses the key with another %s', async (_name, body, headers, query) => {
    await ask('k');
    const reused = await ask('k', body, { headers }, `/chat/completions${query}`);
    expect([reused.status, errorOf(reused)]).toEqual([422, 'idempotency_key_reused']);
    expect(stub.requests).toHaveLength(1);
  });

  describe('if the rules that judge the request have changed', () => {
    const NO_HI = [{ id: 'default.contains', parameters: { words: ['Hello'], operator: 'none' } }];
    const guarded = { output_guardrails: ['no-hello'], provider: '@main' };
    beforeEach(() => {
      stub.respondJson({ model: 'gpt-4o', choices: [{ message: { role: 'assistant', content: 'Hello' } }] });
      gateway.addGuardrail('no-hello', NO_HI, { deny: true });
    });

    const changes: readonly (readonly [string, () => TestRequest])[] = [
      [
        'another API key with its own guardrails',
        () => {
          gateway.addConfig('pc-guarded', guarded);
          const defaults = { metadata: {}, config: 'pc-guarded', allowConfigOverride: true };
          gateway.addKey(OTHER_KEY, { defaults });
          return { key: OTHER_KEY };
        },
      ],
      [
        'another API key with the same rights',
        () => {
          gateway.addKey(OTHER_KEY);
          return { key: OTHER_KEY };
        },
      ],
      [
        'a new default guardrail of the workspace',
        () => {
          const guardrails = { input: [], output: ['no-hello'] };
          gateway.addTenant(WORKSPACE_ID, 'main', { defaults: { metadata: {}, config: null, guardrails } });
          return {};
        },
      ],
    ];
    it.each(changes)('refuses a replay after %s, and reports the reason', async (_name, change) => {
      expect((await ask('k')).status).toBe(200);
      const requested = change();
      const second = await ask('k', ASK, requested);
      expect([second.status, errorOf(second)]).toEqual([422, 'idempotency_key_reused']);
      expect(second.text).toContain('another API key, or its config or guardrails have changed since');
      expect(second.text).not.toContain('Hello');
    });

    it('refuses a replay after a new version of the config, or of a guardrail that it names', async () => {
      const withConfig: TestRequest = { headers: { 'x-gw-config': 'pc-own' } };
      const config = { provider: '@main', input_guardrails: ['no-hello'] };
      gateway.addConfig('pc-own', config);
      const first = await ask('k', ASK, withConfig);
      gateway.addGuardrail('no-hello', NO_HI, { deny: true });
      const newGuardrail = await ask('k', ASK, withConfig);
      await ask('l', ASK, withConfig);
      gateway.addConfig('pc-own', config);
      const newConfig = await ask('l', ASK, withConfig);
      expect([first.status, newGuardrail.status, newConfig.status]).toEqual([200, 422, 422]);
    });

    it('still replays the first response after changes that affect no rule', async () => {
      await ask('k');
      gateway.addKey(gateway.apiKey, { name: 'renamed' });
      gateway.addTenant(WORKSPACE_ID, 'renamed', { logBodies: false });
      gateway.addProvider('main', 'openai', stub.origin, { name: 'renamed' });
      gateway.addGuardrail('no-hello', NO_HI, { deny: true });
      gateway.addConfig('pc-other', guarded);
      expect(isReplay(await ask('k'))).toBe(true);
      expect(stub.requests).toHaveLength(1);
    });
  });

  it('refuses a replay to callers that may not make the request', async () => {
    await ask('k');
    gateway.removeKey(gateway.apiKey);
    expect((await ask('k')).status).toBe(401);
  });

  it.each(['with space', 'x'.repeat(256)])('refuses the key %s', async (key) => {
    const response = await ask(key);
    expect([response.status, errorOf(response)]).toEqual([400, 'header_invalid']);
    expect(stub.requests).toHaveLength(0);
  });

  it('ignores the key on a request that changes nothing', async () => {
    const requested = { method: 'GET', headers: headersWith('k') };
    await asker.ask('/models', null, requested);
    expect(isReplay(await asker.ask('/models', null, requested))).toBe(false);
    expect(stub.requests).toHaveLength(2);
  });
});
