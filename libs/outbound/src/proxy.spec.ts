import { createServer as createHttpsServer } from 'node:https';
import { createAddressPolicy } from '@gw/kernel';
import { BufferedClient } from './buffered';
import type { OutboundClient } from './outbound-client';
import { createProxySelector } from './proxy';
import { parseTarget } from './target';
import { CERTIFICATE, PRIVATE_KEY } from './spec-support/certificate';
import {
  clientWith,
  httpServer,
  listen,
  rawServer,
  requestTo,
  run,
  until,
  type Loopback,
} from './spec-support/loopback';
import { proxyServer, type ProxyServer } from './spec-support/proxy-server';
import type * as PublicNetwork from './spec-support/public-network';
import { lookupOf } from './spec-support/public-network';

jest.mock('node:tls', () =>
  jest
    .requireActual<typeof PublicNetwork>('./spec-support/public-network')
    .routedTls(jest.requireActual('node:tls')),
);

describe('createProxySelector', () => {
  const select = (noProxy: string, origin: string): boolean => {
    const proxyFor = createProxySelector({
      httpProxy: 'proxy:3128',
      httpsProxy: 'http://proxy:3129',
      noProxy,
    });
    return proxyFor(parseTarget(origin)) !== null;
  };

  it('uses HTTP_PROXY for http and HTTPS_PROXY for https, and no proxy for an unset variable [ENV-02]', () => {
    const both = createProxySelector({ httpProxy: 'proxy:3128', httpsProxy: 'https://u:p%40@secure:3129/' });
    expect(both(parseTarget('http://a.example.org'))).toMatchObject({
      target: { host: 'proxy', port: 3128, isTls: false },
      authorization: null,
    });
    expect(both(parseTarget('https://a.example.org'))).toMatchObject({
      target: { host: 'secure', port: 3129, isTls: true },
      authorization: `Basic ${Buffer.from('u:p@').toString('base64')}`,
    });
    const none = createProxySelector({ httpProxy: ' ', httpsProxy: null });
    expect(none(parseTarget('https://a.example.org'))).toBeNull();
  });

  it.each([
    ['*', 'https://a.example.org', false],
    ['a.example.org', 'https://a.example.org', false],
    ['example.org', 'https://a.example.org', false],
    ['.example.org', 'https://a.example.org', false],
    ['*.Example.org', 'https://a.example.org', false],
    ['ample.org', 'https://a.example.org', true],
    ['b.example.org, a.example.org', 'https://a.example.org', false],
    ['b.example.org a.example.org', 'https://a.example.org', false],
    ['a.example.org:443', 'https://a.example.org', false],
    ['a.example.org:8443', 'https://a.example.org', true],
    ['127.0.0.1', 'http://127.0.0.1:80', false],
    ['10.0.0.0/8', 'http://10.2.3.4', false],
    ['10.0.0.0/8', 'http://11.2.3.4', true],
    ['10.0.0.0/8', 'http://10.example.org', true],
    ['10.0.0.0/99', 'http://10.2.3.4', true],
    ['fd00::/8', 'http://[fd12::1]', false],
    ['fd00::/8', 'http://[2606::1]', true],
    ['::1', 'http://[::1]:8000', false],
    ['[::1]:8000', 'http://[::1]:8000', false],
    ['[::1]:8001', 'http://[::1]:8000', true],
    ['', 'https://a.example.org', true],
  ])('NO_PROXY=%s: %s uses the proxy: %s [ENV-02]', (noProxy, origin, proxied) => {
    expect(select(noProxy, origin)).toBe(proxied);
  });

  it.each(['socks5://proxy:1080', 'http://'])('refuses %s without repeating it', (httpProxy) => {
    expect(() => createProxySelector({ httpProxy })).toThrow(
      'A proxy must be given as an http or https URL.',
    );
  });
});

