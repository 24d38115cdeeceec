import type { UsageLimitRule } from '@gw/contracts';
import { eventually } from '@gw/testing';
import { WebSocket, type RawData } from 'ws';
import { budget } from '../limits/spec-support/cent-calls';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { HANDSHAKE, RawClient } from './spec-support/raw-client';
import { SocketProvider, type Accepted } from './spec-support/socket-provider';

/** Cost of `USAGE` in 1e-8 USD: input at 2.50 and output at 10 USD per million tokens. */
const GPT_4O_COST = 75_000_000;
const USAGE = { input_tokens: 100_000, output_tokens: 50_000 };
const TEXT = 'x'.repeat(30_000);

let gateway: GatewayHarness;
let provider: SocketProvider;
let clients: WebSocket[] = [];
let keys = 0;

async function start(environment: Record<string, string> = {}): Promise<void> {
  gateway = await GatewayHarness.start(environment);
  provider = await SocketProvider.start();
  gateway.addProvider('main', 'openai', provider.origin);
  gateway.addProvider('gemini', 'google', provider.origin);
}
afterEach(async () => {
  for (const client of clients) client.terminate();
  clients = [];
  await gateway.stop();
  await provider.stop();
});

const keyWith = (...usageLimits: UsageLimitRule[]): string => {
  keys += 1;
  const key = `sessionKey${String(keys).padStart(22, '0')}`;
  gateway.addKey(key, { id: `session-${String(keys)}`, usageLimits });
  return key;
};

interface Open {
  readonly client: WebSocket;
  readonly upstream: Accepted;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly received: string[];
  /** Sends as the provider, and waits until the client has received every event. */
  respond(...events: readonly (object | Buffer)[]): Promise<void>;
  /** Sends as the client, and waits until the provider has received every event. */
  say(...events: readonly (object | Buffer)[]): Promise<void>;
}

async function open(path: string, { key = gateway.apiKey, at = '@main' } = {}): Promise<Open> {
  const url = `${gateway.baseUrl.replace('http', 'ws')}${path}`;
  const client = new WebSocket(url, { headers: { 'x-gw-api-key': key, 'x-gw-provider': at } });
  clients.push(client);
  const received: string[] = [];
  client.on('message', (data: RawData) => received.push((data as Buffer).toString()));
  client.on('error', () => undefined);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    client.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const index = provider.accepted.length;
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
  const upstream = await provider.connection(index);
  const send = (socket: WebSocket, events: readonly (object | Buffer)[]): void => {
    for (const event of events) socket.send(Buffer.isBuffer(event) ? event : JSON.stringify(event));
  };
  return {
    ...{ client, upstream, closed, received },
    respond: async (...events) => {
      const count = received.length + events.length;
      send(upstream.socket, events);
      await eventually(() => received.length === count, { everyMs: 2 });
    },
    say: async (...events) => {
      const count = upstream.messages.length + events.length;
      send(client, events);
      await eventually(() => upstream.messages.length === count, { everyMs: 2 });
    },
  };
}

const record = (): Promise<LoggedRequest> => eventually(async () => (await gateway.records()).at(-1));

const created = (id = 'r', model = 'gpt-4o') => ({
  type: 'response.created',
  response: { id, status: 'in_progress', model, usage: null },
});
const delta = (text = TEXT) => ({ type: 'response.output_text.delta', item_id: 'i', delta: text });
const ended = (type: string, id = 'r', usage: object | null = USAGE, more: object = {}) => ({
  type,
  response: { id, model: 'gpt-4o', status: 'completed', usage, ...more },
});
const json = (value: object): Buffer => Buffer.from(JSON.stringify(value, null, 2));
const BIDI = '/proxy/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
const SETUP = { setup: { model: 'models/gemini-2.5-flash' } };

