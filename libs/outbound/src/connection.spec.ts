import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { CERTIFICATE, PRIVATE_KEY } from './spec-support/certificate';
import {
  closedAfterEach,
  httpServer,
  listen,
  rawServer,
  requestTo,
  run,
  until,
  type Loopback,
  type Outcome,
} from './spec-support/loopback';
import type { BodySource, OutboundRequest } from './types';
import type * as PublicNetwork from './spec-support/public-network';

jest.mock('node:tls', () =>
  jest
    .requireActual<typeof PublicNetwork>('./spec-support/public-network')
    .routedTls(jest.requireActual('node:tls')),
);

const { serve, client } = closedAfterEach();

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const FORGED = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged';

const sourceOf = (length: number, stream: Readable): BodySource => ({ length, open: () => stream });

describe('Connection reuse', () => {
  /** Returns how many connections two consecutive calls use, given the provider's responses. */
  const connectionsFor = async (
    response: string,
    changes: Partial<OutboundRequest> = {},
  ): Promise<number> => {
    const server = await serve(rawServer((socket) => void socket.write(response)));
    const outbound = client();
    for (const round of [1, 2]) {
      const got = await run(outbound, requestTo(server.origin, changes));
      expect([round, got.status, got.error]).toEqual([round, 200, null]);
      expect(['', 'ok']).toContain(got.body);
    }
    return server.accepted();
  };

  it('reuses a connection after a complete response', async () => {
    expect(await connectionsFor(OK)).toBe(1);
  });

  it.each([
    ['the provider closes it', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'],
    [
      'the provider is about to close it',
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n',
    ],
    ['the provider speaks HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['another response follows without a request', OK + FORGED],
    ['a stray line follows', `${OK}\r\n`],
  ])('does not reuse a connection when %s', async (_when, response) => {
    expect(await connectionsFor(response)).toBe(2);
  });

  it('does not reuse a connection after a HEAD response that announces a body, because the body may follow', async () => {
    const response = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n';
    expect(await connectionsFor(response, { method: 'HEAD', body: null })).toBe(2);
  });

  it('does not reuse a connection on which the provider sent bytes without a request, and never reads them as a response', async () => {
    const sockets: Socket[] = [];
    const server = await serve(
      rawServer((socket) => {
        sockets.push(socket);
        socket.write(OK);
      }),
    );
    const outbound = client();
    await run(outbound, requestTo(server.origin));
    expect(outbound.stats()).toMatchObject({ idleConnections: 1 });
    sockets[0]?.write(FORGED);
    await until(() => outbound.stats().connections === 0 && server.sockets.size === 0);
    expect(await run(outbound, requestTo(server.origin))).toMatchObject({ body: 'ok', error: null });
  });

  it('does not reuse a connection that the provider closed while it was idle', async () => {
    const server = await serve(rawServer((socket) => void socket.write(OK, () => socket.end())));
    const outbound = client();
    for (let round = 0; round < 3; round += 1) {
      expect(await run(outbound, requestTo(server.origin))).toMatchObject({ body: 'ok', error: null });
      await until(() => outbound.stats().connections === 0 && server.sockets.size === 0);
    }
  });

  it('does not reuse a connection whose response arrived before the request was sent', async () => {
    const server = await serve(rawServer((socket) => void socket.pause().write(OK)));
    const outbound = client();
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    });
    for (const body of [sourceOf(1e9, endless), Buffer.alloc(20_000_000)]) {
      expect(await run(outbound, requestTo(server.origin, { body }))).toMatchObject({
        body: 'ok',
        error: null,
      });
      expect(outbound.stats()).toMatchObject({ connections: 0 });
    }
    expect(endless.destroyed).toBe(true);
  });
});

