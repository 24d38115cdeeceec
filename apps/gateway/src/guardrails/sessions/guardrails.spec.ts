import { eventually, StubProvider } from '@gw/testing';
import { WebSocket, type RawData } from 'ws';
import { GatewayHarness, type LoggedRequest } from '../../spec-support/harness';
import { SocketProvider, type Accepted } from '../../realtime/spec-support/socket-provider';

const PATIENTLY = { timeoutMs: 90_000 };
const SECRET = 'ULTRAVIOLET';
let gateway: GatewayHarness;
let provider: SocketProvider;
let client: WebSocket | null = null;

beforeEach(async () => {
  gateway = await GatewayHarness.start();
  provider = await SocketProvider.start();
  gateway.addProvider('main', 'openai', provider.origin);
});
afterEach(async () => {
  client?.terminate();
  client = null;
  await Promise.all([gateway.stop(), provider.stop()]);
});

interface Event {
  readonly type: string;
  readonly delta?: string;
  readonly [member: string]: unknown;
}

interface Open {
  readonly client: WebSocket;
  readonly upstream: Accepted;
  /** Events that the client received. */
  readonly events: Event[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Sends a message as the client. */
  say(event: object): void;
  /** Sends events as the provider. */
  respond(...events: readonly object[]): void;
  /** Events that the provider received. */
  heard(): Event[];
  sees(type: string): Promise<Event>;
}

function connect(config: object): Promise<WebSocket> {
  const url = `${gateway.baseUrl.replace('http', 'ws')}/realtime?model=gpt-realtime`;
  const headers = {
    authorization: `Bearer ${gateway.apiKey}`,
    'x-gw-config': JSON.stringify({ provider: '@main', ...config }),
  };
  const opened = new WebSocket(url, { headers });
  client = opened;
  return new Promise((resolve, reject) => {
    opened.once('open', () => {
      resolve(opened);
    });
    opened.once('error', reject);
  });
}

async function session(config: object): Promise<Open> {
  const events: Event[] = [];
  const connecting = connect(config);
  const opened = client as unknown as WebSocket;
  opened.on('message', (data: RawData) => events.push(JSON.parse((data as Buffer).toString()) as Event));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    opened.once('close', (code, reason) => {
      resolve({ code, reason: reason.toString() });
    });
  });
  await connecting;
  const upstream = await provider.connection();
  return {
    client: opened,
    upstream,
    events,
    closed,
    say: (event) => {
      opened.send(JSON.stringify(event));
    },
    respond: (...sent) => {
      for (const event of sent) upstream.socket.send(JSON.stringify(event));
    },
    heard: () => upstream.messages.map(({ data }) => JSON.parse(data.toString()) as Event),
    sees: (type) => eventually(() => events.find((event) => event.type === type), PATIENTLY),
  };
}