describe('usage that a session reports', () => {
  beforeEach(() => start());

  it.each([
    ['/realtime?model=gpt-4o', 'response.done'],
    ['/responses', 'response.completed'],
    ['/proxy/responses', 'response.completed'],
    ['/responses', 'response.incomplete'],
    ['/responses', 'response.failed'],
    ['/anything?model=gpt-4o', 'response.done'],
  ])('is charged on %s as reported by %s', async (path, type) => {
    const { client, closed, respond } = await open(path, { key: keyWith(budget()) });
    await respond(created(), delta(), ended(type));
    client.close(1000);
    await closed;
    const { cost, priced, usage, decision, responseModel } = await record();
    expect([cost, priced, responseModel]).toEqual([GPT_4O_COST, 'priced', 'gpt-4o']);
    expect(usage).toMatchObject({ inputTokens: 100_000, outputTokens: 50_000 });
    expect(decision.charges).toMatchObject([{ cost: GPT_4O_COST, tokens: 150_000, flags: [] }]);
  });

  it('is charged by the usageMetadata of Gemini’s binary frames, each generation once', async () => {
    const { client, closed, say, respond } = await open(BIDI, { at: '@gemini', key: keyWith(budget()) });
    const counts = (prompt: number, candidates: number) => ({
      usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: candidates },
    });
    await say(SETUP);
    const turn = { serverContent: { modelTurn: { parts: [{ text: 'hello' }] } } };
    await respond(json({ setupComplete: {} }), json({ ...turn, ...counts(1_000, 10) }));
    await respond(json({ serverContent: { turnComplete: true }, ...counts(1_000, 2_000) }));
    await respond(json(turn), json({ serverContent: { turnComplete: true }, ...counts(3_000, 1_000) }));
    client.close(1000);
    await closed;
    const { cost, priced, usage, responseModel } = await record();
    expect([priced, responseModel]).toEqual(['priced', 'gemini-2.5-flash']);
    expect(usage).toMatchObject({ inputTokens: 4_000, outputTokens: 3_000 });
    // Input at 0.30 and output at 2.50 USD per million tokens.
    expect(cost).toBe(4_000 * 30 + 3_000 * 250);
  });

  it('is charged for transcripts at the price of the transcribing model', async () => {
    const { client, closed, respond } = await open('/realtime?intent=transcription', {
      key: keyWith(budget()),
    });
    const transcription = { model: 'gpt-4o-transcribe' };
    const session = { type: 'transcription', audio: { input: { transcription } } };
    const reported = {
      type: 'conversation.item.input_audio_transcription.completed',
      ...{ item_id: 'i', content_index: 0, transcript: 'hello' },
      usage: { type: 'tokens', input_tokens: 100_000, output_tokens: 1_000, total_tokens: 101_000 },
    };
    await respond({ type: 'session.created', session }, reported, reported);
    client.close(1000);
    await closed;
    const { cost, priced, usage } = await record();
    expect([priced, usage?.inputTokens, usage?.outputTokens]).toEqual(['priced', 100_000, 1_000]);
    expect(cost).toBeGreaterThan(0);
  });

  it('has no model for its price if two models have one, so that neither re-prices it later', async () => {
    const { client, closed, respond } = await open('/realtime?model=gpt-4o', { key: keyWith(budget()) });
    const session = { type: 'realtime', audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } };
    const reported = {
      type: 'conversation.item.input_audio_transcription.completed',
      ...{ item_id: 'i', content_index: 0, transcript: 'hello' },
      usage: { type: 'tokens', input_tokens: 100_000, output_tokens: 1_000, total_tokens: 101_000 },
    };
    const usage = { input_tokens: 1_000, output_tokens: 1_000 };
    await respond({ type: 'session.created', session }, created(), ended('response.done', 'r', usage));
    await respond(reported);
    client.close(1000);
    await closed;
    const { decision, cost } = await record();
    expect(decision.price?.model).toBeNull();
    expect(decision.price?.lines.reduce((sum, line) => sum + line.cost, 0)).toBe(cost);
  });

  it('is charged once, at the highest reported values, for a response that reports it twice', async () => {
    const { client, closed, respond } = await open('/responses', { key: keyWith(budget()) });
    await respond(
      created(),
      delta(),
      ended('response.completed', 'r', { input_tokens: 9, output_tokens: 5 }),
    );
    await respond(ended('response.completed'), ended('response.completed'), ended('response.done'));
    client.close(1000);
    await closed;
    expect(await record()).toMatchObject({ cost: GPT_4O_COST, priced: 'priced' });
  });

  it('is read in an event that is too long to be parsed', async () => {
    const { client, closed, respond: answer } = await open('/responses', { key: keyWith(budget()) });
    const { response, type } = ended('response.completed');
    const { usage, ...head } = response;
    await answer(created(), { type, response: { ...head, output: ['y'.repeat(1_100_000)], usage } });
    client.close(1000);
    await closed;
    expect(await record()).toMatchObject({ cost: GPT_4O_COST, priced: 'priced' });
  });

  it.each([
    ['no usage', null],
    ['negative counts', { input_tokens: -5, output_tokens: 10 }],
    ['counts beyond any context window', { input_tokens: 1, output_tokens: 900_000_000 }],
    ['fractions', { input_tokens: 1.5, output_tokens: 10 }],
  ])('is an estimate for a response that ends with %s', async (_what, usage) => {
    const { client, closed, respond } = await open('/responses', { key: keyWith(budget()) });
    await respond(created(), delta(), ended('response.completed', 'r', usage));
    client.close(1000);
    await closed;
    const { cost, priced, decision } = await record();
    expect(priced).toBe('estimated');
    expect(cost).toBeGreaterThanOrEqual(10_000 * 1_000);
    expect(cost).toBeLessThan(10_100 * 1_000);
    expect(decision.charges).toMatchObject([{ cost, flags: ['estimated'] }]);
  });

  it('is nothing for a response that fails before any output', async () => {
    const { client, closed, respond } = await open('/responses', { key: keyWith(budget()) });
    await respond(created(), ended('response.failed', 'r', null, { status: 'failed' }));
    client.close(1000);
    await closed;
    expect(await record()).toMatchObject({ cost: null, priced: 'no_usage', usage: null });
  });
});