describe('Connection: requests', () => {
  const echo = (): Promise<Loopback> =>
    serve(
      httpServer((req, res) => {
        const seen: Buffer[] = [];
        req.on('data', (chunk: Buffer) => seen.push(chunk));
        req.on('end', () =>
          res.end(JSON.stringify([req.method, req.rawHeaders.slice(4), Buffer.concat(seen).length])),
        );
      }),
    );
  const sent = async (changes: Partial<OutboundRequest>): Promise<unknown> => {
    const { origin } = await echo();
    const got = await run(client(), requestTo(origin, { headers: [], ...changes }));
    return got.error ?? JSON.parse(got.body);
  };

  it.each<[string, Partial<OutboundRequest>, string[], number]>([
    ['GET', { body: null }, [], 0],
    ['DELETE', { body: Buffer.from('ab') }, ['content-length', '2'], 2],
    ['POST', { body: null }, ['content-length', '0'], 0],
    ['PUT', { body: Buffer.alloc(0) }, ['content-length', '0'], 0],
    ['POST', { body: Buffer.alloc(100_000) }, ['content-length', '100000'], 100_000],
    [
      'PATCH',
      { body: Buffer.alloc(2), headers: ['Content-Length', '9', 'Host', 'x', 'connection', 'close'] },
      ['content-length', '2'],
      2,
    ],
  ])('%s %j', async (method, changes, headers, length) => {
    expect(await sent({ method, ...changes })).toEqual([method, headers, length]);
  });

  it('sends a streamed body with its own length, including texts and empty pieces, and ignores the length in the headers', async () => {
    const body = sourceOf(5, Readable.from(['ab', Buffer.from('cd'), Buffer.alloc(0), 'e']));
    expect(await sent({ body, headers: ['content-length', '9'] })).toEqual([
      'POST',
      ['content-length', '5'],
      5,
    ]);
  });

  it('sends a streamed body without any piece', async () => {
    expect(await sent({ body: sourceOf(0, Readable.from([])) })).toEqual([
      'POST',
      ['content-length', '0'],
      0,
    ]);
  });

  it.each([
    ['shorter', 6],
    ['longer', 4],
  ])('stops sending a streamed body that is %s than its length', async (_what, length) => {
    const body = sourceOf(length, Readable.from([Buffer.from('abc'), Buffer.from('de')]));
    expect(await sent({ body })).toMatchObject({ failure: 'aborted' });
  });

  it('sends nothing of a streamed body that was destroyed', async () => {
    const gone = Readable.from(['a']).on('error', () => undefined);
    gone.destroy();
    expect(await sent({ body: sourceOf(1, gone) })).toMatchObject({ failure: 'aborted' });
  });

  it.each<[string, Partial<OutboundRequest>]>([
    ['a line break in the path', { path: '/a\r\nx: y' }],
    ['a blank in the path', { path: '/a b' }],
    ['a path in another alphabet', { path: '/\u20ac' }],
    ['a path without a slash', { path: 'a' }],
    ['an empty path', { path: '' }],
    ['a line break in the method', { method: 'GET\r\n' }],
    ['a blank in the method', { method: 'GET /x' }],
    ['an empty method', { method: '' }],
    ['CONNECT', { method: 'CONNECT' }],
    ['a line break in a value', { headers: ['x', 'a\r\nb: c'] }],
    ['a lone CR in a value', { headers: ['x', 'a\rb'] }],
    ['NUL in a value', { headers: ['x', 'a\0'] }],
    ['a colon in a name', { headers: ['x:y', 'a'] }],
    ['a line break in a name', { headers: ['x\r\ny', 'a'] }],
    ['an empty name', { headers: ['', 'a'] }],
    ['a name without a value', { headers: ['x'] }],
    ['another framing', { headers: ['Transfer-Encoding', 'chunked'] }],
    ['an upgrade', { headers: ['upgrade', 'websocket'] }],
  ])('sends nothing for a request with %s', async (_what, changes) => {
    const server = await echo();
    const outbound = client();
    // Twice, because names are cached after the first time.
    for (let round = 0; round < 2; round += 1) {
      const got = await run(outbound, requestTo(server.origin, changes));
      expect(got.error).toMatchObject({
        failure: 'unreachable',
        message: 'The request cannot be sent as HTTP/1.1.',
      });
    }
    expect(server.accepted()).toBe(0);
    expect(outbound.stats()).toMatchObject({ pools: 0, calls: 0, timers: 0 });
  });
});

