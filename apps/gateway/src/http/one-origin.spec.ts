import { connect } from 'node:net';
import { request } from 'node:http';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

describe('front door', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let admin: StubProvider;

  beforeAll(async () => {
    admin = await StubProvider.start();
    stub = await StubProvider.start();
    gateway = await GatewayHarness.start({ ADMIN_URL: admin.origin });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop(), admin.stop()]);
  });
  beforeEach(() => {
    for (const each of [stub, admin]) {
      each.requests.length = 0;
      each.respondJson({ choices: [] });
    }
  });

  /** Returns everything that the gateway sends in reply to these bytes. */
  const raw = (head: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(gateway.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString('latin1')));
      socket.on('close', () => resolve(text)).on('error', reject);
      socket.end(`${head}\r\nconnection: close\r\n\r\n`, 'latin1');
    });

  it.each([
    'TRACE',
    'TRACK',
    'CONNECT',
    'PROPFIND',
    'PROPPATCH',
    'MKCOL',
    'COPY',
    'LOCK',
    'SEARCH',
    'QUERY',
    'PURGE',
    'LINK',
  ])('[PAS-01] refuses the method %s before it is routed', async (method) => {
    for (const path of ['/v1/anything', '/v1/chat/completions', '/v1/configs', '/v1/health']) {
      const target = method === 'CONNECT' ? 'a:1' : path;
      const response = await raw(
        `${method} ${target} HTTP/1.1\r\nhost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @main`,
      );
      // The HTTP parser refuses methods that it does not know with 400.
      expect(response).toMatch(/^HTTP\/1\.1 (?:405|400) /);
      if (response.startsWith('HTTP/1.1 405'))
        expect(response.toLowerCase()).toContain(`allow: ${METHODS.toLowerCase()}\r\n`);
    }
    expect([stub.requests.length, admin.requests.length]).toEqual([0, 0]);
  });

  it('returns 400 for two Host headers, which two servers could read differently', async () => {
    for (const path of ['/v1/models', '/v1/configs', '/v1/health']) {
      for (const second of ['host: a', 'Host: b', 'HOST:']) {
        const response = await raw(
          `GET ${path} HTTP/1.1\r\nhost: a\r\n${second}\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @main`,
        );
        expect(response).toMatch(/^HTTP\/1\.1 400 /);
        expect(response).toContain('one Host header');
      }
    }
    expect([stub.requests.length, admin.requests.length]).toEqual([0, 0]);
  });

  const deployments = (headers: Record<string, string>, path = '/v1/deployments'): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"registry":{"password":"canary"}}',
    });

  it.each([
    ['x-gw-provider', '@main'],
    ['x-gw-virtual-key', 'main'],
    ['x-gw-config', '{"provider":"@main"}'],
  ])(
    'sends Anthropic’s deployments to the provider that %s names, and to the control plane without it',
    async (name, value) => {
      const key = { 'x-gw-api-key': gateway.apiKey };
      for (const path of ['/v1/deployments', '/v1/deployments/d/archive']) {
        expect((await deployments({ ...key, [name]: value }, path)).status).toBe(200);
        expect(stub.lastRequest.url).toBe(path);
        expect((await deployments(key, path)).status).toBe(200);
        expect(admin.lastRequest.url).toBe(path);
      }
      expect((await deployments({ ...key, [name]: value }, '/v2/deployments')).status).toBe(200);
      expect([stub.requests.length, admin.requests.length]).toEqual([2, 3]);
    },
  );

  it('calls no provider for a call that is meant for the control plane, because its key grants no access', async () => {
    gateway.addKey('organisationKey00000000000000000', { type: 'organisation-service', workspaceId: null });
    const response = await deployments({
      'x-gw-api-key': 'organisationKey00000000000000000',
      'x-gw-provider': '@main',
    });
    expect(response.status).toBe(403);
    const anonymous = await deployments({ 'x-gw-provider': '@main' });
    expect(anonymous.status).toBe(401);
    expect([stub.requests.length, admin.requests.length]).toEqual([0, 0]);
  });

  it('opens no session for a console: the header that it needs does not reach the admin API', async () => {
    const head = 'GET /v1/auth/self HTTP/1.1\r\nhost: a\r\ncookie: __Host-tollgate=s\r\n';
    await raw(`${head}X-Gw-Console: 1`);
    expect(admin.requests).toHaveLength(1);
    expect(admin.requests[0]?.headers).toMatchObject({ cookie: '__Host-tollgate=s' });
    expect(admin.requests[0]?.headers).not.toHaveProperty('x-gw-console');
  });

  it('removes response headers that act on the gateway’s origin, and protects pages against sniffing', async () => {
    const forbidden = {
      'strict-transport-security': 'max-age=1',
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
      'clear-site-data': '"*"',
      'set-cookie': 'a=b',
      'alt-svc': 'h3=":443"',
      'service-worker-allowed': '/',
      'public-key-pins': 'x',
      nel: '{}',
      'report-to': '{}',
    };
    const passes = { 'x-ratelimit-remaining': '7', 'content-security-policy': 'sandbox' };
    stub.respond({ headers: { ...forbidden, ...passes, 'content-type': 'text/html' }, body: '<p>' });
    const headers = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    const response = await fetch(`${gateway.baseUrl}/page`, { headers });
    expect(Object.keys(forbidden).filter((name) => response.headers.has(name))).toEqual([]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...passes,
      'x-content-type-options': 'nosniff',
    });
    stub.respondJson({});
    expect((await fetch(`${gateway.baseUrl}/page`, { headers })).headers.has('x-content-type-options')).toBe(
      false,
    );
  });

  const page = async (headers: Readonly<Record<string, string | string[]>>, more: RequestInit = {}) => {
    stub.respond({ headers, body: '<script>alert(1)</script>' });
    const response = await fetch(`${gateway.baseUrl}/page`, {
      ...more,
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main', ...more.headers },
    });
    await response.text();
    return response;
  };
  const guardsOf = ({ headers }: Response): (string | null)[] => [
    headers.get('content-security-policy'),
    headers.get('x-content-type-options'),
  ];

  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'image/anything+xml',
    'text/xml',
    'application/xml',
    'application/mathml+xml',
    'application/pdf',
    'multipart/x-mixed-replace; boundary=a',
    'multipart/related; boundary=a',
    'message/rfc822',
    'text/css',
    'application/javascript',
    'application/vnd.invented-later',
    'application/json, text/html',
    'text/plain;a="b,text/html',
    '*/*',
    '',
  ])('opens a document of the type %j in a sandbox', async (type) => {
    expect((await page({ 'content-type': type })).headers.get('content-security-policy')).toBe('sandbox');
  });

  it('opens a document of several types, and of none, in a sandbox and without sniffing', async () => {
    const several = await page({ 'content-type': ['application/json', 'text/html'] });
    expect(guardsOf(several)).toEqual(['sandbox', 'nosniff']);
    expect(guardsOf(await page({}))).toEqual(['sandbox', 'nosniff']);
    expect(guardsOf(await page({ 'content-type': 'text/plain' }))).toEqual([null, 'nosniff']);
  });

  it.each([
    'application/json',
    'application/json; charset=UTF-8',
    'text/event-stream',
    'audio/mpeg',
    'image/png',
    'video/mp4',
    'application/octet-stream',
    'application/x-ndjson',
  ])('adds no policy to a response of the type %s', async (type) => {
    expect((await page({ 'content-type': type })).headers.get('content-security-policy')).toBeNull();
  });

  it('keeps the policies of the provider, and those of errors and replayed responses', async () => {
    const policies = 'sandbox allow-scripts allow-same-origin';
    const both = await page({ 'content-type': 'text/html', 'content-security-policy': policies });
    expect(both.headers.get('content-security-policy')).toBe(`${policies}, sandbox`);
    stub.respond({ status: 500, headers: { 'content-type': 'text/html' }, body: '<p>' });
    const headers = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    const failed = await fetch(`${gateway.baseUrl}/page`, { headers });
    expect([failed.status, ...guardsOf(failed)]).toEqual([500, 'sandbox', 'nosniff']);
    const post = { method: 'POST', body: 'x', headers: { 'idempotency-key': 'page' } };
    const first = await page({ 'content-type': 'text/html' }, post);
    const replayed = await page({ 'content-type': 'application/json' }, post);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(guardsOf(replayed)).toEqual(guardsOf(first));
    expect(guardsOf(first)).toEqual(['sandbox', 'nosniff']);
  });

  /**
   * Encodes a text as curl and Go send it: as UTF-8 bytes. `node:http` writes headers as latin1, so
   * each byte is one character.
   */
  const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  const chat = (headers: Record<string, string>): Promise<{ status: number }> =>
    new Promise((resolve, reject) => {
      const sent = { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers };
      const call = request(
        `${gateway.baseUrl}/chat/completions`,
        { method: 'POST', headers: sent },
        (response) => {
          response.resume().on('end', () => resolve({ status: response.statusCode ?? 0 }));
        },
      );
      call.on('error', reject);
      // Sent as bytes: Node.js would write headers and a string body together, in the body’s
      // encoding.
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Welche größe?' }] };
      call.end(Buffer.from(JSON.stringify(body)));
    });

  it('reads header text as UTF-8, and bytes that are not UTF-8 as latin1', async () => {
    const { length } = await gateway.records();
    const provider = { 'x-gw-provider': '@main' };
    for (const name of [asBytes('Jürgen'), 'J\u00fcrgen']) {
      expect((await chat({ ...provider, 'x-gw-metadata': `{"name":"${name}"}` })).status).toBe(200);
    }
    expect((await chat({ ...provider, baggage: asBytes('name=Jürgen') })).status).toBe(200);
    const names = (await gateway.records()).slice(length).map(({ metadata }) => metadata['name']);
    expect(names).toEqual(['Jürgen', 'Jürgen', 'Jürgen']);
  });

  it('matches conditions and inline guardrails on non-ASCII text', async () => {
    const conditions = [{ query: { 'metadata.city': { $eq: 'Köln' } }, then: 'main' }];
    const config = {
      strategy: { mode: 'conditional', conditions },
      targets: [{ name: 'main', provider: '@main' }],
    };
    gateway.addConfig('pc-cologne', config);
    const metadata = { 'x-gw-metadata': asBytes('{"city":"Köln"}') };
    expect((await chat({ ...metadata, 'x-gw-config': 'pc-cologne' })).status).toBe(200);
    const checks = { 'default.contains': { words: ['größe'], operator: 'none' }, deny: true };
    const guarded = { provider: '@main', input_guardrails: [checks] };
    expect((await chat({ 'x-gw-config': asBytes(JSON.stringify(guarded)) })).status).toBe(446);
  });

  it.each(['-dash', '_under'])('finds a saved config whose slug is %s', async (slug) => {
    gateway.addConfig(slug, { provider: '@main' });
    expect((await chat({ 'x-gw-config': slug })).status).toBe(200);
  });

  it('returns 400 for a saved value that cannot be sent in a header, before anything is sent', async () => {
    const configurations = { custom_host: `${stub.origin}/v1`, openai_organization: 'a\r\nx-evil: 1' };
    gateway.addProvider('broken', 'openai', stub.origin, { configurations });
    const { length } = stub.requests;
    expect((await chat({ 'x-gw-provider': '@broken' })).status).toBe(400);
    expect(stub.requests).toHaveLength(length);
  });
});