/** Protocol, path, provider, and the messages that client and provider send before the end. */
const PROTOCOLS: readonly (readonly [
  string,
  string,
  string,
  readonly object[],
  readonly (object | Buffer)[],
])[] = [
  ['OpenAI Realtime', '/realtime?model=gpt-4o', '@main', [{ type: 'response.create' }], [created(), delta()]],
  [
    'OpenAI Responses',
    '/responses',
    '@main',
    [{ type: 'response.create', model: 'gpt-4o', input: 'hi' }],
    [created(), delta()],
  ],
  [
    'Gemini Live',
    BIDI,
    '@gemini',
    [SETUP],
    [json({ serverContent: { modelTurn: { parts: [{ text: TEXT }] } } })],
  ],
  ['an unknown protocol of text', '/live?model=gpt-4o', '@main', [{ ask: 1 }], [{ said: TEXT }]],
  ['an unknown protocol of bytes', '/live?model=gpt-4o', '@main', [{ ask: 1 }], [Buffer.alloc(30_000, 0xff)]],
];
const ENDINGS: readonly (readonly [string, (session: Open) => void])[] = [
  ['the client is gone', ({ client }) => client.terminate()],
  ['the client closes', ({ client }) => client.close(1000)],
  ['the provider closes', ({ upstream }) => upstream.socket.close(1000)],
  ['the connection to the provider breaks', ({ upstream }) => upstream.transport.resetAndDestroy()],
  ['no frame comes for too long', () => undefined],
  ['the process stops', () => gateway.plane.close()],
];

describe('a session that ends in the middle of a response', () => {
  beforeEach(() => start({ REALTIME_LINGER: '50', REALTIME_IDLE_TIMEOUT: '3000' }));

  describe.each(PROTOCOLS)('of %s', (name, path, at, requested, made) => {
    it.each(name.startsWith('an unknown') ? ENDINGS : ENDINGS.filter(([end]) => !end.startsWith('no')))(
      'is charged for the received output when %s',
      async (_end, end) => {
        const session = await open(path, { at, key: keyWith(budget()) });
        await session.say(...requested);
        await session.respond(...made);
        end(session);
        const { cost, priced, decision, outcome } = await record();
        expect(priced).toBe('estimated');
        expect(cost).toBeGreaterThan(0);
        expect(outcome).not.toBe('failed');
        const [charge] = decision.charges ?? [];
        expect(charge).toMatchObject({ cost, flags: ['estimated'] });
        const least = made.every((event) => Buffer.isBuffer(event) && event[0] === 0xff) ? 60 : 10_000;
        expect(charge?.tokens).toBeGreaterThanOrEqual(least);
      },
    );
  });

  it('is charged the expected output of a response that has not begun', async () => {
    const { client, say } = await open('/responses?model=gpt-4o', { key: keyWith(budget()) });
    // The gateway recognises the event although the client escapes characters.
    const text = '{"typ\\u0065":"respons\\u0065.create","input":"hi","model":"gpt-4o"}';
    await say(Buffer.from(text));
    client.terminate();
    const { priced, decision } = await record();
    expect(priced).toBe('estimated');
    expect(decision.charges?.[0]?.tokens).toBe(1_024 + Math.ceil(text.length / 3));
  });

  it('is charged for each of several open responses', async () => {
    const { client, closed, respond } = await open('/realtime?model=gpt-4o', { key: keyWith(budget()) });
    await respond(created('a'), created('b'), delta(), ended('response.done', 'a'));
    client.close(1000);
    await closed;
    const { cost, priced, usage } = await record();
    expect([priced, usage?.inputTokens]).toEqual(['estimated', 100_000]);
    // Response `b` is estimated: the conversation so far is its input, and each three bytes
    // received are one output token.
    expect(cost).toBeGreaterThanOrEqual(GPT_4O_COST + 150_000 * 250 + 10_000 * 1_000);
  });
});