const item = (text: string): Event => ({
  type: 'conversation.item.create',
  event_id: 'mine',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const sound = (audio: string): Event => ({
  type: 'response.output_audio.delta',
  response_id: 'r',
  item_id: 'i',
  output_index: 0,
  content_index: 0,
  delta: audio,
});
const words = (delta: string): Event => ({ ...sound(delta), type: 'response.output_audio_transcript.delta' });
const begun: readonly Event[] = [
  { type: 'response.created', response: { id: 'r', output: [] } },
  { type: 'response.output_item.added', response_id: 'r', output_index: 0, item: { id: 'i', content: [] } },
];
const ended = (transcript: string): readonly Event[] => {
  const part = { type: 'audio', transcript };
  const whole = { id: 'i', type: 'message', role: 'assistant', content: [part] };
  return [
    { ...sound(''), type: 'response.output_audio_transcript.done', transcript },
    { type: 'response.output_item.done', response_id: 'r', output_index: 0, item: whole },
    { type: 'conversation.item.done', item: whole },
    { type: 'response.done', response: { id: 'r', status: 'completed', output: [whole] } },
  ];
};
const no = (word: string, more: object = {}): object => ({
  ...more,
  contains: { words: [word], operator: 'none', scope: ['all'] },
});
const said = (events: readonly Event[]): string =>
  events.map(({ type, delta }) => (type.endsWith('transcript.delta') ? (delta ?? '') : '')).join('');

const lastRecord = (): Promise<LoggedRequest> =>
  eventually(async () => (await gateway.records()).at(-1), PATIENTLY);

describe('guardrails on client messages', () => {
  it('ends the session for JSON that is not UTF-8, and passes on other binary messages', async () => {
    const open = await session({ input_guardrails: [no('bomb', { deny: true })] });
    open.client.send(Buffer.from([0x7b, 0xff, 0x00]));
    await eventually(() => open.upstream.messages[0], PATIENTLY);
    open.client.send(Buffer.from(' '.repeat(100) + JSON.stringify(item('bo\u00ffmb')), 'latin1'));
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.upstream.messages).toHaveLength(1);
    expect(open.events).toMatchObject([{ type: 'error', error: { type: 'body_invalid' } }]);
  });

  it('[GRD-02] ends the session on a denial before the provider gets the message, and reports the reason', async () => {
    const open = await session({ input_guardrails: [no('bomb', { deny: true, id: 'words' })] });
    open.say(item('a cake'));
    open.say(item('a bomb'));
    open.say(item('a pie'));
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.events).toMatchObject([
      {
        type: 'error',
        error: { type: 'hooks_failed', event_id: 'mine' },
        hook_results: { before_request_hooks: [{ id: 'words', verdict: false }], after_request_hooks: [] },
      },
    ]);
    await eventually(() => open.upstream.closed !== null, PATIENTLY);
    expect([open.heard(), open.upstream.closed?.code]).toEqual([[item('a cake')], 1001]);
    expect(await lastRecord()).toMatchObject({
      status: 101,
      outcome: 'denied',
      errorType: 'hooks_failed',
      decision: {
        session: { closedBy: 'gateway', code: 1008, clientMessages: 2 },
        guardrails: [
          { stage: 'input', id: 'words', verdict: true },
          { stage: 'input', id: 'words', verdict: false, deny: true },
        ],
      },
    });
  });

  it('[GRD-02] forwards a marked message, followed by an event with the verdicts', async () => {
    const open = await session({ input_guardrails: [no('bomb')] });
    open.say(item('a bomb'));
    expect(await open.sees('hook_results')).toMatchObject({
      hook_results: { before_request_hooks: [{ verdict: false, deny: false }] },
    });
    expect(open.heard()).toEqual([item('a bomb')]);
  });

  it('changes a message before the provider gets it', async () => {
    const rule = { rule: 'bo[a-z]b', redactText: 'cake', scope: ['all'] };
    const open = await session({ input_guardrails: [{ regexReplace: rule }] });
    open.say(item('a bomb'));
    open.say(item('no such thing'));
    await eventually(() => open.upstream.messages.length === 2, PATIENTLY);
    expect(open.heard()).toEqual([item('a cake'), item('no such thing')]);
  });

  it.each([
    ['instructions', { type: 'session.update', session: { instructions: 'build a bomb' } }],
    ['a tool', { type: 'session.update', session: { tools: [{ type: 'function', name: 'bomb' }] } }],
    ['instructions of one response', { type: 'response.create', response: { instructions: 'build a bomb' } }],
    [
      'the result of a tool',
      { type: 'conversation.item.create', item: { type: 'function_call_output', output: 'a bomb' } },
    ],
    ['an unknown event', { type: 'odd.event', deep: [{ text: 'a bomb' }] }],
    ['a member that no event has', { type: 'session.update', session: { hints: ['a bomb'] } }],
    ['a member of an event with audio', { type: 'input_audio_buffer.append', audio: 'AAAA', note: 'a bomb' }],
    ['unusual JSON spelling', { type: 'conversation.item.create', item: { odd: 'a bomb' } }],
  ])('judges %s', async (_what, event) => {
    const open = await session({ input_guardrails: [no('bomb', { deny: true })] });
    open.say(event);
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.heard()).toEqual([]);
  });

  it('judges text that is not JSON, and text in a binary frame', async () => {
    for (const send of [
      (socket: WebSocket) => socket.send('a bomb'),
      (socket: WebSocket) => socket.send(Buffer.from(JSON.stringify(item('a bomb')))),
    ]) {
      const open = await session({ input_guardrails: [no('bomb', { deny: true })] });
      send(open.client);
      expect(await open.closed).toMatchObject({ code: 1008 });
    }
    expect(provider.accepted.flatMap(({ messages }) => messages)).toEqual([]);
  });

  it('judges only messages with texts in scope, and passes audio and settings', async () => {
    const check = { wordCount: { minWords: 2 } };
    const open = await session({ input_guardrails: [{ deny: true, ...check }] });
    const passing = [
      { type: 'session.update', session: { instructions: 'Brief.' } },
      { type: 'input_audio_buffer.append', audio: 'AAAA' },
      { type: 'input_audio_buffer.commit' },
      { type: 'response.create' },
    ];
    for (const event of passing) open.say(event);
    await eventually(() => open.upstream.messages.length === passing.length, PATIENTLY);
    expect(open.heard()).toEqual(passing);
    open.say(item('one'));
    expect(await open.closed).toMatchObject({ code: 1008 });
  });

  it('[GRD-01] bounds the tools that an event sets', async () => {
    const check = { requestParametersCheck: { tools: { blockedFunctionNames: ['delete_account'] } } };
    const open = await session({ input_guardrails: [{ deny: true, ...check }] });
    open.say({ type: 'session.update', session: { tools: [{ type: 'function', name: 'delete_account' }] } });
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.heard()).toEqual([]);
  });

  it('judges a user’s speech once it is transcribed', async () => {
    const open = await session({ input_guardrails: [no('bomb', { deny: true })] });
    const transcribed = (transcript: string): Event => ({
      type: 'conversation.item.input_audio_transcription.completed',
      item_id: 'u',
      transcript,
    });
    open.respond(transcribed('a cake'), transcribed('a bomb'), ...begun);
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.events.map(({ type }) => type)).toEqual([transcribed('').type, 'error']);
    expect(JSON.stringify(open.events)).not.toContain('bomb');
  });

  it('denies the handshake with 446, without calling a provider, by a guardrail that needs no text', async () => {
    const whitelist = { deny: true, modelWhitelist: { models: ['gpt-4o'] } };
    await expect(connect({ input_guardrails: [whitelist] })).rejects.toThrow('446');
    expect(provider.handshakes).toHaveLength(0);
    const marked = await session({ input_guardrails: [{ modelWhitelist: { models: ['gpt-4o'] } }] });
    await marked.sees('hook_results');
  });

  it.each([
    ['in the event itself', { type: 'response.create', model: 'gpt-4o', input: 'hi' }],
    ['next to a decoy', { type: 'response.create', model: 'gpt-4o', session: { model: 'gpt-realtime' } }],
    ['in its response', { type: 'response.create', response: { model: 'gpt-4o' } }],
    ['in its setup', { setup: { model: 'gpt-4o' } }],
  ])('judges by a guardrail that needs no text what an event sets %s', async (_where, event) => {
    const whitelist = { deny: true, modelWhitelist: { models: ['gpt-realtime'] } };
    const open = await session({ input_guardrails: [whitelist] });
    open.say({ type: 'response.create' });
    open.say(event);
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.heard()).toEqual([{ type: 'response.create' }]);
  });

  it('forwards a duplicate member as it was judged', async () => {
    const open = await session({ input_guardrails: [no('bomb', { deny: true })] });
    const bomb = JSON.stringify(item('a bomb')['item']);
    open.client.send(JSON.stringify(item('a cake')).replace('"item":', `"item":${bomb},"item":`));
    await eventually(() => open.upstream.messages.length === 1, PATIENTLY);
    expect(open.upstream.messages[0]?.data.toString()).toBe(JSON.stringify(item('a cake')));
  });

  it('refuses a message with more members than are read in one turn of the event loop', async () => {
    const open = await session({ input_guardrails: [no('bomb', { deny: true })] });
    const wide = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`k${String(at)}`, 1]));
    open.say({ ...item('a cake'), ...wide });
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.heard()).toEqual([]);
  });

  it('keeps the order of messages during slow checks, with the close frame last', async () => {
    const hook = await StubProvider.start();
    hook.respond({ body: { verdict: true } });
    const open = await session({ input_guardrails: [{ deny: true, webhook: { webhookURL: hook.origin } }] });
    const sent = Array.from({ length: 20 }, (_, at) => item(`message ${String(at)}`));
    for (const event of sent) open.say(event);
    open.client.close(1000, 'done');
    expect(await open.closed).toMatchObject({ code: 1000 });
    await eventually(() => open.upstream.closed !== null, PATIENTLY);
    expect(open.heard()).toEqual(sent);
    expect(JSON.parse(hook.lastRequest.body.toString())).toMatchObject({
      requestType: 'realtime',
      request: { json: sent.at(-1), text: 'message 19' },
    });
    await hook.stop();
  });

  it.each([
    ['an error', { status: 500, body: {} }],
    ['silence', { neverRespond: true }],
  ])('denies or passes as configured when a check cannot decide because of %s', async (_what, reported) => {
    const hook = await StubProvider.start();
    hook.respond(reported);
    const webhook = { webhook: { webhookURL: hook.origin, timeout: 50 } };
    const denied = await session({ input_guardrails: [{ deny: true, ...webhook }] });
    denied.say(item('hello'));
    expect(await denied.closed).toMatchObject({ code: 1008 });
    const passed = await session({ input_guardrails: [webhook] });
    const upstream = await provider.connection(1);
    passed.say(item('hello'));
    await eventually(() => upstream.messages.length === 1, PATIENTLY);
    await hook.stop();
  });

  it('[GRD-02] runs asynchronous guardrails without delaying messages, and logs their verdicts', async () => {
    const open = await session({ input_guardrails: [no('bomb', { deny: true, async: true })] });
    open.say(item('a bomb'));
    await eventually(() => open.upstream.messages.length === 1, PATIENTLY);
    open.client.close(1000);
    await open.closed;
    expect((await lastRecord()).decision.guardrails).toMatchObject([{ async: true, verdict: false }]);
    expect(open.events).toEqual([]);
  });
});

