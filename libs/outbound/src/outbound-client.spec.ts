import { stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import {
  closedAfterEach,
  httpServer,
  rawServer,
  requestTo,
  run,
  start,
  until,
  type Loopback,
  type Outcome,
} from './spec-support/loopback';

const { serve, client } = closedAfterEach();

/**
 * A server that responds to each request with these bytes, and then closes the connection if
 * `close` is set.
 */
const responding = (bytes: string, close = false): Promise<Loopback> =>
  serve(
    rawServer((socket) => {
      if (close) socket.end(bytes, 'latin1');
      else socket.write(bytes, 'latin1');
    }),
  );

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('OutboundClient', () => {
  it('sends path, headers and body unchanged and reuses the connection', async () => {
    const server = await serve(
      httpServer((req, res) => {
        const seen: Buffer[] = [];
        req.on('data', (chunk: Buffer) => seen.push(chunk));
        req.on('end', () => {
          res.end(
            JSON.stringify({ url: req.url, raw: req.rawHeaders, body: Buffer.concat(seen).toString() }),
          );
        });
      }),
    );
    const outbound = client();
    const headers = ['X-Case', 'Kept', 'x-twice', 'a', 'x-twice', 'b'];
    for (const round of [1, 2, 3]) {
      const body = Buffer.from(`{"round":${String(round)}}`);
      const got = await run(outbound, requestTo(server.origin, { path: '/v1/a%20b?q=1', headers, body }));
      expect(got).toMatchObject({ status: 200, error: null });
      expect(JSON.parse(got.body)).toEqual({
        url: '/v1/a%20b?q=1',
        raw: [
          ...['host', server.origin.slice(7), 'connection', 'keep-alive'],
          ...['X-Case', 'Kept', 'x-twice', 'a', 'x-twice', 'b', 'content-length', String(body.length)],
        ],
        body: body.toString(),
      });
    }
    expect(server.accepted()).toBe(1);
  });

  it('delivers the headers as a flat list, lower-cased, in order and with duplicates, and the bytes as received', async () => {
    const body = '\x1f\x8b not unpacked';
    const { origin } = await responding(
      `HTTP/1.1 201 X\r\nSet-Cookie: a=1\r\nX-Other: \xe9\r\nSet-Cookie: b=2\r\nContent-Encoding: gzip\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`,
    );
    const got = await run(client(), requestTo(origin));
    expect(got).toMatchObject({ status: 201, body, error: null });
    expect(got.headers.slice(0, 8)).toEqual([
      ...['set-cookie', 'a=1', 'x-other', '\xe9', 'set-cookie', 'b=2', 'content-encoding', 'gzip'],
    ]);
  });

  it('returns a redirect instead of following it, so that every address is checked', async () => {
    const { origin } = await responding(
      'HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n',
    );
    const got = await run(client(), requestTo(origin));
    expect(got).toMatchObject({ status: 302, error: null });
    expect(got.headers).toContain('http://169.254.169.254/');
  });

  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    [
      'several',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\nx: y\r\n\r\n',
    ],
  ])('skips interim responses (%s)', async (_name, interim) => {
    const { origin } = await responding(interim + OK);
    expect(await run(client(), requestTo(origin))).toMatchObject({
      status: 200,
      body: 'ok',
      error: null,
    });
  });

  it('skips an interim response that arrives byte by byte', async () => {
    const server = await serve(
      rawServer((socket) => {
        const bytes = [...`HTTP/1.1 100 Continue\r\n\r\n${OK}`];
        const next = (): void => {
          const byte = bytes.shift();
          if (byte !== undefined) socket.write(byte, () => setImmediate(next));
        };
        next();
      }),
    );
    expect(await run(client(), requestTo(server.origin))).toMatchObject({
      status: 200,
      body: 'ok',
      error: null,
    });
  });

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n'],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n'],
  ])('ends a %s response without a body at its headers', async (method, bytes) => {
    const { origin } = await responding(bytes);
    const got = await run(client(), requestTo(origin, { method, body: null }));
    expect(got).toMatchObject({ body: '', error: null });
  });

  it('accepts a response that arrives before the request body was read', async () => {
    const server = await serve(
      rawServer((socket) => {
        socket.pause();
        socket.write('HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 4\r\n\r\nlong');
      }),
    );
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    });
    const outbound = client();
    const got = await run(outbound, requestTo(server.origin, { body: { length: 1e9, open: () => endless } }));
    expect(got).toMatchObject({ status: 413, body: 'long', error: null });
    await until(() => endless.destroyed && outbound.stats().connections === 0);
    const buffered = await run(outbound, requestTo(server.origin, { body: Buffer.alloc(20_000_000) }));
    expect(buffered).toMatchObject({ status: 413, body: 'long', error: null });
  });

  it('streams a request body with back-pressure', async () => {
    let read: (() => void) | undefined;
    const server = await serve(
      httpServer((req, res) => {
        let length = 0;
        read = () => {
          req.on('data', (chunk: Buffer) => (length += chunk.length));
          req.on('end', () => res.end(String(length)));
        };
      }),
    );
    let produced = 0;
    const total = 50_000_000;
    const body = new Readable({
      read(size) {
        const piece = Math.min(size, total - produced);
        produced += piece;
        this.push(piece === 0 ? null : Buffer.alloc(piece));
      },
    });
    const call = start(
      client(),
      requestTo(server.origin, { body: { length: total, open: () => body }, headersTimeoutMs: 20_000 }),
    );
    await until(() => read !== undefined);
    let last = -1;
    let still = 0;
    // The source has stopped when nothing more is produced for many turns of the event loop.
    await until(() => {
      still = produced === last ? still + 1 : 0;
      last = produced;
      return still > 200;
    });
    expect(produced).toBeLessThan(20_000_000);
    read?.();
    expect(await call.outcome).toMatchObject({ status: 200, body: String(total), error: null });
  });
});

