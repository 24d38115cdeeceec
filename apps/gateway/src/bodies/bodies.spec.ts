import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const MIB = 1_048_576;
const CHUNK = '1\r\nx\r\n';
const isChunked = (index: number): boolean => index === 0;

describe('request bodies', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  async function start(times: Record<string, string> = {}): Promise<void> {
    gateway = await GatewayHarness.start({
      MAX_BUFFERED_BODY: String(MIB),
      MAX_BODY: String(8 * MIB),
      MAX_BODY_MEMORY: String(2 * MIB),
      MAX_CONNECTIONS: '60',
      ...times,
    });
    gateway.addProvider('main', 'openai', stub.origin);
  }
  async function restart(times: Record<string, string>): Promise<void> {
    await gateway.stop();
    await start(times);
  }

  beforeEach(async () => {
    stub = await StubProvider.start();
    stub.respondJson({ ok: true });
    await start();
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const post = (
    path: string,
    body: Buffer | string,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        'content-type': 'application/octet-stream',
        ...headers,
      },
      body,
    });

  it('forwards a passthrough body that is too large for memory byte for byte', async () => {
    const body = Buffer.alloc(4 * MIB, 7);
    expect((await post('/files', body)).status).toBe(200);
    expect(stub.lastRequest.body.equals(body)).toBe(true);
    expect((await gateway.records())[0]).toMatchObject({ requestBodyTruncated: true, outcome: 'ok' });
  });

  it('refuses a body over the limit with 413 without calling the provider', async () => {
    const refused = await post('/files', Buffer.alloc(9 * MIB));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ error: { type: 'body_too_large', code: 'AB01' } });
    expect((await post('/chat/completions', Buffer.alloc(2 * MIB, 0x20))).status).toBe(413);
    expect(stub.requests).toHaveLength(0);
  });

  it('returns 503 when request bodies exceed the memory for all bodies, and frees the memory afterwards', async () => {
    // Long enough that a busy machine observes the refusals before the body times out.
    await restart({ BODY_IDLE_TIMEOUT: '6000' });
    const sendAllButOneByte = (): Socket => {
      const socket = connect(gateway.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('data', () => socket.destroy());
      socket.write(
        `POST /v1/things HTTP/1.1\r\nHost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @main\r\n` +
          `content-length: ${String(MIB - 1)}\r\n\r\n${'x'.repeat(MIB - 2)}`,
      );
      return socket;
    };
    let slow = sendAllButOneByte();
    await eventually(async () => {
      // The slow request is refused itself when a probe holds memory at the moment its last bytes
      // arrive.
      if (slow.destroyed) slow = sendAllButOneByte();
      return (await post('/things', Buffer.alloc(1_000))).status === 503;
    });
    // The body exceeds the idle timeout, and its memory is free again.
    await eventually(async () => (await post('/things', Buffer.alloc(1_000))).status === 200);
    slow.destroy();
  });

  it('ends bodies that take longer than the total time allowed, and serves other requests meanwhile', async () => {
    await restart({ BODY_TIMEOUT: '2000' });
    const responses: string[] = [];
    const slow = Array.from({ length: 50 }, (_, index) => {
      const socket = connect(gateway.port, '127.0.0.1');
      responses[index] = '';
      socket.on('error', () => undefined);
      socket.on('data', (data) => (responses[index] += data.toString()));
      socket.write(
        `POST /v1/things HTTP/1.1\r\nHost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @main\r\n` +
          (isChunked(index)
            ? `transfer-encoding: chunked\r\n\r\n${CHUNK}`
            : 'content-length: 10000\r\n\r\nx'),
      );
      return socket;
    });
    // Sends often enough to stay below the idle timeout.
    const trickle = setInterval(() => {
      slow.forEach((socket, index) => socket.writable && socket.write(isChunked(index) ? CHUNK : 'x'));
    }, 50);
    expect((await post('/things', 'quick')).status).toBe(200);
    await eventually(() => responses.every((response) => response.startsWith('HTTP/1.1 408')));
    clearInterval(trickle);
    for (const socket of slow) socket.destroy();
    expect(stub.requests).toHaveLength(1);
    expect(
      (await gateway.records()).filter(({ errorType }) => errorType === 'request_incomplete'),
    ).toHaveLength(50);
  });

  it('ends a request whose body never arrives', async () => {
    await restart({ BODY_IDLE_TIMEOUT: '300' });
    const socket = connect(gateway.port, '127.0.0.1');
    let response = '';
    socket.on('data', (data) => (response += data.toString()));
    socket.write(
      `POST /v1/things HTTP/1.1\r\nHost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @main\r\n` +
        'content-length: 10\r\n\r\n',
    );
    await eventually(() => response.startsWith('HTTP/1.1 408'));
    socket.destroy();
  });

  it('closes connections above the maximum, serves those below it, and accepts new ones when others end', async () => {
    const open = Array.from({ length: 70 }, () => connect(gateway.port, '127.0.0.1'));
    let closed = 0;
    for (const socket of open) {
      socket.on('error', () => undefined);
      socket.once('close', () => (closed += 1));
    }
    await eventually(() => closed >= 10);
    expect(closed).toBe(10);
    const alive = open.find((socket) => !socket.destroyed);
    let response = '';
    alive?.on('data', (data) => (response += data.toString()));
    alive?.write('GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => response.startsWith('HTTP/1.1 200'));
    for (const socket of open) socket.destroy();
    await eventually(async () => (await post('/things', 'x').catch(() => null))?.status === 200);
  });

  it('does not read the body of an unknown caller', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    let response = '';
    socket.on('data', (data) => (response += data.toString()));
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nx-gw-api-key: nobody\r\ncontent-length: 1000\r\n\r\n',
    );
    await eventually(() => response.startsWith('HTTP/1.1 401'));
    socket.destroy();
  });

  it.each([
    ['not JSON', '{"model":'],
    ['an array', '[]'],
  ])('refuses %s on a built-in route with 400', async (_what, body) => {
    const refused = await post('/chat/completions', body, { 'content-type': 'application/json' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { type: 'body_invalid' } });
    expect(stub.requests).toHaveLength(0);
  });

  it('forwards the body as it was parsed when duplicate members make it ambiguous on a built-in route', async () => {
    gateway.addProvider('main', 'openai', stub.origin, { allowAllModels: false, models: [model('cheap')] });
    const twice = '{"model":"expensive","messages":[],"model":"cheap"}';
    expect((await post('/chat/completions', twice, { 'content-type': 'application/json' })).status).toBe(200);
    expect(stub.lastRequest.body.toString()).toBe('{"model":"cheap","messages":[]}');
  });

  it('refuses a disabled model that is hidden in an unparsed body or query, where all other models are allowed', async () => {
    const disabled = { ...model('expensive'), enabled: false };
    gateway.addProvider('main', 'openai', stub.origin, { allowAllModels: true, models: [disabled] });
    const body = '{"model":"expensive"}';
    const json = { 'content-type': 'application/json' };
    const refused: [string, Buffer | string, Record<string, string>][] = [
      ['', body, json],
      ['', gzipSync(body), { ...json, 'content-encoding': 'gzip' }],
      [
        '',
        '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nexpensive\r\n--b--\r\n',
        { 'content-type': 'multipart/form-data; boundary=b' },
      ],
      ['', `[${body}]`, json],
      ['', Buffer.from(body, 'utf16le'), json],
      ['', Buffer.alloc(2 * MIB, 0x20), json],
      ['?model=expensive', '{"model":"cheap"}', json],
      ['?model=expensive', '', json],
    ];
    for (const [query, sent, headers] of refused) {
      const response = await post(`/proxy/chat/completions${query}`, sent, headers);
      expect([query, headers, response.status]).toEqual([query, headers, 412]);
      expect(await response.json()).toMatchObject({ error: { type: 'model_not_enabled' } });
    }
    expect(stub.requests).toHaveLength(0);
    for (const sent of ['{"model":"cheap"}', '{"purpose":"batch"}'])
      expect((await post('/proxy/chat/completions?model=cheap', sent, json)).status).toBe(200);
  });

  it('names the limit, the size and the setting when a body is too large', async () => {
    const sizes: [string, number, string, number][] = [
      ['/files', 9 * MIB, 'MAX_BODY', 8 * MIB],
      ['/chat/completions', 2 * MIB, 'MAX_BUFFERED_BODY', MIB],
    ];
    for (const [path, size, setting, limit] of sizes) {
      const { error } = (await (await post(path, Buffer.alloc(size, 0x20))).json()) as {
        error: { message: string };
      };
      for (const part of [size, limit, `${setting}.`]) expect(error.message).toContain(String(part));
    }
  });

  it('enforces the allow-list of models for any content type and for unreadable bodies', async () => {
    gateway.addProvider('main', 'openai', stub.origin, { allowAllModels: false, models: [model('cheap')] });
    for (const body of ['{"model":"expensive"}', ' \n{"model":"expensive"}', 'model=expensive']) {
      const refused = await post('/proxy/chat/completions', body, { 'content-type': 'text/plain' });
      expect(refused.status).toBe(412);
      expect(await refused.json()).toMatchObject({ error: { type: 'model_not_enabled' } });
    }
    expect(stub.requests).toHaveLength(0);
  });
});

const model = (slug: string) => ({
  slug,
  enabled: true,
  isCustom: false,
  baseModelSlug: null,
  customHost: null,
  customHeaders: {},
  price: null,
});
