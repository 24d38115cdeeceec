import OpenAI from 'openai';
import { StubProvider } from '@gw/testing';
import { ROUTE_ROWS } from '../routes/families';
import { RESPONSE, BODY, budget } from '../limits/spec-support/cent-calls';
import { GatewayHarness } from '../spec-support/harness';

const CHAT = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
/** A body that passes the checks of most routes. */
const ANY_BODY = {
  ...CHAT,
  input: 'a',
  prompt: 'a',
  max_tokens: 9,
  query: 'a',
  documents: ['a'],
  role: 'user',
  content: 'a',
};
/** All defined 3xx statuses and some undefined ones; not 304, which is no redirect. */
const STATUSES = [300, 301, 302, 303, 305, 306, 307, 308, 310, 399];
const ROUTES: readonly (readonly [string, string, string, object | null])[] = [
  ['@main', 'POST', '/chat/completions', CHAT],
  ['@main', 'POST', '/chat/completions', { ...CHAT, stream: true }],
  ['@claude', 'POST', '/chat/completions', CHAT],
  ['@claude', 'POST', '/messages', { ...CHAT, max_tokens: 9 }],
  ['@main', 'POST', '/proxy/v1/anything', CHAT],
  ['@main', 'GET', '/proxy/v1/anything', null],
  ['@main', 'GET', '/files/file-1/content', null],
  ['@main', 'GET', '/batches/batch-1/output', null],
  ['@main', 'DELETE', '/files/file-1', null],
];

