import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { eventually } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';

const PATIENT = { timeoutMs: 90_000 };
const SLOW_SENDERS = 200;
const LARGE = Buffer.alloc(24 * 1_048_576, 'x');

/** An admin API that counts the requests it receives, and responds by path. */
class StubAdmin {
  readonly heads: string[] = [];
  readonly bodies: string[] = [];
  readonly open = new Set<ServerResponse>();
  readonly server: Server = createServer((req, res) => {
    this.heads.push(`${req.method ?? ''} ${req.url ?? ''}`);
    this.open.add(res);
    res.once('close', () => this.open.delete(res));
    let text = '';
    req.on('data', (chunk: Buffer) => (text += chunk.toString()));
    req.once('end', () => {
      this.bodies.push(text);
      if (req.url === '/v1/logs/tail') {
        res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': tail\n\n');
      } else if (req.url === '/v1/audit-logs') res.end(LARGE);
      else res.end(JSON.stringify({ got: text.length }));
    });
  });
}

describe('control plane through the gateway', () => {
  let admin: StubAdmin;
  let gateway: GatewayHarness;
  let sockets: Socket[];

  const start = async (over: Record<string, string> = {}): Promise<void> => {
    const { port } = admin.server.address() as AddressInfo;
    gateway = await GatewayHarness.start({ ADMIN_URL: `http://127.0.0.1:${String(port)}`, ...over });
  };
  beforeEach(async () => {
    sockets = [];
    admin = new StubAdmin();
    await new Promise<void>((resolve) => admin.server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await gateway.stop();
    admin.server.closeAllConnections();
    await new Promise((resolve) => admin.server.close(resolve));
  });

  const open = (head: string, body = ''): { text: string; socket: Socket } => {
    const socket = connect(gateway.port, '127.0.0.1');
    const seen = { text: '', socket };
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => (seen.text += data.toString('latin1')));
    socket.write(`${head} HTTP/1.1\r\nHost: a\r\n`);
    socket.write(body === '' ? '\r\n' : body);
    return seen;
  };
  const call = async (method: string, path: string, body?: string): Promise<[number, unknown]> => {
    const response = await fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    });
    return [response.status, await response.json()];
  };
  const othersAreServed = async (): Promise<void> => {
    expect(await call('POST', '/v1/auth/login', '{"email":"a@b.c"}')).toEqual([200, { got: 17 }]);
    expect(await call('GET', '/v1/providers')).toEqual([200, { got: 0 }]);
  };

  it.each([
    ['an announced length', 'content-length: 1000\r\n\r\n{'],
    ['chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n'],
  ])(
    'serves other clients while 200 senders without a key send their bodies slowly, with %s',
    async (_how, body) => {
      await start();
      for (let index = 0; index < SLOW_SENDERS; index += 1) open('POST /v1/auth/login', body);
      await eventually(() =>
        sockets.every(({ bytesWritten, writableLength }) => bytesWritten > 0 && writableLength === 0),
      );
      await othersAreServed();
      // The admin API has received nothing from the slow senders.
      expect(admin.heads).toEqual(['POST /v1/auth/login', 'GET /v1/providers']);
    },
  );

  it('cuts a body that arrives more slowly than the minimum rate, and forwards nothing of it', async () => {
    await start({ BODY_IDLE_TIMEOUT: '100', BODY_MIN_RATE: '500' });
    const slow = open('POST /v1/auth/login', 'content-length: 1000\r\n\r\n{');
    await eventually(() => slow.text.startsWith('HTTP/1.1 408'), PATIENT);
    expect(slow.text).toContain('request_incomplete');
    expect(admin.heads).toEqual([]);
  });

  it('refuses a body that is too large for the admin API before the body arrives', async () => {
    await start();
    const large = open('POST /v1/auth/login', 'content-length: 10485761\r\n\r\n{');
    await eventually(() => large.text.startsWith('HTTP/1.1 413'), PATIENT);
    expect(large.text).toContain('10485760 bytes');
  });

  it('forwards bodies unchanged, with their length or in chunks', async () => {
    await start();
    const first = open('POST /v1/configs', 'content-length: 5\r\n\r\nab\r\nc');
    await eventually(() => first.text.includes('{"got":5}'), PATIENT);
    const second = open(
      'POST /v1/configs',
      'transfer-encoding: chunked\r\n\r\n2\r\nab\r\n3\r\n\r\nc\r\n0\r\n\r\n',
    );
    await eventually(() => second.text.includes('{"got":5}'), PATIENT);
    expect(admin.bodies).toEqual(['ab\r\nc', 'ab\r\nc']);
  });

  it('keeps places for other requests while streams are open, and refuses streams beyond their share', async () => {
    await start();
    const tails = Array.from({ length: 80 }, () => open('GET /v1/logs/tail'));
    const begunWith = (status: string): number =>
      tails.filter(({ text }) => text.startsWith(`HTTP/1.1 ${status}`)).length;
    await eventually(() => begunWith('200') + begunWith('503') === 80, PATIENT);
    expect([begunWith('200'), begunWith('503')]).toEqual([64, 16]);
    expect(tails.find(({ text }) => text.startsWith('HTTP/1.1 503'))?.text).toMatch(/retry-after: 10\r\n/i);
    await othersAreServed();
    for (const { socket } of tails) socket.destroy();
    await eventually(() => admin.open.size === 0, PATIENT);
    const again = open('GET /v1/logs/tail');
    await eventually(() => again.text.startsWith('HTTP/1.1 200'), PATIENT);
  });

  it('holds no place for clients that do not read their responses, and disconnects them', async () => {
    await start({ BODY_IDLE_TIMEOUT: '1000', BODY_MIN_RATE: '1000000' });
    const readers = Array.from({ length: 70 }, () => open('GET /v1/audit-logs'));
    for (const { socket } of readers) socket.pause();
    await eventually(() => admin.heads.length === 70, PATIENT);
    await othersAreServed();
    // The clients have read nothing, and the gateway has stopped reading too: their connections are
    // closed.
    await eventually(() => admin.open.size === 0, PATIENT);
    for (const { socket } of readers) socket.resume();
    await eventually(() => readers.every(({ socket }) => socket.destroyed), PATIENT);
    expect(readers.filter(({ text }) => text.length > LARGE.length)).toEqual([]);
  });

  it('delivers a large response completely to a client that reads it late', async () => {
    await start();
    const reader = open('GET /v1/audit-logs');
    reader.socket.pause();
    await eventually(() => admin.heads.length === 1, PATIENT);
    reader.socket.resume();
    await eventually(() => reader.text.length > LARGE.length, PATIENT);
  });
});
