import { createServer as createTlsServer } from 'node:tls';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { Journal } from '@gw/journal';
import { eventually } from '@gw/testing';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket, type RawData } from 'ws';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { HANDSHAKE, maskedFrame, RawClient } from './spec-support/raw-client';
import { SocketProvider, type Accepted } from './spec-support/socket-provider';

const responseDone = (id: string) => ({
  type: 'response.done',
  event_id: `event_${id}`,
  response: {
    id,
    status: 'completed',
    usage: {
      total_tokens: 250,
      input_tokens: 130,
      output_tokens: 120,
      input_token_details: { text_tokens: 110, audio_tokens: 20, cached_tokens: 0 },
      output_token_details: { text_tokens: 30, audio_tokens: 90 },
    },
  },
});

let gateway: GatewayHarness;
let provider: SocketProvider;
const clients: { terminate(): void }[] = [];

beforeEach(async () => {
  gateway = await GatewayHarness.start({ REALTIME_MAX_MESSAGE: String(1_048_576) });
  provider = await SocketProvider.start();
  gateway.addProvider('main', 'openai', provider.origin);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await gateway.stop();
  await provider.stop();
});

interface Message {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

const same = (some: readonly Message[], others: readonly Message[]): boolean =>
  some.every(
    ({ data, isBinary }, i) => data.equals(others[i]?.data ?? GONE) && isBinary === others[i]?.isBinary,
  );
const GONE = Buffer.from('gone');

interface Open {
  readonly client: WebSocket;
  readonly upstream: Accepted;
  readonly messages: readonly Message[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

async function session(at = gateway): Promise<Open> {
  const url = `${at.baseUrl.replace('http', 'ws')}/realtime?model=gpt-realtime`;
  const client = new WebSocket(url, {
    headers: { 'x-gw-api-key': at.apiKey, 'x-gw-provider': '@main' },
  });
  clients.push(client);
  const messages: { data: Buffer; isBinary: boolean }[] = [];
  client.on('message', (data: RawData, isBinary) => messages.push({ data: data as Buffer, isBinary }));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    client.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const index = provider.accepted.length;
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
  return { client, messages, closed, upstream: await provider.connection(index) };
}

const lastRecord = (): Promise<LoggedRequest> => eventually(async () => (await gateway.records()).at(-1));

describe('realtime session', () => {
  it('forwards text, binary and empty messages both ways unchanged', async () => {
    const { client, upstream, messages } = await session();
    const sent = [
      { data: Buffer.from('{"type":"session.update","€":"ü"}'), isBinary: false },
      { data: Buffer.from([0, 255, 128, 10]), isBinary: true },
      { data: Buffer.alloc(0), isBinary: true },
      { data: Buffer.alloc(700_000, 'a'), isBinary: false },
    ];
    for (const { data, isBinary } of sent) client.send(data, { binary: isBinary });
    await eventually(() => upstream.messages.length === sent.length);
    expect(same(upstream.messages, sent)).toBe(true);
    for (const { data, isBinary } of sent) upstream.socket.send(data, { binary: isBinary });
    await eventually(() => messages.length === sent.length);
    expect(same(messages, sent)).toBe(true);
  });

  it('forwards a message that arrives in fragments', async () => {
    const { client, upstream, messages } = await session();
    for (const [text, fin] of [
      ['he', false],
      ['l', false],
      ['lo', true],
    ] as const) {
      client.send(text, { fin });
      upstream.socket.send(text, { fin });
    }
    await eventually(() => upstream.messages.length === 1 && messages.length === 1);
    expect([upstream.messages[0]?.data, messages[0]?.data].map(String)).toEqual(['hello', 'hello']);
  });

  it('forwards pings and pongs to the other side, whose response is returned', async () => {
    const { client, upstream } = await session();
    const seen: string[] = [];
    client.on('ping', (data: Buffer) => seen.push(`client pinged ${data.toString()}`));
    client.on('pong', (data: Buffer) => seen.push(`client ponged ${data.toString()}`));
    upstream.socket.on('ping', (data: Buffer) => seen.push(`provider pinged ${data.toString()}`));
    upstream.socket.on('pong', (data: Buffer) => seen.push(`provider ponged ${data.toString()}`));
    client.ping('c');
    await eventually(() => seen.length === 2);
    upstream.socket.ping('p');
    await eventually(() => seen.length === 4);
    expect(seen).toEqual(['provider pinged c', 'client ponged c', 'client pinged p', 'provider ponged p']);
  });

  it.each([
    [1000, 'OK'],
    [1001, ''],
    [1008, 'policy'],
    [4000, 'x'.repeat(123)],
  ])('forwards the close code %d and its reason both ways', async (code, reason) => {
    const first = await session();
    first.client.close(code, reason);
    await first.closed;
    await eventually(() => first.upstream.closed !== null);
    expect(first.upstream.closed).toMatchObject({ code, reason });
    expect((await lastRecord()).decision.session).toMatchObject({ closedBy: 'client', code, reason });

    const second = await session();
    second.upstream.socket.close(code, reason);
    expect(await second.closed).toEqual({ code, reason });
    expect(await lastRecord()).toMatchObject({
      outcome: code < 1002 ? 'ok' : 'provider_error',
      decision: { session: { closedBy: 'provider', code, reason } },
    });
  });

  it('forwards a close frame without a code', async () => {
    const { client, closed, upstream } = await session();
    client.close();
    expect(await closed).toEqual({ code: 1005, reason: '' });
    await eventually(() => upstream.closed?.code === 1005);
  });

  it('closes the provider’s side when the client disconnects, without waiting for a timeout', async () => {
    const { client, upstream } = await session();
    client.terminate();
    const { code } = await eventually(() => upstream.closed ?? undefined);
    expect(code).toBe(1001);
    expect(await lastRecord()).toMatchObject({
      outcome: 'client_closed',
      decision: { session: { closedBy: 'client', code: 1006 } },
    });
  });

  it('sends 1011 to the client when the provider disconnects, without waiting for a timeout', async () => {
    const { closed, upstream } = await session();
    upstream.transport.resetAndDestroy();
    expect((await closed).code).toBe(1011);
    expect(await lastRecord()).toMatchObject({
      status: 101,
      outcome: 'interrupted',
      errorType: 'stream_interrupted',
      decision: { session: { closedBy: 'provider', code: 1006 } },
    });
  });

  it.each([
    ['a masked frame', maskedFrame(0x81, Buffer.from('x')), 1002],
    ['an unknown opcode', Buffer.from('830178', 'hex'), 1002],
    ['invalid UTF-8', Buffer.from('8103e08080', 'hex'), 1007],
    ['a message over the maximum', Buffer.from('827f0000000000100001', 'hex'), 1009],
  ])('ends the session when the provider sends %s', async (_what, bytes, code) => {
    const { closed, upstream } = await session();
    upstream.transport.write(bytes);
    expect(await closed).toEqual({ code: 1011, reason: 'The provider violated the protocol.' });
    await eventually(() => upstream.closed?.code === code);
  });

  it('sends 1001 to the provider when the client violates the protocol', async () => {
    const headers = { ...HANDSHAKE, 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    const client = await RawClient.open(gateway.port, headers);
    const upstream = await provider.connection();
    client.send('810568656c6c6f');
    expect(await client.closeCode()).toBe(1002);
    await eventually(() => upstream.closed?.code === 1001);
    expect(await lastRecord()).toMatchObject({
      outcome: 'denied',
      decision: { session: { closedBy: 'gateway', code: 1002 } },
    });
    client.destroy();
  });

  it('closes a silent session with 1001, and not one that is only pinged', async () => {
    const idle = await GatewayHarness.start({ REALTIME_IDLE_TIMEOUT: '1500' });
    idle.addProvider('main', 'openai', provider.origin);
    // On a busy machine no ping may be sent for that time.
    await eventually(async () => {
      const silent = await session(idle);
      const pinged = await session(idle);
      const pinging = setInterval(() => pinged.client.ping(), 50);
      expect((await silent.closed).code).toBe(1001);
      await eventually(() => silent.upstream.closed?.code === 1001);
      const { readyState } = pinged.client;
      clearInterval(pinging);
      expect((await pinged.closed).code).toBe(1001);
      return readyState === WebSocket.OPEN;
    });
    await idle.stop();
  });

  it('ends sessions with 1001 when the process stops', async () => {
    const stopping = await GatewayHarness.start();
    stopping.addProvider('main', 'openai', provider.origin);
    const { closed, upstream } = await session(stopping);
    const stopped = stopping.stop();
    expect((await closed).code).toBe(1001);
    await eventually(() => upstream.closed?.code === 1001);
    await stopped;
  });
});

describe('back-pressure', () => {
  const PIECE = Buffer.alloc(262_144, 'x');
  const PIECES = 200;

  it.each(['client', 'provider'] as const)(
    'stops reading the other side while the %s does not read',
    async (slow) => {
      const { client, upstream, messages } = await session();
      const [to, from] = slow === 'client' ? [client, upstream.socket] : [upstream.socket, client];
      to.pause();
      let written = 0;
      for (let i = 0; i < PIECES; i += 1) from.send(PIECE, { binary: true }, () => (written += 1));
      let last = -1;
      await eventually(
        () => {
          const isStill = written === last;
          last = written;
          return isStill;
        },
        { everyMs: 300, timeoutMs: 90_000 },
      );
      // The kernel's socket buffers, four on the path, hold some megabytes; the rest waits at the
      // sender.
      expect(written).toBeLessThan(PIECES / 2);
      to.resume();
      const received = slow === 'client' ? messages : upstream.messages;
      await eventually(() => received.length === PIECES);
      expect(received.every(({ data }) => data.equals(PIECE))).toBe(true);
    },
  );
});

describe('record of a session', () => {
  it('sums the usage of all responses and prices it by text and audio', async () => {
    const { client, upstream, messages, closed } = await session();
    const created = { type: 'session.created', session: { model: 'gpt-realtime-2025-08-28' } };
    const about = {
      type: 'response.output_text.delta',
      delta: 'a "response.done" of {"usage":{"input_tokens":9}}',
    };
    const sent = [created, about, responseDone('a'), responseDone('b')].map((event) => JSON.stringify(event));
    for (const text of sent) upstream.socket.send(text);
    upstream.socket.send(Buffer.from(JSON.stringify(responseDone('c'))));
    client.send('{"type":"response.create"}');
    await eventually(() => messages.length === 5 && upstream.messages.length === 1);
    upstream.socket.close(1000, 'done');
    await closed;
    const [record] = await gateway.records();
    expect(record).toMatchObject({
      route: 'realtime',
      status: 101,
      outcome: 'ok',
      streamed: true,
      provider: 'openai',
      credential: 'main',
      model: 'gpt-realtime',
      responseModel: 'gpt-realtime-2025-08-28',
      // The third is in a binary frame, as some providers send all of their events.
      usage: {
        inputTokens: 390,
        outputTokens: 360,
        inputAudioTokens: 60,
        outputAudioTokens: 270,
        cacheReadTokens: 0,
      },
      // 330 tokens at 4, 60 at 32, 90 at 16 and 270 at 64 USD per million, in 1e-8 USD.
      cost: 330 * 400 + 60 * 3_200 + 90 * 1_600 + 270 * 6_400,
      priced: 'priced',
      requestBytes: 26,
      decision: {
        session: { closedBy: 'provider', code: 1000, reason: 'done', clientMessages: 1, providerMessages: 5 },
      },
    });
    expect(record?.durationMs).toBeGreaterThan(record?.firstByteMs ?? Infinity);
    expect(await gateway.records()).toHaveLength(1);
  });

  it.each(['client', 'provider'] as const)(
    'is durable before the client receives the close frame, when the %s closes',
    async (side) => {
      const durable: (() => void)[] = [];
      const append = jest
        .spyOn(Journal.prototype, 'append')
        .mockImplementation((_meta, _request, _response, then) => {
          durable.push(then);
          return true;
        });
      const { client, upstream, closed } = await session();
      let isClosed = false;
      void closed.then(() => (isClosed = true));
      (side === 'client' ? client : upstream.socket).close(4001, 'bye');
      // The provider has its close frame by then, so the client could have received one too.
      await eventually(() => durable.length === 1 && upstream.closed !== null);
      await new Promise((resolve) => setImmediate(resolve));
      expect(isClosed).toBe(false);
      for (const then of durable) then();
      expect(await closed).toEqual({ code: 4001, reason: 'bye' });
      append.mockRestore();
    },
  );

  it('bud-13: ends a session with 1008 after the response that reaches a limit, and charges that response', async () => {
    gateway.addKey('budget', { rateLimits: [{ type: 'tokens', unit: 'rpd', value: 100 }] });
    const headers = { ...HANDSHAKE, 'x-gw-api-key': 'budget', 'x-gw-provider': '@main' };
    const client = await RawClient.open(gateway.port, headers);
    const upstream = await provider.connection();
    upstream.socket.send(JSON.stringify(responseDone('a')));
    expect(await client.closeCode()).toBe(1008);
    const { outcome, usage, decision } = await lastRecord();
    expect([outcome, usage?.inputTokens, decision.session?.closedBy]).toEqual(['denied', 130, 'gateway']);
    client.destroy();
  });

  it('counts a session’s tokens against the limits of its key', async () => {
    gateway.addKey('tokens', { rateLimits: [{ type: 'tokens', unit: 'rpd', value: 100 }] });
    const headers = { ...HANDSHAKE, 'x-gw-api-key': 'tokens', 'x-gw-provider': '@main' };
    const client = await RawClient.open(gateway.port, headers);
    const upstream = await provider.connection();
    upstream.socket.send(JSON.stringify(responseDone('a')));
    upstream.socket.close(1000);
    await client.closeCode();
    expect((await RawClient.open(gateway.port, headers)).status).toBe(429);
    client.destroy();
  });
});

describe('official clients', () => {
  /**
   * A proxy in front of the gateway for clients that require TLS; its anonymous cipher needs no
   * certificate.
   */
  const ANONYMOUS = { ciphers: 'ADH-AES128-GCM-SHA256:@SECLEVEL=0', maxVersion: 'TLSv1.2' } as const;

  it('[SVC-03] openai: a realtime conversation, unchanged but for base URL and headers', async () => {
    const front = createTlsServer({ ...ANONYMOUS, dhparam: 'auto' }, (socket) => {
      const onward = connectTcp(gateway.port, '127.0.0.1');
      socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
      onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const { port } = front.address() as AddressInfo;
    const openai = new OpenAI({ apiKey: gateway.apiKey, baseURL: `https://127.0.0.1:${String(port)}/v1` });
    const options = { headers: { 'x-gw-provider': '@main' }, ...ANONYMOUS, rejectUnauthorized: false };
    const realtime = new OpenAIRealtimeWS({ model: 'gpt-realtime', options }, openai);
    const events: string[] = [];
    realtime.on('error', (error) => events.push(`error ${error.message}`));
    realtime.on('session.created', () => {
      realtime.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    });
    realtime.on('response.output_text.delta', ({ delta }) => events.push(delta));
    realtime.on('response.done', () => {
      events.push('done');
      realtime.close();
    });
    const { socket, messages, req } = await provider.connection();
    expect(req.headers['authorization']).toBe('Bearer sk-main');
    socket.send(JSON.stringify({ type: 'session.created', session: { model: 'gpt-realtime' } }));
    await eventually(() => messages.length === 1);
    expect(JSON.parse(String(messages[0]?.data))).toMatchObject({ type: 'response.create' });
    socket.send(JSON.stringify({ type: 'response.output_text.delta', delta: 'Hello!' }));
    socket.send(JSON.stringify(responseDone('a')));
    await eventually(() => events.includes('done'));
    expect(events).toEqual(['Hello!', 'done']);
    expect(await lastRecord()).toMatchObject({ outcome: 'ok', usage: { inputTokens: 130 } });
    await eventually(() => realtime.socket.readyState === WebSocket.CLOSED);
    front.close();
  });
});
