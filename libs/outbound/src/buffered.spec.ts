import type { IncomingHttpHeaders } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { readCases } from '@gw/testing';
import { createAddressPolicy } from '@gw/kernel';
import { BufferedClient, type BufferedResponse, type BufferedRequest } from './buffered';
import { ResponseTooLarge } from './types';
import { CERTIFICATE, PRIVATE_KEY } from './spec-support/certificate';
import { closedAfterEach, httpServer, listen, rawServer, trusting, until } from './spec-support/loopback';
import type * as PublicNetwork from './spec-support/public-network';
import { lookupOf, routes } from './spec-support/public-network';

jest.mock('node:net', () =>
  jest
    .requireActual<typeof PublicNetwork>('./spec-support/public-network')
    .routedNet(jest.requireActual('node:net')),
);
jest.mock('node:tls', () =>
  jest
    .requireActual<typeof PublicNetwork>('./spec-support/public-network')
    .routedTls(jest.requireActual('node:tls')),
);

interface RedirectCase {
  readonly id: string;
  readonly chain: readonly { status: number; location?: string; headers?: Record<string, string> }[];
  readonly expect: 'accept' | 'reject' | 'either';
  readonly reason: string;
}

const { redirects } = readCases('ssrf_network.json') as { redirects: RedirectCase[] };

const limits = { totalTimeoutMs: 60_000, bytesMax: 1_000_000 };
const { serve } = closedAfterEach();

describe('BufferedClient', () => {
  const client = new BufferedClient({ policy: trusting });
  const fetch = (url: string, changes: Partial<BufferedRequest> = {}): Promise<BufferedResponse> =>
    client.fetchBuffered({ ...limits, url, ...changes });

  it('returns the head alone on request, and closes the connection of a body that does not end', async () => {
    const server = await serve(
      httpServer((_req, res) => {
        res.writeHead(503, { 'content-encoding': 'gzip' });
        res.write(gzipSync('a'.repeat(1_000)).subarray(0, 20));
      }),
    );
    const got = await fetch(server.origin, { isHeadOnly: true, bytesMax: 1 });
    expect([got.status, got.body.length]).toEqual([503, 0]);
    await until(() => server.sockets.size === 0);
  });

  it('sends method, headers and body, and returns any status with the unpacked body', async () => {
    const server = await serve(
      httpServer((req, res) => {
        let body = '';
        req.on('data', (chunk: Buffer) => (body += chunk.toString()));
        req.on('end', () => {
          res.writeHead(418, { 'content-encoding': 'gzip', 'x-a': 'b' });
          res.end(gzipSync(JSON.stringify([req.method, req.url, req.headers['x-key'], body])));
        });
      }),
    );
    const got = await fetch(`${server.origin}/a?b=c`, {
      method: 'PUT',
      headers: { 'X-Key': 'k' },
      body: 'hello',
    });
    expect(got).toMatchObject({ status: 418, url: `${server.origin}/a?b=c`, headers: { 'x-a': 'b' } });
    expect(JSON.parse(got.body.toString())).toEqual(['PUT', '/a?b=c', 'k', 'hello']);
    await until(() => server.sockets.size === 0);
  });

  it('fails for a response over the maximum, compressed ones by their decompressed size', async () => {
    const server = await serve(
      httpServer((_req, res) => {
        res.writeHead(200, { 'content-encoding': 'gzip' });
        res.end(gzipSync(Buffer.alloc(2_000_000)));
      }),
    );
    const error: unknown = await fetch(server.origin).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ResponseTooLarge);
    expect(error).toMatchObject({
      ...{ failure: 'interrupted', status: 200 },
      message: 'The response is larger than 1000000 bytes.',
    });
    await until(() => server.sockets.size === 0);
  });

  it.each([
    ['before the response', ''],
    ['inside the response', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
  ])('fails at the total timeout %s', async (_when, bytes) => {
    const server = await serve(rawServer((socket) => socket.write(bytes)));
    await expect(fetch(server.origin, { totalTimeoutMs: 120 })).rejects.toMatchObject({
      failure: 'timeout',
      phase: 'total',
    });
    await until(() => server.sockets.size === 0);
  });

  it.each([
    ['before the response', ''],
    ['inside the response', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
  ])('fails when the caller aborts %s', async (_when, bytes) => {
    const caller = new AbortController();
    const server = await serve(
      rawServer((socket) => {
        socket.write(bytes);
        setImmediate(() => caller.abort());
      }),
    );
    await expect(fetch(server.origin, { signal: caller.signal })).rejects.toMatchObject({
      failure: 'aborted',
    });
    await expect(fetch(server.origin, { signal: caller.signal })).rejects.toMatchObject({
      failure: 'aborted',
    });
    await until(() => server.sockets.size === 0);
    expect(server.accepted()).toBe(1);
  });

  it('fails at the total timeout during the DNS lookup', async () => {
    const stuck = new BufferedClient({ policy: trusting, lookup: () => undefined });
    const pending = stuck.fetchBuffered({ ...limits, url: 'http://llm.example.org/', totalTimeoutMs: 60 });
    await expect(pending).rejects.toMatchObject({ failure: 'timeout', phase: 'total' });
  });

  it.each([
    ['', 'unreachable'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'interrupted'],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'interrupted'],
  ])('reports a broken response (%j) as %s', async (bytes, failure) => {
    const server = await serve(rawServer((socket) => socket.end(bytes)));
    await expect(fetch(server.origin)).rejects.toMatchObject({ failure });
  });

  it('refuses a forbidden URL, and a name that resolves to a forbidden address [ERR-09]', async () => {
    await expect(fetch('http://10.0.0.1/')).rejects.toMatchObject({ failure: 'refused' });
    const lookup = lookupOf({ 'lo.example.org': [['10.0.0.1']] });
    const strict = new BufferedClient({ policy: trusting, lookup });
    await expect(strict.fetchBuffered({ ...limits, url: 'http://lo.example.org/' })).rejects.toMatchObject({
      failure: 'refused',
    });
  });
});

