import type { Socket } from 'node:net';
import type { OutboundError } from './types';
import {
  closedAfterEach,
  httpServer,
  rawServer,
  requestTo,
  run,
  start,
  until,
  type Loopback,
} from './spec-support/loopback';

const { serve, client } = closedAfterEach();
const ignore = (): void => undefined;

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n';

describe('OutboundClient timeouts', () => {
  it.each([
    ['headers', { headersTimeoutMs: 120 }, ''],
    ['total', { totalTimeoutMs: 120 }, ''],
    ['idle', { idleTimeoutMs: 120 }, HEAD],
    ['idle', { idleTimeoutMs: 120, headersTimeoutMs: 0 }, `${HEAD}piece`],
    ['total', { totalTimeoutMs: 120, idleTimeoutMs: 100_000 }, `${HEAD}piece`],
  ])('end a call exactly at its %s timeout', async (phase, limits, bytes) => {
    const server = await serve(rawServer((socket) => socket.write(bytes)));
    const got = await run(client(), requestTo(server.origin, limits));
    expect(got.error).toMatchObject({ failure: 'timeout', phase });
    expect(got.tookMs).toBeGreaterThanOrEqual(119);
    await until(() => server.sockets.size === 0);
  });

  it('end a connection attempt at the connect timeout, for a name, an address or a proxy', async () => {
    // The name server never replies.
    const outbound = client({ lookup: () => undefined });
    const got = await run(outbound, requestTo('http://llm.example.org', { connectTimeoutMs: 120 }));
    expect(got.error).toMatchObject({ failure: 'timeout', phase: 'connect' });
    expect(outbound.stats()).toMatchObject({ pools: 0, connections: 0, calls: 0 });
  });

  it('count the silence between pieces, not the length of the body', async () => {
    const server = await serve(
      rawServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        let left = 8;
        const timer = setInterval(() => {
          left -= 1;
          socket.write('x');
          if (left > 0) return;
          clearInterval(timer);
          socket.end();
        }, 250);
      }),
    );
    const got = await run(client(), requestTo(server.origin, { idleTimeoutMs: 1_500 }));
    expect(got).toMatchObject({ body: 'xxxxxxxx', error: null });
    expect(got.tookMs).toBeGreaterThan(1_500);
  });

  it('do not count silence while the receiver has paused', async () => {
    const server = await serve(rawServer((socket) => socket.write(`${HEAD}piece`)));
    const call = start(client(), requestTo(server.origin, { idleTimeoutMs: 60, totalTimeoutMs: 400 }));
    await until(() => call.bytes() > 0);
    call.pause();
    expect((await call.outcome).error).toMatchObject({ failure: 'timeout', phase: 'total' });
  });

  it('are checked only after a blocked event loop has read what arrived', async () => {
    const server = await serve(
      rawServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        // The response is in the client's socket by now, and the timeout passes before the client
        // can read it.
        const blockedUntil = performance.now() + 1_200;
        while (performance.now() < blockedUntil);
      }),
    );
    const got = await run(client(), requestTo(server.origin, { headersTimeoutMs: 1_000 }));
    expect(got).toMatchObject({ status: 200, error: null });
    expect(got.tookMs).toBeGreaterThan(1_000);
  });
});

