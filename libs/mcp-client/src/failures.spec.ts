import { createAddressPolicy } from '@gw/kernel';
import { eventually } from '@gw/testing';
import {
  closedAfterEach,
  event,
  eventsOf,
  failureOf,
  json,
  notification,
  result,
  stream,
  until,
} from './spec-support/fixture';
import { modernServer } from './spec-support/modern-server';
import type { McpUpstream } from './upstream';

const { serve, upstream } = closedAfterEach();
const call = (client: McpUpstream, options = {}) => failureOf(eventsOf(client.call({ name: 'w' }, options)));
const modern = { protocol: 'modern' } as const;

describe('failures of McpUpstream', () => {
  it('refuses an address that the policy forbids, before anything is sent', async () => {
    const server = await serve((_, res) => json(res, {}));
    const policy = createAddressPolicy({ trustedHosts: [] });
    expect(await call(upstream(server.url, { policy }))).toMatchObject({
      ...{ kind: 'refused_address', mayHaveExecuted: false },
    });
    expect(server.accepted()).toBe(0);
  });

  it('reports after one repetition that a call without a connection was not executed', async () => {
    const server = await serve((_, res) => json(res, {}));
    await server.close();
    expect(await call(upstream(server.url, modern))).toMatchObject({
      ...{ kind: 'unreachable', mayHaveExecuted: false },
    });
  });

  it('ignores the body of an error that is nested more deeply than a message may be', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const server = await serve((_, res) => {
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":${deep}}}`);
    });
    const { kind, status, body, rpc } = await call(upstream(server.url, modern));
    expect([kind, status, body === null, rpc === null]).toEqual(['http_status', 400, true, true]);
  });

  it('sends a call once whose connection closed without a response', async () => {
    const server = await serve((_, res) => void res.destroy());
    expect(await call(upstream(server.url, modern))).toMatchObject({
      ...{ kind: 'unreachable', mayHaveExecuted: true },
    });
    expect(server.received).toHaveLength(1);
  });

  it.each<[string, number, Parameters<typeof serve>[0]]>([
    ['a response', 1, (received, res) => json(res, result(received, { content: 'x'.repeat(200_000) }))],
    ['an event', 1, (received, res) => stream(res, [result(received, { content: 'x'.repeat(200_000) })])],
    [
      'many events',
      0,
      (_, res) => stream(res, [notification('notifications/message', { data: 'x'.repeat(90_000) })]),
    ],
  ])(
    'counts the bytes of %s while it holds them, and fails without memory for them',
    async (_, fails, answer) => {
      let held = 0;
      const memory = {
        take: (bytes: number): boolean => {
          if (held + bytes > 100_000) return false;
          held += bytes;
          return true;
        },
        give: (bytes: number): void => void (held -= bytes),
      };
      const server = await serve((received, res, req) => {
        void answer(received, res, req);
        if (fails === 0) event(res, result(received, {}));
      });
      const client = upstream(server.url, { ...modern, memory });
      if (fails === 0) expect(await eventsOf(client.call({ name: 'w' }))).toHaveLength(2);
      else expect(await call(client)).toMatchObject({ kind: 'no_memory', mayHaveExecuted: true });
      expect(held).toBe(0);
    },
  );

  it.each([301, 302, 307, 308])('does not follow a redirect with status %i', async (status) => {
    const target = await serve((_, res) => json(res, {}));
    const server = await serve((_, res) => void res.writeHead(status, { location: target.url.href }).end());
    expect(await call(upstream(server.url, modern))).toMatchObject({ kind: 'redirected', status });
    expect(target.received).toEqual([]);
  });

  it.each([
    ['modern', 'modern'],
    ['of an unknown era', 'auto'],
  ] as const)('returns the challenge of a server that is %s', async (_, protocol) => {
    const challenge = 'Bearer resource_metadata="https://a.example/m", scope="x"';
    const server = await serve((_, res) => json(res, {}, 401, { 'www-authenticate': challenge }));
    expect(await call(upstream(server.url, { protocol }))).toMatchObject({
      ...{ kind: 'unauthorized', status: 401, mayHaveExecuted: false },
      challenge: { resourceMetadata: 'https://a.example/m', scope: 'x' },
    });
    expect(server.received).toHaveLength(1);
  });

  it('remembers no verdict of an outage', async () => {
    let isDown = true;
    const answer = modernServer({ 'tools/call': (received, res) => json(res, result(received, {})) });
    const server = await serve((received, res, req) =>
      isDown ? json(res, {}, 503, { 'retry-after': '7' }) : answer(received, res, req),
    );
    const client = upstream(server.url);
    expect(await call(client)).toMatchObject({
      ...{ kind: 'http_status', status: 503, mayHaveExecuted: false, retryAfterMs: 7_000 },
    });
    isDown = false;
    expect(await eventsOf(client.call({ name: 'w' }))).toHaveLength(1);
  });

  it('reports that a call with status 500 may have been executed, and one with 429 was not', async () => {
    let status = 500;
    const server = await serve((_, res) => json(res, {}, status));
    const client = upstream(server.url, modern);
    expect(await call(client)).toMatchObject({ kind: 'http_status', status: 500, mayHaveExecuted: true });
    status = 429;
    expect(await call(client)).toMatchObject({ kind: 'http_status', status: 429, mayHaveExecuted: false });
    expect(server.received).toHaveLength(2);
  });

  it('limits silence and the whole call, and progress extends only the first', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (_, res) => {
          stream(res, []);
          const timer = setInterval(() => res.write(': alive\n\n'), 10);
          res.on('close', () => clearInterval(timer));
        },
        'prompts/get': () => undefined,
      }),
    );
    const client = upstream(server.url, { ...modern, timeouts: { idleMs: 200 } });
    // A busy machine may be silent for that time itself.
    await eventually(async () => {
      expect(await call(client, { timeoutMs: 600 })).toMatchObject({
        ...{ kind: 'timeout', phase: 'total', mayHaveExecuted: true },
      });
      return true;
    });
    expect(await failureOf(client.request('prompts/get', { name: 'p' }))).toMatchObject({
      ...{ kind: 'timeout', phase: 'idle' },
    });
    await until(() => server.received.every(({ wasDropped }) => wasDropped));
  });

  it('refuses a response that is larger than 8 MiB, and drops the connection', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (_, res) => {
          res.writeHead(200, { 'content-type': 'application/json' });
          res.write(Buffer.alloc(8_388_609, 0x20));
        },
      }),
    );
    expect(await call(upstream(server.url, modern))).toMatchObject({ kind: 'too_large' });
    await until(() => server.received[0]?.wasDropped === true);
  });

  it('refuses a call with more messages than its bound', async () => {
    const server = await serve(
      modernServer({
        'tools/call': (_, res) => stream(res, Array(10_001).fill(notification('notifications/message', {}))),
      }),
    );
    expect(await call(upstream(server.url, modern))).toMatchObject({
      kind: 'too_large',
      mayHaveExecuted: true,
    });
  });

  it('does not read an error body of more than 64 KiB', async () => {
    const server = await serve((_, res) => json(res, { text: 'x'.repeat(70_000) }, 500));
    expect(await call(upstream(server.url, modern))).toMatchObject({ kind: 'http_status', body: null });
  });

  it('sends nothing if the signal is already aborted', async () => {
    const server = await serve((_, res) => json(res, {}));
    expect(await call(upstream(server.url, modern), { signal: AbortSignal.abort() })).toMatchObject({
      ...{ kind: 'cancelled', mayHaveExecuted: false },
    });
    expect(server.accepted()).toBe(0);
  });
});