describe('BufferedClient redirects', () => {
  const credentials = {
    authorization: 'Bearer secret',
    'x-api-key': 'secret',
    'api-key': 'secret',
    'x-goog-api-key': 'secret',
    cookie: 'a=secret',
    accept: 'application/json',
  };
  const zone = Object.fromEntries(
    ['ok', 'other'].map((name) => [`${name}.example.org`, [['93.184.215.14']]] as const),
  );
  const client = new BufferedClient({
    policy: createAddressPolicy({ trustedHosts: [] }),
    lookup: lookupOf(zone),
  });
  let seen: { host: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = [];

  /** Serves the given responses in turn at the origin, and `200` everywhere else. */
  const follow = async (
    chain: RedirectCase['chain'],
    changes: Partial<BufferedRequest> = {},
  ): Promise<BufferedResponse> => {
    const steps = [...chain];
    seen = [];
    const server = createHttpsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (req, res) => {
      seen.push({ host: req.headers.host, url: req.url, headers: req.headers });
      const step = steps.shift();
      if (step?.location !== undefined) res.setHeader('location', step.location);
      res.writeHead(step?.status ?? 200, step?.headers);
      res.end('end');
    });
    routes.port = (await serve(listen(server, 'https'))).port;
    routes.tried = [];
    const request = {
      ...limits,
      url: 'https://ok.example.org/',
      headers: credentials,
      redirectsMax: 3 as const,
    };
    return client.fetchBuffered({ ...request, ...changes });
  };

  it.each(
    redirects
      .filter(({ id }) => !['redir-25', 'redir-26'].includes(id))
      .map((entry) => [entry.id, entry.reason, entry] as const),
  )('[ERR-09] [REL-04] %s: %s', async (id, _reason, entry) => {
    // The request of redir-24 is a POST with the client's secret in its body.
    const changes = id === 'redir-24' ? { method: 'POST', body: 'client_secret=secret' } : {};
    const outcome = await follow(entry.chain, changes).catch((error: unknown) => error);
    if (entry.expect === 'reject') expect(outcome).toMatchObject({ failure: 'refused' });
    if (entry.expect === 'accept') expect(outcome).toMatchObject({ status: 200 });
    expect(seen.length).toBeLessThanOrEqual(4);
    for (const { host, headers } of seen) {
      if (host !== 'ok.example.org') expect(JSON.stringify(headers)).not.toContain('secret');
      expect(headers['x-injected']).toBeUndefined();
    }
    for (const address of routes.tried) expect(address).toBe('93.184.215.14');
  });

  it('follows within the origin with all headers, and to another origin only with harmless ones', async () => {
    const got = await follow([
      { status: 302, location: '/second#part' },
      { status: 301, location: 'https://other.example.org/third' },
    ]);
    expect(got).toMatchObject({ status: 200, url: 'https://other.example.org/third' });
    expect(seen.map(({ host, url }) => `${String(host)}${String(url)}`)).toEqual([
      'ok.example.org/',
      'ok.example.org/second',
      'other.example.org/third',
    ]);
    expect(seen[1]?.headers.authorization).toBe('Bearer secret');
    expect(seen[2]?.headers.authorization).toBeUndefined();
    expect(seen[2]?.headers.accept).toBe('application/json');
  });

  it('treats another port as another origin', async () => {
    await follow([{ status: 302, location: 'https://ok.example.org:8443/' }]);
    expect(seen[1]?.host).toBe('ok.example.org:8443');
    expect(JSON.stringify(seen[1]?.headers)).not.toContain('secret');
  });

  it('never follows from https to http', async () => {
    await expect(follow([{ status: 302, location: 'http://ok.example.org/' }])).rejects.toMatchObject({
      failure: 'refused',
      message: 'A redirect from https to http is not followed.',
    });
    expect(seen).toHaveLength(1);
  });

  it('stops after three redirects', async () => {
    const loop = Array.from({ length: 9 }, () => ({ status: 302, location: 'https://ok.example.org/loop' }));
    await expect(follow(loop)).rejects.toMatchObject({
      failure: 'refused',
      message: 'More than 3 redirects.',
    });
    expect(seen).toHaveLength(4);
  });

  it('returns a redirect unless configured to follow', async () => {
    const got = await follow([{ status: 302, location: 'http://169.254.169.254/' }], { redirectsMax: 0 });
    expect(got).toMatchObject({ status: 302, headers: { location: 'http://169.254.169.254/' } });
  });

  it('checks a disguised address as it is written, public or not', async () => {
    for (const location of [
      'https://0x5d.184.215.14/',
      '//010.010.010.010/',
      'https://ok.example.org\\@127.0.0.1/',
    ]) {
      await expect(follow([{ status: 302, location }])).rejects.toMatchObject({ failure: 'refused' });
    }
  });
});