describe('OutboundClient abort and pause', () => {
  it('closes the connection at once when aborted, at any point', async () => {
    const server = await serve(rawServer((socket, count) => socket.write(count % 2 === 0 ? HEAD : '')));
    const outbound = client();
    const call = start(outbound, requestTo(server.origin));
    call.abort();
    call.abort();
    expect((await call.outcome).error).toMatchObject({ failure: 'aborted' });
    for (const awaited of [0, 200]) {
      const next = start(outbound, requestTo(server.origin));
      await until(() => server.sockets.size === 1 && next.status() === awaited);
      next.abort();
      expect((await next.outcome).error).toMatchObject({ failure: 'aborted' });
      await until(() => server.sockets.size === 0);
    }
    expect(outbound.stats()).toMatchObject({ pools: 0, connections: 0, calls: 0, timers: 0 });
  });

  it('leaves no socket and no timer after 500 aborted calls', async () => {
    const server = await serve(
      rawServer((socket, count) => socket.write(count % 2 === 0 ? `${HEAD}piece` : '')),
    );
    const outbound = client({ maxConnectionsPerOrigin: 100, maxWaitingPerOrigin: 500 });
    const limits = { totalTimeoutMs: 60_000, headersTimeoutMs: 30_000 };
    const calls = Array.from({ length: 500 }, () => start(outbound, requestTo(server.origin, limits)));
    let next = 0;
    for (const call of calls) {
      next += 1;
      // Some while they wait, some while they connect, some in the middle of their response, some
      // of those paused.
      if (next % 5 === 0) await until(() => server.accepted() >= Math.min(100, next / 5));
      if (next % 7 === 0) call.pause();
      call.abort();
    }
    const outcomes = await Promise.all(calls.map((call) => call.outcome));
    expect(outcomes.every(({ error }) => error?.failure === 'aborted')).toBe(true);
    await until(() => server.sockets.size === 0);
    await until(() => !outbound.stats().timerRunning);
    expect(outbound.stats()).toEqual({
      ...{
        pools: 0,
        connections: 0,
        idleConnections: 0,
        calls: 0,
        waiting: 0,
        timers: 0,
        timerRunning: false,
      },
    });
  });

  it('stops reading while paused, so that a slow receiver bounds the memory', async () => {
    const total = 50_000_000;
    let sent = 0;
    const server = await serve(
      httpServer((_req, res) => {
        const write = (): void => {
          while (sent < total) {
            sent += 100_000;
            if (!res.write(Buffer.alloc(100_000))) return;
          }
          res.end();
        };
        res.on('drain', write);
        write();
      }),
    );
    let received = 0;
    let stopAt = 2_000_000;
    let outcome: unknown = null;
    const call = client().dispatch(requestTo(server.origin), {
      onHeaders: () => undefined,
      onData: (chunk) => {
        if (received >= stopAt) outcome = 'data while paused';
        received += chunk.length;
        if (received >= stopAt) call.pause();
      },
      onEnd: () => (outcome = 'end'),
      onError: (error) => (outcome = error),
    });
    // `resume` takes effect after the mark has moved.
    for (; stopAt < total; stopAt += 2_000_000) {
      await until(() => received >= stopAt);
      let [last, still] = [-1, 0];
      await until(() => {
        still = sent === last ? still + 1 : 0;
        last = sent;
        return still > 50;
      });
      expect(outcome).toBeNull();
      // What was sent and not received is in the buffers of the two sockets.
      expect(sent - received).toBeLessThan(15_000_000);
      call.resume();
    }
    stopAt = Infinity;
    await until(() => outcome !== null);
    expect([outcome, received]).toEqual(['end', total]);
  });
});

/** Waits until bytes that were written on loopback have arrived. */
async function aFewTurns(): Promise<void> {
  let turns = 0;
  await until(() => (turns += 1) > 5);
}