describe('provider whose client has disconnected', () => {
  const clientsAreGone = (): Promise<unknown> =>
    eventually(
      () =>
        new Promise<boolean>((resolve) => {
          gateway.server.getConnections((_error, count) => resolve(count === 0));
        }),
    );

  it.each(['terminate', 'close'] as const)(
    'stays connected until its response ends and its usage is charged, after the client’s %s',
    async (leave) => {
      await start();
      const { client, upstream, closed, respond } = await open('/realtime?model=gpt-4o', {
        key: keyWith(budget()),
      });
      await respond(created(), delta());
      client[leave]();
      if (leave === 'terminate') await clientsAreGone();
      expect(upstream.closed).toBeNull();
      upstream.socket.send(JSON.stringify(delta('more')));
      upstream.socket.send(JSON.stringify(ended('response.done', 'r', USAGE, { status: 'cancelled' })));
      expect(await record()).toMatchObject({ cost: GPT_4O_COST, priced: 'priced' });
      await eventually(() => upstream.closed !== null);
      await closed;
    },
  );

  it('is disconnected at once when no response is open', async () => {
    await start({ REALTIME_LINGER: '60000' });
    const { client, upstream, respond } = await open('/realtime?model=gpt-4o');
    await respond(created(), delta(), ended('response.done'));
    client.terminate();
    await eventually(() => upstream.closed !== null);
  });

  it('is disconnected after 16 MiB, and the bytes received are charged', async () => {
    await start({ REALTIME_LINGER: '60000' });
    const { client, upstream, respond } = await open('/realtime?model=gpt-4o', { key: keyWith(budget()) });
    await respond(created(), delta());
    client.terminate();
    await clientsAreGone();
    for (let at = 0; at < 17; at += 1) upstream.socket.send(JSON.stringify(delta('z'.repeat(1_048_576))));
    const { priced, decision } = await record();
    expect(priced).toBe('estimated');
    expect(decision.charges?.[0]?.tokens).toBeGreaterThan(5_000_000);
    await eventually(() => upstream.closed !== null);
  });

  it('counts towards the maximum number of sessions', async () => {
    await start({ REALTIME_LINGER: '60000', REALTIME_MAX_SESSIONS: '1' });
    const { client, upstream, respond } = await open('/realtime?model=gpt-4o');
    await respond(created(), delta());
    client.terminate();
    await clientsAreGone();
    const headers = { ...HANDSHAKE, 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    const next = await RawClient.open(gateway.port, headers);
    expect(next.status).toBe(503);
    next.destroy();
    upstream.socket.close(1000);
    await eventually(async () => {
      const later = await RawClient.open(gateway.port, headers);
      later.destroy();
      return later.status === 101;
    });
  });
});

describe('the limits of a session', () => {
  beforeEach(() => start({ REALTIME_LINGER: '50' }));

  it('end it with 1008 after the response that exhausts a budget', async () => {
    const { closed, respond } = await open('/responses', { key: keyWith(budget({ creditLimit: 0.5 })) });
    await respond(created(), delta(), ended('response.completed'));
    expect(await closed).toEqual({ code: 1008, reason: 'A limit of this session was reached.' });
    expect(await record()).toMatchObject({ outcome: 'denied', cost: GPT_4O_COST });
  });

  it('refuse a response once other requests have exhausted a budget', async () => {
    const key = keyWith(budget({ creditLimit: 0.5 }));
    const [first, second] = [await open('/responses', { key }), await open('/responses', { key })];
    await first.respond(created(), delta(), ended('response.completed'));
    await first.closed;
    second.client.send(JSON.stringify({ type: 'response.create', model: 'gpt-4o', input: 'hi' }));
    expect(await second.closed).toEqual({ code: 1008, reason: 'A limit of this session was reached.' });
    expect(second.upstream.messages).toEqual([]);
  });

  it('end it when the estimate for an unknown protocol uses a budget up before a response ends', async () => {
    const { closed, upstream } = await open('/live?model=gpt-4o', {
      key: keyWith(budget({ creditLimit: 1 })),
    });
    for (let at = 0; at < 4; at += 1) upstream.socket.send(JSON.stringify({ said: 'w'.repeat(400_000) }));
    expect((await closed).code).toBe(1008);
    expect(await record()).toMatchObject({ outcome: 'denied', priced: 'estimated' });
  });

  it.each([['/responses'], ['/live'], ['/live?model=no-such-model'], ['/realtime?model=no-such-model']])(
    'refuse a session on %s whose model has no price if a budget is strict',
    async (path) => {
      const key = keyWith(budget({ enforcement: 'strict' }));
      const headers = { ...HANDSHAKE, 'x-gw-api-key': key, 'x-gw-provider': '@main' };
      const client = await RawClient.open(gateway.port, headers, { target: `/v1${path}` });
      expect(client.status).toBe(412);
      client.destroy();
      expect(provider.accepted).toEqual([]);
    },
  );

  it('end a session of a strict budget after the first response without a price', async () => {
    const path = '/realtime?model=gpt-4o';
    const { closed, respond } = await open(path, { key: keyWith(budget({ enforcement: 'strict' })) });
    const transcription = { model: 'no-such-model' };
    const completed = 'conversation.item.input_audio_transcription.completed';
    await respond({ type: 'session.updated', session: { input_audio_transcription: transcription } });
    await respond({ type: completed, item_id: 'i', usage: USAGE });
    expect(await closed).toEqual({
      code: 1008,
      reason: 'A strict budget of this session requires a price, and a part has none.',
    });
  });
});

describe('the models of a session', () => {
  const model = (slug: string, enabled: boolean) => ({
    ...{ slug, enabled, price: null, baseModelSlug: null, isCustom: false, customHost: null },
    customHeaders: {},
  });

  it.each([
    ['of a response', { type: 'response.create', model: 'gpt-4o', input: 'hi' }],
    ['of a response of Realtime', { type: 'response.create', response: { model: 'gpt-4o' } }],
    ['of a session', { type: 'session.update', session: { model: 'gpt-4o' } }],
    [
      'that transcribes',
      { type: 'session.update', session: { audio: { input: { transcription: { model: 'gpt-4o' } } } } },
    ],
    ['of Gemini', { setup: { model: 'models/gpt-4o' } }],
    ['that is escaped', Buffer.from('{"type":"response.create","mod\\u0065l":"gpt-4o"}')],
    ['that cannot be parsed', Buffer.from(`{"model":"gpt-4o","a":"${'a'.repeat(4_200_000)}"}`)],
  ])('must be enabled: one %s ends it with 1008, and is not forwarded', async (_what, message) => {
    await start();
    gateway.addProvider('listed', 'openai', provider.origin, {
      allowAllModels: false,
      models: [model('gpt-4o-mini', true), model('gpt-4o', false)],
    });
    const { client, closed, upstream, received } = await open('/proxy/responses?model=gpt-4o-mini', {
      at: '@listed',
    });
    client.send(JSON.stringify({ type: 'response.create', model: 'gpt-4o-mini', input: 'hi' }));
    await eventually(() => upstream.messages.length === 1);
    client.send(Buffer.isBuffer(message) ? message : JSON.stringify(message));
    expect((await closed).code).toBe(1008);
    expect(received.join('')).toContain('model_not_enabled');
    expect(upstream.messages).toHaveLength(1);
    expect(await record()).toMatchObject({ outcome: 'denied', errorType: 'model_not_enabled' });
  });
});