describe('guardrails on provider messages', () => {
  const tokens = Array.from({ length: 600 }, (_, at) =>
    at === 500 ? SECRET.slice(0, 5) : at === 501 ? `${SECRET.slice(5)} ` : `tok${String(at)} `,
  );
  const spoken = tokens.flatMap((token, at) => [words(token), sound(`s${String(at)}`)]);
  const whole = [...begun, ...spoken, ...ended(tokens.join(''))];

  it('[GRD-02] ends the session on a denial before the denied text and its audio are sent, and reports the reason', async () => {
    const open = await session({ output_guardrails: [no(SECRET, { deny: true })] });
    open.respond(...whole);
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.events.at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'hooks_failed' },
      hook_results: { after_request_hooks: [{ verdict: false, deny: true }] },
    });
    expect(said(open.events)).toBe(tokens.slice(0, 500).join(''));
    const heard = open.events.filter(({ type }) => type === sound('').type).map(({ delta }) => delta);
    expect(heard).toEqual(tokens.slice(0, heard.length).map((_, at) => `s${String(at)}`));
    expect(heard.length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(open.events)).not.toContain(SECRET);
    await eventually(() => open.upstream.closed !== null, PATIENTLY);
    expect(open.upstream.closed?.code).toBe(1001);
    expect(await lastRecord()).toMatchObject({ outcome: 'denied', errorType: 'hooks_failed' });
  });

  it('forwards passed words, audio and repetitions unchanged', async () => {
    const open = await session({ output_guardrails: [no('nowhere', { deny: true })] });
    open.respond(...whole);
    await open.sees('response.done');
    expect(said(open.events)).toBe(tokens.join(''));
    const isSound = ({ type }: Event): boolean => type === sound('').type;
    expect(open.events.filter(isSound)).toEqual(whole.filter(isSound));
    expect(open.events.slice(-4)).toEqual(ended(tokens.join('')));
  });

  it('forwards a marked response, with an event before its last one', async () => {
    const open = await session({ output_guardrails: [no(SECRET)] });
    open.respond(...whole);
    await open.sees('response.done');
    expect(open.events.filter(({ type }) => type !== 'hook_results')).toEqual(whole);
    expect(open.events.at(-2)).toMatchObject({
      type: 'hook_results',
      hook_results: { after_request_hooks: [{ verdict: false }] },
    });
  });

  it('holds back a response that must be judged whole, and forwards other events meanwhile', async () => {
    const open = await session({ output_guardrails: [{ deny: true, wordCount: { maxWords: 3_000 } }] });
    open.respond(...begun, ...spoken, { type: 'rate_limits.updated' });
    await open.sees('rate_limits.updated');
    expect(open.events).toHaveLength(1);
    open.respond(...ended(tokens.join('')));
    await open.sees('response.done');
    expect(open.events.slice(1)).toEqual(whole);
    const other = await session({ output_guardrails: [{ deny: true, wordCount: { maxWords: 3 } }] });
    const upstream = await provider.connection(1);
    for (const event of whole) upstream.socket.send(JSON.stringify(event));
    expect(await other.closed).toMatchObject({ code: 1008 });
    expect(other.events.map(({ type }) => type)).toEqual(['error']);
  });

  it('replaces texts wherever the response contains them', async () => {
    const rule = { rule: SECRET, redactText: '[GONE]', scope: ['all'] };
    const open = await session({ output_guardrails: [{ regexReplace: rule }] });
    open.respond(...whole);
    await open.sees('response.done');
    const expected = tokens.join('').replace(SECRET, '[GONE]');
    expect(said(open.events)).toBe(expected);
    expect(open.events.slice(-4)).toEqual(ended(expected));
  });

  it('judges events outside of responses, and tool calls, as a whole', async () => {
    const call = { type: 'response.function_call_arguments.delta', response_id: 'r', output_index: 0 };
    for (const event of [
      { type: 'odd.event', text: SECRET },
      {
        type: 'conversation.item.retrieved',
        item: { id: 'x', type: 'message', role: 'assistant', content: [{ type: 'text', text: SECRET }] },
      },
      { ...call, delta: `{"a":"${SECRET}"}${' '.repeat(200)}` },
      { ...call, delta: '{', note: `the ${SECRET} light` },
      {
        type: 'conversation.item.retrieved',
        item: { id: 'x', type: 'message' },
        note: `the ${SECRET} light`,
      },
    ]) {
      const open = await session({ output_guardrails: [no(SECRET, { deny: true })] });
      const upstream = await provider.connection(provider.accepted.length - 1);
      upstream.socket.send(JSON.stringify(event));
      expect(await open.closed).toMatchObject({ code: 1008 });
      expect(JSON.stringify(open.events)).not.toContain(SECRET);
    }
  });

  it('ends the session when a response exceeds the bytes that may be held back', async () => {
    const open = await session({ output_guardrails: [{ deny: true, wordCount: { maxWords: 3_000 } }] });
    open.respond(...begun);
    for (let at = 0; at < 17; at += 1) open.respond(sound('A'.repeat(1_048_576)));
    expect(await open.closed).toMatchObject({ code: 1008 });
    expect(open.events.at(-1)).toMatchObject({ type: 'error', error: { type: 'provider_answer_invalid' } });
    expect((await lastRecord()).outcome).toBe('failed');
  });

  it('keeps the order during slow checks, with the close frame after the last verdict', async () => {
    const hook = await StubProvider.start();
    hook.respond({ body: { verdict: true } });
    const open = await session({ output_guardrails: [{ deny: true, webhook: { webhookURL: hook.origin } }] });
    open.respond(...whole);
    open.upstream.socket.close(1000, 'done');
    expect(await open.closed).toEqual({ code: 1000, reason: 'done' });
    expect(open.events).toEqual(whole);
    await hook.stop();
  });
});