describe('redirects of a provider', () => {
  let gateway: GatewayHarness;
  let provider: StubProvider;
  /** The address to which the provider redirects clients. */
  let elsewhere: StubProvider;
  let admin: StubProvider;

  beforeAll(async () => {
    [provider, elsewhere, admin] = await Promise.all([
      StubProvider.start(),
      StubProvider.start(),
      StubProvider.start(),
    ]);
    elsewhere.respondJson({ from: 'elsewhere' });
    admin.respondJson({ from: 'the control plane' });
    gateway = await GatewayHarness.start({ ADMIN_URL: admin.origin });
    gateway.addProvider('main', 'openai', provider.origin);
    gateway.addProvider('second', 'openai', elsewhere.origin);
    gateway.addProvider('claude', 'anthropic', null, { configurations: { custom_host: provider.origin } });
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([provider.stop(), elsewhere.stop(), admin.stop()]);
  });
  beforeEach(() => {
    for (const stub of [provider, elsewhere, admin]) stub.requests.length = 0;
  });

  /** fetch follows redirects by default, as the official clients do. */
  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method,
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const typeOf = async (response: Response): Promise<[number, string | undefined]> => {
    const { error } = (await response.json()) as { error?: { type?: string; gateway_type?: string } };
    return [response.status, error?.gateway_type ?? error?.type];
  };
  const REFUSED = [502, 'provider_redirect'];
  const redirectTo = (location: string, status = 307): void =>
    provider.respond({ status, headers: { location }, body: 'moved' });

  it.each(ROUTES)(
    'turns redirects of %s into 502 on %s %s %j, whatever their status',
    async (target, ...line) => {
      const [method, path, body] = line;
      for (const status of STATUSES) {
        redirectTo(`${elsewhere.origin}/steal`, status);
        const response = await call(method, path, body ?? undefined, { 'x-gw-provider': target });
        expect(response.headers.get('location')).toBeNull();
        const text = await response.text();
        expect([status, response.status, text]).toEqual([status, 502, expect.stringContaining('a redirect')]);
      }
      expect([provider.requests.length, elsewhere.requests.length]).toEqual([STATUSES.length, 0]);
    },
  );

  it('returns no redirect to a client on any route, and calls neither another host nor the control plane', async () => {
    const reached: string[] = [];
    for (const { method, path, kind } of ROUTE_ROWS) {
      if (kind === 'realtime') continue;
      for (const location of [
        `${elsewhere.origin}/steal`,
        '/v1/api-keys/0a000000-0000-4000-8000-000000000009',
      ]) {
        const before = provider.requests.length;
        redirectTo(location);
        const body = method === 'POST' ? ANY_BODY : undefined;
        const response = await call(method, path.replace(/\{[^}]+\}/g, 'x-1'), body);
        expect(response.url).toContain(gateway.baseUrl);
        const wasCalled = provider.requests.length > before;
        const ended = await typeOf(response);
        // A location within the provider's origin is followed, and leads to the next redirect.
        if (wasCalled) expect([method, path, ...ended]).toEqual([method, path, ...REFUSED]);
        if (wasCalled) reached.push(`${method} ${path}`);
      }
    }
    expect(new Set(reached).size).toBeGreaterThan(ROUTE_ROWS.length / 2);
    expect([elsewhere.requests.length, admin.requests.length]).toEqual([0, 0]);
  });

  it('keeps openai’s own client from sending its gateway key to another host', async () => {
    for (const status of STATUSES) {
      redirectTo(`${elsewhere.origin}/v1/chat/completions`, status);
      const openai = new OpenAI({
        apiKey: gateway.apiKey,
        baseURL: gateway.baseUrl,
        maxRetries: 0,
        defaultHeaders: { 'x-gw-provider': '@main', 'x-gw-api-key': gateway.apiKey },
      });
      const sent = openai.chat.completions.create({ model: 'gpt-4o', messages: [] });
      await expect(sent).rejects.toMatchObject({ status: 502, type: 'provider_redirect' });
    }
    expect(elsewhere.requests).toHaveLength(0);
  });

  it('names the reason and the remedy in the error', async () => {
    redirectTo(`${elsewhere.origin}/steal?signature=secret`, 308);
    const response = await call('POST', '/chat/completions', CHAT);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain('status 308');
    expect(error.message).toContain('gateway key');
    expect(error.message).toContain('custom_host');
    expect(error.message).not.toContain('steal');
    const { attempts } = (await gateway.records()).at(-1)?.decision ?? {};
    expect(attempts).toMatchObject([{ status: null, end: 'redirected' }]);
  });

  it('falls back to the next target without a retry of the redirecting one', async () => {
    redirectTo(`${admin.origin}/steal`);
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@main', retry: { attempts: 3 } }, { provider: '@second' }],
    };
    const response = await call('POST', '/chat/completions', CHAT, { 'x-gw-config': JSON.stringify(config) });
    expect(await response.json()).toEqual({ from: 'elsewhere' });
    expect([provider.requests.length, elsewhere.requests.length]).toEqual([1, 1]);
  });

  it('charges nothing for a redirect, whatever usage its body reports', async () => {
    const key = 'redirectedKey0000000000000000000';
    // One call costs a cent.
    gateway.addKey(key, { id: 'redirected', usageLimits: [budget({ creditLimit: 0.01 })] });
    const chat = (): Promise<Response> => call('POST', '/chat/completions', BODY, { 'x-gw-api-key': key });
    provider.respond({
      status: 307,
      headers: { location: `${elsewhere.origin}/steal`, 'content-type': 'application/json' },
      body: JSON.stringify(RESPONSE),
    });
    for (let sent = 0; sent < 3; sent += 1) expect(await typeOf(await chat())).toEqual(REFUSED);
    const costs = (await gateway.records()).slice(-3).map(({ cost }) => cost ?? 0);
    expect(costs).toEqual([0, 0, 0]);
    provider.respondJson(RESPONSE);
    const statuses = [(await chat()).status, (await chat()).status];
    expect(statuses).toEqual([200, 412]);
  });

  it('counts redirects towards the breaker of their target', async () => {
    redirectTo(`${elsewhere.origin}/steal`);
    const breaker = { consecutive_failures: 2, cooldown_interval: 600_000 };
    const config = JSON.stringify({
      strategy: { mode: 'fallback', cb_config: breaker },
      targets: [{ provider: '@main' }, { provider: '@second' }],
    });
    for (let sent = 0; sent < 5; sent += 1) {
      const response = await call('POST', '/chat/completions', CHAT, { 'x-gw-config': config });
      expect(await response.json()).toEqual({ from: 'elsewhere' });
    }
    expect([provider.requests.length, elsewhere.requests.length]).toEqual([2, 5]);
  });

  it('refuses a redirect for all requests that share one call, and does not cache it', async () => {
    redirectTo(`${elsewhere.origin}/steal`);
    const headers = { 'x-gw-config': JSON.stringify({ provider: '@main', cache: { mode: 'simple' } }) };
    const once = (): Promise<[number, string | undefined]> =>
      call('POST', '/chat/completions', CHAT, headers).then(typeOf);
    expect(await Promise.all([once(), once(), once()])).toEqual([REFUSED, REFUSED, REFUSED]);
    provider.respondJson({ choices: [] });
    expect((await once())[0]).toBe(200);
    expect(elsewhere.requests).toHaveLength(0);
  });

  it.each([200, 201, 202, 304, 404, 503])(
    'removes headers that lead a client or a proxy elsewhere, with status %i',
    async (status) => {
      const to = `${elsewhere.origin}/steal`;
      const leading = {
        location: to,
        'content-location': to,
        'operation-location': to,
        'azure-asyncoperation': to,
        refresh: `0; url=${to}`,
        link: `<${to}>; rel="next"`,
        'x-goog-upload-url': to,
        'x-goog-upload-control-url': to,
        'x-accel-redirect': '/internal',
        'x-sendfile': '/etc/passwd',
      };
      provider.respond({ status, headers: { ...leading, 'x-other': 'stays' } });
      const response = await call('GET', '/proxy/v1/anything');
      await response.arrayBuffer();
      expect([response.status, response.headers.get('x-other')]).toEqual([status, 'stays']);
      expect(Object.keys(leading).filter((name) => response.headers.has(name))).toEqual([]);
    },
  );

  describe('redirects of a GET within the provider’s origin', () => {
    const PATH = '/files/file-1/content';

    it('follows the redirect with the provider’s credential', async () => {
      provider.respond(
        { status: 302, headers: { location: '../download/1?alt=media' } },
        { status: 307, headers: { location: `${provider.origin}/v2/one` } },
        { body: 'the content' },
      );
      const response = await call('GET', PATH);
      expect([response.status, await response.text()]).toEqual([200, 'the content']);
      const [first, second, third] = provider.requests;
      expect(first?.url).toMatch(/\/files\/file-1\/content$/);
      expect(second?.url).toMatch(/\/files\/download\/1\?alt=media$/);
      expect(third?.url).toBe('/v2/one');
      for (const request of provider.requests) {
        expect(request.headers['authorization']).toBe(first?.headers['authorization']);
        expect(request.method).toBe('GET');
      }
      expect(JSON.stringify(provider.requests.map(({ headers }) => headers))).not.toContain(gateway.apiKey);
    });

    it('follows at most three redirects', async () => {
      redirectTo('/again');
      expect(await typeOf(await call('GET', PATH))).toEqual(REFUSED);
      expect(provider.requests).toHaveLength(4);
    });

    it.each(['//user@127.0.0.1/x', 'https://127.0.0.1/x', 'file:///etc/passwd', 'http://[', ''])(
      'follows no redirect to another origin or an invalid location: %j',
      async (location) => {
        redirectTo(location);
        const expected = location === '' ? 4 : 1;
        expect(await typeOf(await call('GET', PATH))).toEqual(REFUSED);
        expect(provider.requests).toHaveLength(expected);
      },
    );

    it('follows no redirect to another port of the same host, which is another origin', async () => {
      redirectTo(`${elsewhere.origin}/steal`);
      expect(await typeOf(await call('GET', PATH))).toEqual(REFUSED);
      expect(elsewhere.requests).toHaveLength(0);
    });
  });
});
