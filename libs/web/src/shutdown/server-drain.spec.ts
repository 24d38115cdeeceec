import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { ServerDrain } from './server-drain';

describe('ServerDrain', () => {
  let server: Server;
  let drain: ServerDrain;
  let handle: (res: ServerResponse) => void;
  const clients: Client[] = [];

  /** A client that keeps its connection open and records what it reads. */
  class Client {
    read = '';
    private constructor(readonly socket: Socket) {
      socket.on('data', (chunk: Buffer) => (this.read += chunk.toString('latin1')));
      socket.on('error', () => undefined);
    }
    static async open(): Promise<Client> {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      await once(socket, 'connect');
      const client = new Client(socket);
      clients.push(client);
      return client;
    }
    async get(): Promise<string> {
      this.read = '';
      this.socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      while (!this.read.includes('\r\n\r\n')) await once(this.socket, 'data');
      return this.read;
    }
    ended(): Promise<unknown> {
      return this.socket.closed ? Promise.resolve() : once(this.socket, 'close');
    }
  }

  beforeEach(async () => {
    handle = (res) => res.end('ok');
    server = createServer((_req, res) => {
      handle(res);
    });
    drain = new ServerDrain(server, 20);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    server.close();
  });

  it('closes connections after the in-flight response and after all later ones once shutdown is announced', async () => {
    const [before, inFlight, later] = [await Client.open(), await Client.open(), await Client.open()];
    expect(await before.get()).toMatch(/connection: keep-alive/i);
    let waiting!: ServerResponse;
    const arrived = new Promise<void>((resolve) => {
      handle = (res) => {
        waiting = res;
        resolve();
      };
    });
    const response = inFlight.get();
    await arrived;
    handle = (res) => res.end('ok');
    drain.announce();
    waiting.end('late');
    expect(await response).toMatch(/connection: close/i);
    expect(await later.get()).toMatch(/connection: close/i);
    expect(await before.get()).toMatch(/connection: close/i);
    await Promise.all([before.ended(), inFlight.ended(), later.ended()]);
  });

  it('serves requests on open connections after it stops accepting new ones', async () => {
    const client = await Client.open();
    await client.get();
    await drain.close();
    expect(server.listening).toBe(false);
    expect(await client.get()).toMatch(/^HTTP\/1.1 200 [^]*connection: close/i);
    await client.ended();
  });

  it('serves every connection that the system accepted before it stopped accepting', async () => {
    const { port } = server.address() as AddressInfo;
    // The system accepts connections to itself within the call: none of these has reached the
    // server yet.
    const queued = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'));
    const responses = queued.map(async (socket) => {
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      let read = '';
      for await (const chunk of socket) read += String(chunk);
      return read.slice(0, 12);
    });
    const closed = drain.close();
    expect(await Promise.all(responses)).toEqual(queued.map(() => 'HTTP/1.1 200'));
    await closed;
  });

  it('closes idle connections, used or not, and keeps those with a response in flight', async () => {
    const [idle, unused, streaming] = [await Client.open(), await Client.open(), await Client.open()];
    await idle.get();
    let stream!: ServerResponse;
    handle = (res) => {
      stream = res;
      res.write('first');
    };
    await streaming.get();
    const closed = once(server, 'close');
    await drain.close();
    await Promise.all([idle.ended(), unused.ended()]);
    expect(streaming.socket.closed).toBe(false);
    stream.end('last');
    await streaming.ended();
    await closed;
    expect(streaming.read).toContain('last');
  });

  it('does not close upgraded connections', async () => {
    server.on('upgrade', (_req, socket: Socket) => {
      drain.release(socket);
      socket.on('end', () => socket.destroy());
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    });
    const [session, idle] = [await Client.open(), await Client.open()];
    session.socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    await once(session.socket, 'data');
    await drain.close();
    await idle.ended();
    expect(session.socket.closed).toBe(false);
    session.socket.end();
    await session.ended();
  });
});