describe('OutboundClient resume', () => {
  it('delivers the piece that arrived after the pause, then the rest, in order', async () => {
    const sockets: Socket[] = [];
    const server = await serve(
      rawServer((socket) => {
        sockets.push(socket);
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nab');
      }),
    );
    const call = start(client(), requestTo(server.origin));
    await until(() => call.bytes() === 2);
    call.pause();
    await new Promise<void>((resolve) => sockets[0]?.write('cd', () => resolve()));
    await new Promise<void>((resolve) => sockets[0]?.end('ef', () => resolve()));
    call.pause();
    expect(call.bytes()).toBe(2);
    call.resume();
    call.pause();
    call.resume();
    expect(await call.outcome).toMatchObject({ body: 'abcdef', error: null });
  });

  it.each([
    ['with a length', 'content-length: 6\r\n'],
    ['with a length, and says so', 'connection: close\r\ncontent-length: 6\r\n'],
    ['without a length', ''],
  ])('delivers all of a response %s whose provider closes during the pause', async (_which, head) => {
    const sockets: Socket[] = [];
    const server = await serve(
      rawServer((socket) => {
        sockets.push(socket);
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\nab`);
      }),
    );
    const outbound = client();
    const call = start(outbound, requestTo(server.origin));
    await until(() => call.bytes() === 2);
    call.pause();
    sockets[0]?.end('cdef');
    await aFewTurns();
    expect(call.bytes()).toBe(2);
    call.resume();
    expect(await call.outcome).toMatchObject({ body: 'abcdef', error: null });
    expect(outbound.stats()).toMatchObject({ calls: 0 });
  });

  it.each([['connection: close\r\ncontent-length: 60\r\n'], ['content-length: 60\r\n']])(
    'fails as interrupted when the provider closes before the end during the pause (%j)',
    async (head) => {
      const sockets: Socket[] = [];
      const server = await serve(
        rawServer((socket) => {
          sockets.push(socket);
          socket.write(`HTTP/1.1 200 OK\r\n${head}\r\nab`);
        }),
      );
      const call = start(client(), requestTo(server.origin));
      await until(() => call.bytes() === 2);
      call.pause();
      sockets[0]?.end('cdef');
      await aFewTurns();
      call.resume();
      expect((await call.outcome).error).toMatchObject({ failure: 'interrupted' });
    },
  );

  it('keeps all small pieces that arrive during a pause', async () => {
    const sockets: Socket[] = [];
    const server = await serve(
      rawServer((socket) => {
        sockets.push(socket);
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 52\r\n\r\nab');
      }),
    );
    const call = start(client(), requestTo(server.origin));
    await until(() => call.bytes() === 2);
    call.pause();
    for (let i = 0; i < 25; i += 1) {
      sockets[0]?.write(`${String.fromCharCode(97 + i)}-`);
      await aFewTurns();
    }
    call.resume();
    const text = Array.from({ length: 25 }, (_, i) => `${String.fromCharCode(97 + i)}-`).join('');
    expect(await call.outcome).toMatchObject({ body: `ab${text}`, error: null });
  });

  it('can be aborted while the last piece of a response waits', async () => {
    const sockets: Socket[] = [];
    const server = await serve(
      rawServer((socket) => {
        sockets.push(socket);
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab');
      }),
    );
    const outbound = client();
    const call = start(outbound, requestTo(server.origin));
    await until(() => call.bytes() === 2);
    call.pause();
    sockets[0]?.write('cd');
    await aFewTurns();
    call.abort();
    call.resume();
    expect((await call.outcome).error).toMatchObject({ failure: 'aborted' });
    expect(outbound.stats()).toMatchObject({ calls: 0, timers: 0 });
  });
});

describe('OutboundClient connections', () => {
  const held = async (): Promise<{ server: Loopback; release: () => void; waiting: () => number }> => {
    const open: (() => void)[] = [];
    const server = await serve(httpServer((_req, res) => void open.push(() => res.end('ok'))));
    return { server, waiting: () => open.length, release: () => open.splice(0).forEach((end) => end()) };
  };

  it('opens no more connections than allowed, queues further calls and refuses those beyond', async () => {
    const { server, release, waiting } = await held();
    const outbound = client({ maxConnectionsPerOrigin: 2, maxWaitingPerOrigin: 2 });
    const calls = Array.from({ length: 5 }, () => start(outbound, requestTo(server.origin)));
    expect((await calls[4]?.outcome)?.error).toMatchObject({
      failure: 'unreachable',
      message: expect.stringMatching(
        /All 2 connections to 127\.0\.0\.1:\d+ are in use and 2 calls are waiting/,
      ),
    });
    await until(() => waiting() === 2);
    expect(outbound.stats()).toMatchObject({ connections: 2, waiting: 2, calls: 4 });
    release();
    await until(() => waiting() === 2);
    release();
    const done = await Promise.all(calls.slice(0, 4).map((call) => call.outcome));
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(server.accepted()).toBe(2);
    expect(outbound.stats()).toMatchObject({ connections: 2, idleConnections: 2, waiting: 0, calls: 0 });
  });

  it('counts the wait for a connection against the connect timeout', async () => {
    const { server, release, waiting } = await held();
    const outbound = client({ maxConnectionsPerOrigin: 1 });
    const first = start(outbound, requestTo(server.origin));
    await until(() => waiting() === 1);
    const second = await run(outbound, requestTo(server.origin, { connectTimeoutMs: 80 }));
    expect(second.error).toMatchObject({ failure: 'unreachable', reason: 'connections_exhausted' });
    release();
    expect((await first.outcome).status).toBe(200);
  });

  it('starts a waiting call when another call fails', async () => {
    const server = await serve(
      rawServer((socket, count) => {
        if (count === 1) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      }),
    );
    const outbound = client({ maxConnectionsPerOrigin: 1 });
    const calls = [1, 2, 3].map(() => start(outbound, requestTo(server.origin)));
    const outcomes = await Promise.all(calls.map((call) => call.outcome));
    expect(outcomes.map(({ status, error }) => error?.failure ?? status)).toEqual(['unreachable', 200, 200]);
  });

  it('does not share connections between pool classes', async () => {
    const server = await serve(httpServer((_req, res) => void res.end('ok')));
    const outbound = client();
    for (const poolClass of ['a', 'b', 'a', 'b'])
      await run(outbound, requestTo(server.origin, { poolClass }));
    expect(server.accepted()).toBe(2);
  });

  it('closes the pool that was idle for longest at the maximum, and never one in use', async () => {
    const { server, release, waiting } = await held();
    const outbound = client({ maxPools: 2 });
    const busy = start(outbound, requestTo(server.origin, { poolClass: 'busy' }));
    await until(() => waiting() === 1);
    const idle = start(outbound, requestTo(server.origin, { poolClass: 'idle' }));
    await until(() => waiting() === 2);
    const refused = await run(outbound, requestTo(server.origin, { poolClass: 'third' }));
    expect(refused.error).toMatchObject({
      failure: 'unreachable',
      message: 'Calls to 2 origins are already in flight.',
    });
    release();
    await Promise.all([busy.outcome, idle.outcome]);
    const third = start(outbound, requestTo(server.origin, { poolClass: 'third' }));
    await until(() => waiting() === 1 && server.sockets.size === 2);
    expect(outbound.stats()).toMatchObject({ pools: 2, connections: 2 });
    release();
    expect((await third.outcome).status).toBe(200);
  });

  it('closes idle connections after the keep-alive time and removes their pool', async () => {
    const server = await serve(httpServer((_req, res) => void res.end('ok')));
    const outbound = client({ keepAliveTimeoutMs: 50 });
    await run(outbound, requestTo(server.origin));
    await until(() => server.sockets.size === 0 && outbound.stats().pools === 0);
  });

  it('ends the calls in flight and accepts no more when it is closed', async () => {
    const { server, waiting } = await held();
    const outbound = client();
    const call = start(outbound, requestTo(server.origin));
    await until(() => waiting() === 1);
    outbound.close();
    expect((await call.outcome).error).toMatchObject({ failure: 'stopped' });
    await until(() => server.sockets.size === 0);
    expect((await run(outbound, requestTo(server.origin))).error).toMatchObject({ failure: 'stopped' });
  });

  it('accepts no call either that begins while it ends the calls in flight', async () => {
    const { server, waiting } = await held();
    const outbound = client();
    let again: OutboundError | null = null;
    const request = requestTo(server.origin, { totalTimeoutMs: 0 });
    const quiet = { onHeaders: ignore, onData: ignore, onEnd: ignore };
    outbound.dispatch(request, {
      ...quiet,
      onError: () => outbound.dispatch(request, { ...quiet, onError: (error) => (again = error) }),
    });
    outbound.dispatch(request, { ...quiet, onError: ignore });
    await until(() => waiting() === 2);
    outbound.close();
    await until(() => again !== null);
    expect(again).toMatchObject({ failure: 'stopped' });
    expect(outbound.stats().calls).toBe(0);
  });
});