describe('Connection that the provider closes in the event-loop turn in which a call takes it', () => {
  it.each([
    ['closes it', '', false],
    ['breaks it', '', true],
    ['says why and closes it', 'HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n', false],
  ])(
    'moves the call to a new connection when the provider %s, and never returns an older response',
    async (_how, last, isReset) => {
      const sockets: Socket[] = [];
      const server = await serve(
        rawServer((socket, count) => {
          sockets.push(socket);
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${String(count)}`);
        }),
      );
      const outbound = client();
      expect(await run(outbound, requestTo(server.origin))).toMatchObject({ body: '1' });
      const socket = sockets[0] as Socket;
      if (isReset) socket.resetAndDestroy();
      else await new Promise<void>((resolve) => socket.end(last, resolve));
      // The provider's bytes are read after the next timer has run, and before anything is sent.
      const got = await new Promise<Outcome>((resolve) => {
        setTimeout(() => void run(outbound, requestTo(server.origin)).then(resolve), 1);
        const until = performance.now() + 3;
        while (performance.now() < until);
      });
      expect(got).toMatchObject({ status: 200, body: '2', error: null });
      expect(server.accepted()).toBe(2);
    },
  );
});

describe('Connection: responses', () => {
  it('fails as interrupted when the provider sends bytes before the request', async () => {
    const server = await serve(
      listen(
        createHttpsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }).on('secureConnection', (socket) =>
          socket.write(FORGED),
        ),
        'https',
      ),
    );
    const got = await run(client(), requestTo(server.origin));
    // Its bytes may arrive before or after the request was sent.
    expect(got.error?.failure ?? got.body).toMatch(/interrupted|forged/);
  });

  it.each(['http', 'https'])(
    'delivers pieces in order over %s, with pauses, to many concurrent calls without mixing them',
    async (scheme) => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251));
      const respondTo = (url: string): Buffer => bytes.subarray(Number(url.slice(1)));
      const server = await serve(
        scheme === 'http'
          ? httpServer((req, res) => void res.end(respondTo(String(req.url))))
          : listen(
              createHttpsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (req, res) => {
                res.write(respondTo(String(req.url)).subarray(0, 1_000));
                res.end(respondTo(String(req.url)).subarray(1_000));
              }),
              'https',
            ),
      );
      const outbound = client();
      const one = (offset: number): Promise<Buffer> =>
        new Promise((resolve, reject) => {
          const pieces: Buffer[] = [];
          let isPaused = false;
          const call = outbound.dispatch(requestTo(server.origin, { path: `/${String(offset)}` }), {
            onHeaders: () => undefined,
            onData: (piece) => {
              if (isPaused) reject(new Error('data while paused'));
              pieces.push(piece);
              isPaused = true;
              call.pause();
              setImmediate(() => {
                isPaused = false;
                call.resume();
              });
            },
            onEnd: () => (isPaused ? reject(new Error('end while paused')) : resolve(Buffer.concat(pieces))),
            onError: reject,
          });
        });
      for (let round = 0; round < 2; round += 1) {
        const offsets = Array.from({ length: 10 }, (_, index) => 1_000 * index);
        const got = await Promise.all(offsets.map(one));
        expect(got.map((body, index) => body.equals(respondTo(`/${String(1_000 * index)}`)))).toEqual(
          offsets.map(() => true),
        );
      }
      expect(server.accepted()).toBeLessThanOrEqual(10);
    },
  );

  it.each([
    ['with a length', 'content-length: 100000\r\n'],
    ['without a length', ''],
  ])('delivers all of an https response %s that the provider ends during a pause', async (_which, head) => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 251));
    let isSent = false;
    const server = await serve(
      listen(
        createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) => {
          socket.once('data', () => {
            socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n`);
            socket.end(bytes, () => (isSent = true));
          });
        }),
        'https',
      ),
    );
    const outbound = client();
    const pieces: Buffer[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      const call = outbound.dispatch(requestTo(server.origin), {
        onHeaders: () => {
          call.pause();
          until(() => isSent).then(() => setImmediate(() => call.resume()), reject);
        },
        onData: (piece) => {
          pieces.push(piece);
          call.pause();
          setImmediate(() => call.resume());
        },
        onEnd: resolve,
        onError: reject,
      });
    });
    await ended;
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(outbound.stats()).toMatchObject({ calls: 0 });
  });

  it('reads at most 128 KiB of a response in one event-loop turn, and in the end all of it', async () => {
    const size = 8 * 1024 * 1024;
    const server = await serve(httpServer((_req, res) => void res.end(Buffer.alloc(size, 'a'))));
    const outbound = client();
    let [inTurn, most, all] = [0, 0, 0];
    const error = await new Promise((resolve) => {
      outbound.dispatch(requestTo(server.origin), {
        onHeaders: () => undefined,
        onData: (chunk) => {
          if (inTurn === 0) setImmediate(() => (inTurn = 0));
          inTurn += chunk.length;
          all += chunk.length;
          most = Math.max(most, inTurn);
        },
        onEnd: () => resolve(null),
        onError: resolve,
      });
    });
    expect([error, all]).toEqual([null, size]);
    expect(most).toBeLessThanOrEqual(128 * 1024);
  });

  it('delivers nothing more to a handler that threw, without affecting other calls', async () => {
    const server = await serve(rawServer((socket) => void socket.write(OK)));
    const outbound = client();
    const failure = await new Promise((resolve, reject) => {
      outbound.dispatch(requestTo(server.origin), {
        onHeaders: () => {
          throw new Error('a bug');
        },
        onData: reject,
        onEnd: () => reject(new Error('ended')),
        onError: resolve,
      });
    });
    expect(failure).toMatchObject({ failure: 'interrupted' });
    expect(await run(outbound, requestTo(server.origin))).toMatchObject({ body: 'ok', error: null });
  });

  it('delivers the end of a response only after a pause, and can be reused then', async () => {
    const server = await serve(rawServer((socket) => void socket.write(OK)));
    const outbound = client();
    const seen: string[] = [];
    const call = outbound.dispatch(requestTo(server.origin), {
      onHeaders: () => {
        seen.push('head');
        call.pause();
      },
      onData: (piece) => seen.push(piece.toString()),
      onEnd: () => seen.push('end'),
      onError: ({ failure }) => seen.push(failure),
    });
    await until(() => seen.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['head']);
    expect(outbound.stats()).toMatchObject({ idleConnections: 0 });
    call.resume();
    await until(() => seen.length === 3);
    expect(seen).toEqual(['head', 'ok', 'end']);
    expect(await run(outbound, requestTo(server.origin))).toMatchObject({ body: 'ok', error: null });
    expect(server.accepted()).toBe(1);
  });
});
