import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { Coalescer } from '@gw/cache';
import { TestClient, type TestRequest, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const PATIENT = { timeoutMs: 90_000 };

const WORD = 'forbidden';
const chat = (content: string): object => ({
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
const events = (content: string): StubResponse => ({
  headers: { 'content-type': 'text/event-stream' },
  body: `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\ndata: [DONE]\n\n`,
});
const ASK = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const KINDS = {
  'an answer': { body: ASK, said: (text: string): StubResponse => ({ body: chat(text) }) },
  'a stream': { body: { ...ASK, stream: true }, said: events },
};

describe('cache with guardrails, retries, fallbacks and hedges', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let other: StubProvider;
  const asker = new TestClient(() => gateway);
  const cache = { mode: 'simple' };
  const simple = { provider: '@main', cache };

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, other] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('other', 'openai', other.origin);
    forbid('nothing of it');
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), other.stop()]);
    jest.restoreAllMocks();
  });

  /**
   * Stores a new version of the guardrail that the saved config names. The version of the config
   * does not change.
   */
  const forbid = (
    word: string,
    actions: Record<string, unknown> = { deny: true },
    extra: object[] = [],
  ): void =>
    gateway.addGuardrail(
      'words',
      [{ id: 'default.contains', parameters: { words: [word], operator: 'none' } }, ...extra] as never,
      actions,
    );
  const guarded = { output_guardrails: ['words'] };
  const ask = (body: object, config: object | string, requested: TestRequest = {}): Promise<TestResponse> =>
    asker.ask('/chat/completions', body, { config, ...requested });
  const last = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);
  const verdict = ({ text, status }: TestResponse): string | number =>
    text.includes('hooks_failed') ? 'denied' : text.includes('"verdict":false') ? 'marked' : status;

  describe.each(Object.entries(KINDS))('%s', (_, { body, said }) => {
    it('applies the current guardrails to a stored response', async () => {
      stub.respond(said(WORD));
      gateway.addConfig('saved', { ...simple, ...guarded });
      const reply = [await ask(body, 'saved')];
      reply.push(await ask(body, 'saved'));
      forbid(WORD);
      reply.push(await ask(body, 'saved'));
      const denied = await last();
      forbid(WORD, {});
      reply.push(await ask(body, 'saved'));
      expect(reply.map((one) => [one.cache, verdict(one)])).toEqual([
        ['MISS', 200],
        ['HIT', 200],
        ['HIT', 'denied'],
        ['HIT', 'marked'],
      ]);
      expect(stub.requests).toHaveLength(1);
      expect(denied).toMatchObject({ outcome: 'denied', cacheStatus: 'HIT' });
      expect(denied?.cost ?? 0).toBe(0);
    });

    it.each([
      ['at once', []],
      ['after a remote check', ['webhook']],
    ])('does not store a response that guardrails deny %s', async (_name, asking) => {
      const hook = await StubProvider.start();
      hook.respondJson({ verdict: true });
      const webhook = { id: 'default.webhook', parameters: { webhookURL: `${hook.origin}/` } };
      stub.respond(said(WORD));
      gateway.addConfig('saved', { ...simple, ...guarded });
      forbid(WORD, { deny: true }, asking.length > 0 ? [webhook] : []);
      const reply = [await ask(body, 'saved'), await ask(body, 'saved')];
      forbid('nothing of it');
      reply.push(await ask(body, 'saved'), await ask(body, 'saved'));
      await hook.stop();
      expect(reply.map((one) => [one.cache, verdict(one)])).toEqual([
        ['MISS', 'denied'],
        ['MISS', 'denied'],
        ['MISS', 200],
        ['HIT', 200],
      ]);
      expect(stub.requests).toHaveLength(3);
    });

    it('stores the response of the fallback target, and not the one that the fallback skipped', async () => {
      stub.respond(said(WORD));
      other.respond(said('fine'));
      const config = {
        strategy: { mode: 'fallback', on_status_codes: [200] },
        cache,
        targets: [{ provider: '@main' }, { provider: '@other' }],
      };
      const reply = [await ask(body, config), await ask(body, config)];
      expect(reply.map(({ cache: status, text }) => [status, text.includes('fine')])).toEqual([
        ['MISS', true],
        ['HIT', true],
      ]);
      expect([stub.requests.length, other.requests.length]).toEqual([2, 1]);
    });
  });

  it('charges nothing for a stored response whose client disconnects while a guardrail judges it', async () => {
    const hook = await StubProvider.start();
    stub.respond({ body: chat('fine') });
    gateway.addConfig('saved', { ...simple, ...guarded });
    expect((await ask(ASK, 'saved')).cache).toBe('MISS');
    forbid(WORD, { deny: true }, [{ id: 'default.webhook', parameters: { webhookURL: `${hook.origin}/` } }]);
    hook.respond({ neverRespond: true });
    const leaving = new AbortController();
    const left = expect(ask(ASK, 'saved', { signal: leaving.signal })).rejects.toThrow();
    await hook.waitForRequest(1, PATIENT.timeoutMs);
    leaving.abort();
    await left;
    await eventually(async () => (await gateway.records()).length === 2, PATIENT);
    await hook.stop();
    expect(stub.requests).toHaveLength(1);
    expect(await last()).toMatchObject({ outcome: 'client_closed', cacheStatus: 'HIT' });
    expect((await last())?.cost ?? 0).toBe(0);
  });

  it('retries a stored response that guardrails now mark or deny, at the provider', async () => {
    stub.respond({ body: chat(WORD) }, { body: chat('fine') });
    gateway.addConfig('repeating', {
      ...simple,
      ...guarded,
      retry: { attempts: 1, on_status_codes: [246, 446] },
    });
    expect((await ask(ASK, 'repeating')).cache).toBe('MISS');
    forbid(WORD);
    const anew = await ask(ASK, 'repeating');
    expect([anew.cache, verdict(anew), anew.text.includes('fine')]).toEqual(['REFRESH', 200, true]);
    expect((await last())?.decision.attempts.map(({ end, status }) => [end, status])).toEqual([
      ['denied', null],
      ['answered', 200],
    ]);
    const stored = await ask(ASK, 'repeating');
    expect([stored.cache, stored.text.includes('fine')]).toEqual(['HIT', true]);
    expect(stub.requests).toHaveLength(2);

    other.respond({ body: chat('fine') });
    stub.respond({ body: chat(WORD) });
    gateway.addConfig('moving', {
      strategy: { mode: 'fallback', on_status_codes: [246] },
      ...guarded,
      cache,
      targets: [{ provider: '@main' }, { provider: '@other' }],
    });
    forbid('nothing of it');
    expect((await ask(ASK, 'moving')).cache).toBe('MISS');
    forbid(WORD, {});
    const moved = await ask(ASK, 'moving');
    expect([moved.cache, verdict(moved)]).toEqual(['MISS', 200]);
    expect((await last())?.targetPath).toBe('config.targets[1]');
  });

  it('stores the response of a retry, and not the one that was retried', async () => {
    stub.respond({ status: 503, body: { choices: [] } }, { body: chat('fine') });
    jest.spyOn(Math, 'random').mockReturnValue(0.9999);
    const config = { ...simple, retry: { attempts: 1 } };
    const reply = [await ask(ASK, config), await ask(ASK, config)];
    expect(
      reply.map(({ cache: status, headers }) => [status, headers.get('x-gw-retry-attempt-count')]),
    ).toEqual([
      ['MISS', '1'],
      ['HIT', '0'],
    ]);
    expect(stub.requests).toHaveLength(2);
  });

  it('stores the response that won a hedge, and never the one that lost', async () => {
    let release = (): void => undefined;
    const after = new Promise<void>((done) => (release = done));
    stub.respond({ after, body: chat('late') }, { neverRespond: true });
    other.respond({ body: chat('fine') });
    const config = {
      strategy: { mode: 'hedge', hedge_delay: 1, hedge_percentage: 100 },
      cache,
      targets: [{ provider: '@main' }, { provider: '@other' }],
    };
    expect((await ask(ASK, config)).text).toContain('fine');
    await eventually(() => stub.lastRequest.cancelled, PATIENT);
    release();
    expect(await last()).toMatchObject({ cacheStatus: 'MISS', targetPath: 'config.targets[1]' });
    // Nothing is stored for the first target, so it is called again; the second one is served from
    // the cache.
    const again = await ask(ASK, config);
    expect([again.cache, again.text.includes('fine')]).toEqual(['HIT', true]);
    expect([stub.requests.length, other.requests.length]).toEqual([2, 1]);
  });

  describe('shared calls', () => {
    let joined: jest.SpyInstance;
    let release: () => void;
    let until: Promise<void>;

    beforeEach(() => {
      joined = jest.spyOn(Coalescer.prototype, 'join');
      until = new Promise((done) => (release = done));
    });
    const haveJoined = (count: number): Promise<true> =>
      eventually(() => joined.mock.calls.length >= count, PATIENT);
    const sharing = { cache: { mode: 'simple', coalesce: true } };

    it('falls back for all requests that share a failed call', async () => {
      stub.respond({ after: until, status: 500, body: {} });
      other.respond({ body: chat('fine') });
      const config = {
        strategy: { mode: 'fallback' },
        ...sharing,
        targets: [{ provider: '@main' }, { provider: '@other' }],
      };
      const requested = Array.from({ length: 4 }, () => ask(ASK, config));
      await haveJoined(4);
      release();
      expect((await Promise.all(requested)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(stub.requests).toHaveLength(1);
      expect(other.requests.length).toBeLessThanOrEqual(4);
      expect((await ask(ASK, config)).text).toContain('fine');
    });

    it('charges nothing to a client that disconnects while another request makes the shared call', async () => {
      stub.respond({ after: until, body: chat('fine') });
      const config = { provider: '@main', ...sharing };
      const owner = ask(ASK, config);
      await haveJoined(1);
      const leaving = new AbortController();
      const left = expect(ask(ASK, config, { signal: leaving.signal })).rejects.toThrow();
      await haveJoined(2);
      leaving.abort();
      await left;
      const record = await eventually(last, PATIENT);
      expect(record).toMatchObject({ outcome: 'client_closed', cost: null, priced: 'no_usage' });
      release();
      expect((await owner).status).toBe(200);
    });

    it('charges a client that leaves a hedge for its own call, and not for the call that it shares', async () => {
      stub.respond({ after: until, body: chat('fine') });
      other.respond({ neverRespond: true });
      const config = {
        strategy: { mode: 'hedge', hedge_delay: 1, hedge_percentage: 100 },
        ...sharing,
        targets: [{ provider: '@main' }, { provider: '@other' }],
      };
      const body = { ...ASK, max_tokens: 1_000 };
      const estimate = 1_000 * 1_000 + Math.ceil(JSON.stringify(body).length / 3) * 250;
      const owner = ask(body, config);
      await other.waitForRequest(1, PATIENT.timeoutMs);
      const leaving = new AbortController();
      const left = expect(ask(body, config, { signal: leaving.signal })).rejects.toThrow();
      await other.waitForRequest(2, PATIENT.timeoutMs);
      leaving.abort();
      await left;
      const record = await eventually(last, PATIENT);
      expect(record).toMatchObject({ outcome: 'client_closed', cost: estimate });
      release();
      expect((await owner).status).toBe(200);
      expect(stub.requests).toHaveLength(1);
    });

    it('withholds a denied response from all requests that share it and does not store it, even when the first client disconnects', async () => {
      const { headers } = events('');
      const line = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: WORD } }] })}\n\n`;
      stub.respond({ headers: headers ?? {}, steps: [{ until }, { chunk: `${line}data: [DONE]\n\n` }] });
      forbid(WORD);
      gateway.addConfig('shared', { provider: '@main', ...sharing, ...guarded });
      const stream = { ...ASK, stream: true };
      const leaving = new AbortController();
      const gone = asker
        .open('/chat/completions', stream, { config: 'shared', signal: leaving.signal })
        .then((response) => response.text());
      const left = expect(gone).rejects.toThrow();
      await haveJoined(1);
      const requested = [ask(stream, 'shared'), ask(stream, 'shared')];
      await haveJoined(3);
      leaving.abort();
      await left;
      await eventually(async () => (await gateway.records()).length === 1, PATIENT);
      release();
      expect((await Promise.all(requested)).map(verdict)).toEqual(['denied', 'denied']);
      expect(stub.requests).toHaveLength(1);
      forbid('nothing of it');
      expect((await ask(stream, 'shared')).cache).toBe('MISS');
    });
  });

  describe('cache status without a response', () => {
    const anonymous = { ...simple, provider: '@nobody' };
    const limited = { rateLimits: [{ type: 'requests', unit: 'rpd', value: 0 }] } as const;
    const cases: readonly (readonly [string, string, number, object, TestRequest])[] = [
      ['MISS', 'the provider is unreachable', 502, anonymous, {}],
      [
        'REFRESH',
        'the request forces a refresh',
        502,
        anonymous,
        { headers: { 'x-gw-cache-force-refresh': 'true' } },
      ],
      ['MISS', 'the provider does not respond in time', 408, { ...simple, request_timeout: 100 }, {}],
      ['DISABLED', 'the config has no cache', 502, { provider: '@nobody' }, {}],
      [
        'DISABLED',
        'an input guardrail denies the request',
        446,
        { ...simple, input_guardrails: [{ deny: true, contains: { words: ['Hi'], operator: 'none' } }] },
        {},
      ],
      ['DISABLED', 'a limit refuses the call', 429, { ...simple, provider: '@limited' }, {}],
      ['DISABLED', 'the provider is unknown', 400, { ...simple, provider: '@unknown' }, {}],
    ];

    let gone = '';
    beforeAll(async () => {
      const stopped = await StubProvider.start();
      gone = stopped.origin;
      await stopped.stop();
    });

    it.each(cases)('reports %s when %s', async (status, _, code, config, requested) => {
      gateway.addProvider('limited', 'openai', stub.origin, limited);
      gateway.addProvider('nobody', 'openai', gone);
      stub.respond({ neverRespond: true });
      const reply = await ask(ASK, config, { headers: { 'x-gw-explain': '1', ...requested.headers } });
      expect([reply.cache, reply.status]).toEqual([status, code]);
      const decision = JSON.parse(reply.headers.get('x-gw-decision') ?? '') as { cache?: { status: string } };
      expect(decision.cache?.status).toBe(status === 'DISABLED' ? undefined : status);
      const record = await last();
      expect([record?.cacheStatus, record?.decision.cache.status]).toEqual([status, status]);
    });
  });
});