describe('OutboundClient with broken responses', () => {
  it.each([
    [
      'closes inside a body of known length',
      'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf',
      'interrupted',
    ],
    [
      'closes inside a chunked body',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      'interrupted',
    ],
    ['closes inside the headers', 'HTTP/1.1 200 OK\r\nx-a: b\r\n', 'interrupted'],
    [
      'sends a bad chunk size',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhalf\r\n',
      'interrupted',
    ],
    [
      'sends two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      'interrupted',
    ],
    [
      'sends length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'interrupted',
    ],
    ['sends no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'interrupted'],
    [
      'switches protocols without a request',
      'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'interrupted',
    ],
    ['closes before a byte', '', 'unreachable'],
  ])('fails once, with the right failure, when the provider %s', async (_what, bytes, failure) => {
    const { origin } = await responding(bytes, true);
    const got = await run(client(), requestTo(origin));
    expect(got.error).toMatchObject({ failure });
  });

  it('fails as interrupted when the connection is reset inside a body that only its end delimits', async () => {
    const server = await serve(
      rawServer((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhalf', () => undefined)),
    );
    const call = start(client(), requestTo(server.origin));
    await until(() => call.bytes() === 4);
    for (const socket of server.sockets) socket.resetAndDestroy();
    expect((await call.outcome).error).toMatchObject({ failure: 'interrupted' });
  });

  it('accepts the orderly end of a connection as the end of a body without length', async () => {
    const { origin } = await responding('HTTP/1.1 200 OK\r\n\r\nwhole', true);
    expect(await run(client(), requestTo(origin))).toMatchObject({ body: 'whole', error: null });
  });

  it('refuses headers over the maximum, so that a provider cannot fill the memory', async () => {
    const { origin } = await responding(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(80_000)}\r\n\r\n`);
    expect((await run(client(), requestTo(origin))).error).toMatchObject({ failure: 'interrupted' });
  });

  it('fails as unreachable when nothing listens', async () => {
    const server = await httpServer(() => undefined);
    await server.close();
    expect((await run(client(), requestTo(server.origin))).error).toMatchObject({ failure: 'unreachable' });
  });

  it('fails a request that HTTP/1.1 cannot express, and continues to work', async () => {
    const { origin } = await responding(OK);
    const outbound = client();
    for (const headers of [
      ['bad name', 'x'],
      ['x', 'a\nb'],
      ['x', '\u20ac'],
    ]) {
      const got = await run(outbound, requestTo(origin, { headers }));
      expect(got.error).toMatchObject({ failure: 'unreachable' });
    }
    expect(await run(outbound, requestTo(origin))).toMatchObject({ status: 200, error: null });
  });

  it('fails as aborted when the request body breaks off', async () => {
    const { origin } = await responding(OK);
    const failing = new Readable({
      read() {
        this.destroy(new Error('the client left'));
      },
    });
    const sent = requestTo(origin, { body: { length: 10, open: () => failing } });
    expect((await run(client(), sent)).error).toMatchObject({ failure: 'aborted' });
  });
});

describe('OutboundClient with reused connections that the provider closes', () => {
  /**
   * Serves the first request, and closes the connection on the others without a byte. Returns the
   * methods that it received.
   */
  const closingAfterFirst = async (
    close: (socket: Socket) => void,
  ): Promise<Loopback & { readonly seen: string[] }> => {
    const seen: string[] = [];
    const server = await serve(
      rawServer((socket, _count, head) => {
        seen.push(head.split(' ')[0] as string);
        if (seen.length === 1) socket.write(OK);
        else close(socket);
      }),
    );
    return { ...server, seen };
  };
  const STALE = { failure: 'unreachable', reason: 'reused_connection_closed' };

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'never sends a %s again that was written to one, however it closes',
    async (method) => {
      for (const close of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.end()]) {
        const server = await closingAfterFirst(close);
        const outbound = client();
        expect(await run(outbound, requestTo(server.origin))).toMatchObject({ status: 200 });
        const got = await run(outbound, requestTo(server.origin, { method }));
        expect(got.error).toMatchObject(STALE);
        expect([server.seen, server.accepted()]).toEqual([['POST', method], 1]);
      }
    },
  );

  it('never resends a streamed body, and closes it', async () => {
    const server = await closingAfterFirst((socket) => socket.resetAndDestroy());
    const outbound = client();
    await run(outbound, requestTo(server.origin));
    const opened: Readable[] = [];
    const open = (): Readable => {
      opened.push(Readable.from([Buffer.from('ab'), Buffer.from('cd')]));
      return opened.at(-1) as Readable;
    };
    const got = await run(outbound, requestTo(server.origin, { body: { length: 4, open } }));
    expect(got.error).toMatchObject(STALE);
    expect(server.seen).toHaveLength(2);
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('reports a new connection that closed without a response as not reused', async () => {
    const server = await serve(rawServer((socket) => socket.resetAndDestroy()));
    const { error } = await run(client(), requestTo(server.origin));
    expect(error).toMatchObject({ failure: 'unreachable', reason: 'connection_closed' });
  });

  it('opens a new connection for each of 25 idle ones that closed before the request was written', async () => {
    const server = await serve(rawServer((socket) => void socket.write(OK)));
    const outbound = client({ maxConnectionsPerOrigin: 25 });
    const burst = (): Promise<Outcome>[] =>
      Array.from({ length: 25 }, () => run(outbound, requestTo(server.origin)));
    await Promise.all(burst());
    expect(outbound.stats().idleConnections).toBe(25);
    const idleSince = performance.now();
    await until(() => performance.now() - idleSince > 150);
    // Until the end of this turn of the event loop nothing is read, so the calls begin before the
    // client detects the ends.
    await stat('.');
    for (const socket of server.sockets) socket.destroy();
    const outcomes = await Promise.all(burst());
    expect(outcomes.map(({ status, error }) => [status, error])).toEqual(Array(25).fill([200, null]));
    expect(server.accepted()).toBe(50);
  });
});