describe('OutboundClient with a proxy', () => {
  const policy = createAddressPolicy({ trustedHosts: [] });
  const lookup = lookupOf({ 'llm.example.org': [['93.184.215.14']], 'inner.example.org': [['10.0.0.5']] });
  let plain: Loopback;
  let secure: Loopback;
  let proxy: ProxyServer;
  let outbound: OutboundClient;
  let port = 0;

  beforeAll(async () => {
    plain = await httpServer((req, res) => void req.pipe(res));
    const https = createHttpsServer(
      { cert: CERTIFICATE, key: PRIVATE_KEY },
      (req, res) => void req.pipe(res),
    );
    secure = await listen(https, 'https');
  });
  beforeEach(async () => {
    proxy = await proxyServer(() => port);
    const url = proxy.origin.replace('//', '//user:pass@');
    outbound = clientWith({ policy, lookup, proxy: { httpProxy: url, httpsProxy: url } });
  });
  afterEach(async () => {
    outbound.close();
    await proxy.close();
  });
  afterAll(() => Promise.all([plain.close(), secure.close()]));

  const authorization = `Basic ${Buffer.from('user:pass').toString('base64')}`;

  it('sends http in absolute form and keeps the connection [ENV-02]', async () => {
    port = plain.port;
    for (const round of ['one', 'two']) {
      const got = await run(
        outbound,
        requestTo('http://llm.example.org', { path: '/v1', body: Buffer.from(round) }),
      );
      expect(got).toMatchObject({ status: 200, body: round, error: null });
    }
    const line = 'POST http://llm.example.org/v1';
    expect(proxy.seen).toEqual([
      { line, authorization },
      { line, authorization },
    ]);
    expect(proxy.accepted()).toBe(1);
  });

  it('tunnels https, with TLS to the target inside, and keeps the tunnel [ENV-02]', async () => {
    port = secure.port;
    for (const round of ['one', 'two']) {
      const got = await run(outbound, requestTo('https://llm.example.org', { body: Buffer.from(round) }));
      expect(got).toMatchObject({ status: 200, body: round, error: null });
    }
    expect(proxy.seen).toEqual([{ line: 'CONNECT llm.example.org:443', authorization }]);
    outbound.close();
    await until(() => proxy.sockets.size === 0);
  });

  it('accepts every status 2xx of the proxy for a tunnel', async () => {
    port = secure.port;
    const accepting = await proxyServer(() => port, 204);
    const client = clientWith({ policy, lookup, proxy: { httpsProxy: accepting.origin } });
    const got = await run(client, requestTo('https://llm.example.org', { body: Buffer.from('one') }));
    expect(got).toMatchObject({ status: 200, body: 'one', error: null });
    client.close();
    await accepting.close();
  });

  it('tunnels plain http too for a socket, so that bytes reach the target unchanged [ENV-02]', async () => {
    port = plain.port;
    const socket = await outbound.openSocket(
      { origin: 'http://llm.example.org', poolClass: '' },
      new AbortController().signal,
    );
    socket.write('GET /raw HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(proxy.seen).toEqual([{ line: 'CONNECT llm.example.org:80', authorization }]);
  });

  it('connects directly to hosts of NO_PROXY [ENV-02]', async () => {
    const direct = clientWith({
      policy: createAddressPolicy({ trustedHosts: ['127.0.0.1'] }),
      proxy: { httpProxy: proxy.origin, noProxy: '127.0.0.0/8' },
    });
    expect(await run(direct, requestTo(plain.origin))).toMatchObject({ status: 200, error: null });
    expect(proxy.seen).toEqual([]);
    direct.close();
  });

  it('checks the target before it uses the proxy [ERR-09]', async () => {
    for (const origin of [
      'http://inner.example.org',
      'https://inner.example.org',
      'http://10.0.0.5',
      'http://redis',
    ]) {
      expect((await run(outbound, requestTo(origin))).error).toMatchObject({ failure: 'refused' });
    }
    expect(proxy.accepted()).toBe(0);
  });

  it('leaves a name to the proxy that only the proxy can resolve', async () => {
    port = plain.port;
    expect(await run(outbound, requestTo('http://only-there.example.org'))).toMatchObject({
      status: 200,
      error: null,
    });
  });

  it('fails as unreachable when the proxy refuses the tunnel, or is unreachable', async () => {
    const refusing = await proxyServer(() => port, 403);
    const refused = clientWith({ policy, lookup, proxy: { httpsProxy: refusing.origin } });
    expect((await run(refused, requestTo('https://llm.example.org'))).error).toMatchObject({
      failure: 'unreachable',
      message: 'The proxy responded with status 403 to CONNECT.',
    });
    await refusing.close();
    const gone = await run(refused, requestTo('https://llm.example.org'));
    expect(gone.error).toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    refused.close();
  });

  it('fails at the connect timeout when the proxy does not respond', async () => {
    const silent = await rawServer(() => undefined);
    const waiting = clientWith({ policy, lookup, proxy: { httpsProxy: silent.origin } });
    const got = await run(waiting, requestTo('https://llm.example.org', { connectTimeoutMs: 100 }));
    expect(got.error).toMatchObject({ failure: 'timeout', phase: 'connect' });
    await until(() => silent.sockets.size === 0);
    waiting.close();
    await silent.close();
  });

  it('uses the proxy for buffered calls as well [ENV-02]', async () => {
    const url = proxy.origin.replace('//', '//user:pass@');
    const buffered = new BufferedClient({ policy, lookup, proxy: { httpProxy: url, httpsProxy: url } });
    const request = { method: 'POST', body: 'hello', totalTimeoutMs: 60_000, bytesMax: 100 };
    port = plain.port;
    const viaHttp = await buffered.fetchBuffered({ ...request, url: 'http://llm.example.org/jwks?a=b' });
    port = secure.port;
    const viaHttps = await buffered.fetchBuffered({ ...request, url: 'https://llm.example.org/jwks' });
    expect([viaHttp.body.toString(), viaHttps.body.toString()]).toEqual(['hello', 'hello']);
    expect(proxy.seen).toEqual([
      { line: 'POST http://llm.example.org/jwks?a=b', authorization },
      { line: 'CONNECT llm.example.org:443', authorization },
    ]);
    await until(() => proxy.sockets.size === 0);
  });
});
