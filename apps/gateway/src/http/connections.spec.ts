import { connect, type Socket } from 'node:net';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { HANDSHAKE } from '../realtime/spec-support/raw-client';

let gateway: GatewayHarness;
let admin: StubProvider;
let finishFirst: () => void;

beforeEach(async () => {
  admin = await StubProvider.start();
  const after = new Promise<void>((resolve) => (finishFirst = resolve));
  admin.respond({ after, body: { plane: 'control' } }, { body: {} });
  gateway = await GatewayHarness.start({ ADMIN_URL: admin.origin });
});
afterEach(async () => {
  finishFirst();
  await gateway.stop();
  await admin.stop();
});

/** A connection that sends raw bytes and records what the gateway sends. */
class RawConnection {
  text = '';
  hasEnded = false;
  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => (this.text += bytes.toString('latin1')));
    socket.once('end', () => (this.hasEnded = true));
    socket.on('error', () => (this.hasEnded = true));
  }

  static open(): RawConnection {
    return new RawConnection(connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true }));
  }

  /** Sends requests in one piece, each as its line and its headers. */
  send(...requests: readonly (readonly [line: string, headers?: Readonly<Record<string, string>>])[]): void {
    const heads = requests.map(([line, headers = {}]) => {
      const fields = Object.entries({ host: 'gateway.test', ...headers });
      return [line, ...fields.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
    });
    this.socket.write(heads.join(''));
  }

  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }
}

const FIRST = ['GET /v1/configs HTTP/1.1'] as const;
const CONNECT = ['CONNECT provider.test:443 HTTP/1.1'] as const;

const openConnections = (): Promise<number> =>
  new Promise((resolve, reject) => {
    gateway.server.getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });

const noneOpen = (): Promise<boolean> => eventually(async () => (await openConnections()) === 0);

describe('a request after one without its response yet', () => {
  it('is not upgraded to a WebSocket, but served as an ordinary request', async () => {
    const client = RawConnection.open();
    client.send(FIRST, ['GET /v1/realtime?model=m HTTP/1.1', HANDSHAKE]);
    await eventually(() => admin.requests.length === 1);
    finishFirst();
    await eventually(() => client.hasEnded);
    expect(client.statuses).toEqual([200, 426]);
    client.socket.destroy();
  });

  it('is refused for its Expect header after the response to the first', async () => {
    const client = RawConnection.open();
    client.send(FIRST, ['GET /v1/configs HTTP/1.1', { expect: 'tea' }]);
    await eventually(() => admin.requests.length === 1);
    finishFirst();
    await eventually(() => client.hasEnded);
    expect(client.statuses).toEqual([200, 417]);
    client.socket.destroy();
  });

  it('closes the connection if it is CONNECT', async () => {
    const client = RawConnection.open();
    client.send(FIRST, CONNECT);
    await eventually(() => client.hasEnded);
    expect(client.statuses).toEqual([]);
    await noneOpen();
    client.socket.destroy();
  });

  it('ends with the connection, and its call as well, also if CONNECT follows', async () => {
    const provider = await StubProvider.start();
    provider.respond({ neverRespond: true });
    gateway.addProvider('main', 'openai', provider.origin);
    const called = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    const client = RawConnection.open();
    client.send(FIRST, ['GET /v1/models HTTP/1.1', called]);
    await eventually(() => provider.requests.length === 1);
    client.send(CONNECT);
    await eventually(() => provider.lastRequest.cancelled);
    await eventually(() => gateway.plane.requestsInFlight.isEmpty);
    expect(await gateway.records()).toMatchObject([{ outcome: 'client_closed' }]);
    client.socket.destroy();
    await provider.stop();
  });

  it('adds nothing to a response that has begun if it is not valid HTTP', async () => {
    const events = { 'content-type': 'text/event-stream' };
    admin.respond({ headers: events, steps: [{ chunk: 'data: 1\n\n' }, { hang: true }] });
    const client = RawConnection.open();
    client.send(FIRST);
    await eventually(() => client.text.includes('data: 1'));
    client.socket.write('nonsense\r\n\r\n');
    await eventually(() => client.hasEnded);
    expect(client.statuses).toEqual([200]);
    expect(client.text).not.toContain('request_malformed');
    client.socket.destroy();
  });
});

describe('a body that the control plane refuses', () => {
  it.each([
    ['announced', 'content-length: 12582912', Buffer.alloc(12 * 1_048_576)],
    [
      'in chunks',
      'transfer-encoding: chunked',
      Buffer.from(`c00000\r\n${'a'.repeat(0xc00000)}\r\n0\r\n\r\n`),
    ],
  ])('is read, so that a client that sends it whole gets the response (%s)', async (_how, header, body) => {
    const { socket } = RawConnection.open();
    let text = '';
    socket.pause();
    socket.write(`POST /v1/configs HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`);
    await new Promise((resolve) => socket.write(body, resolve));
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    socket.resume();
    await eventually(() => text.includes('body_too_large'));
    expect(text).toContain('HTTP/1.1 413 ');
    socket.destroy();
  });
});

describe('CONNECT', () => {
  it('does not stop the gateway when the client resets the connection', async () => {
    const client = RawConnection.open();
    client.send(CONNECT);
    await eventually(() => client.text.includes('method_not_allowed'));
    client.socket.resetAndDestroy();
    await noneOpen();
    expect((await fetch(`${gateway.baseUrl}/health/live`)).status).toBe(200);
  });

  it('is refused, and its connection closes although the client keeps it open', async () => {
    const client = RawConnection.open();
    client.send(CONNECT);
    await eventually(() => client.hasEnded);
    expect(client.statuses).toEqual([405]);
    await noneOpen();
    client.socket.destroy();
  });
});
