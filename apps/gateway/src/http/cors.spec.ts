import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const PAGE = 'https://app.example.com';

describe('CORS', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const start = async (origins: string, consoleUrl = ''): Promise<void> => {
    gateway = await GatewayHarness.start({ CORS_ALLOWED_ORIGINS: origins, CONSOLE_URL: consoleUrl });
    stub = await StubProvider.start();
    stub.respondJson({ ok: true });
    gateway.addProvider('main', 'openai', stub.origin);
  };
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const preflight = (origin: string, headers = 'x-gw-api-key,content-type'): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': headers,
      },
    });

  it('responds to the preflight of an allowed page without a key and without a provider call', async () => {
    await start(PAGE);
    const response = await preflight(PAGE);
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(response.headers.get('access-control-allow-headers')).toBe('x-gw-api-key,content-type');
    expect(stub.requests).toHaveLength(0);
  });

  it('lets an allowed page read responses and errors', async () => {
    await start('*');
    const responses = await Promise.all(
      [gateway.apiKey, 'nobody'].map((key) =>
        fetch(`${gateway.baseUrl}/chat/completions`, {
          method: 'POST',
          headers: {
            origin: PAGE,
            'x-gw-api-key': key,
            'x-gw-provider': '@main',
            'content-type': 'application/json',
          },
          body: '{"model":"m"}',
        }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 401]);
    for (const response of responses) expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each([
    ['http://127.0.0.1:8788', ['http://127.0.0.1:8788', 'http://localhost:8788']],
    ['https://console.example.com/base', ['https://console.example.com']],
  ])('lets pages of the console at %s send and read every header of a playground', async (url, origins) => {
    await start(PAGE, url);
    const sent =
      'authorization,content-type,idempotency-key,traceparent,x-gw-api-key,x-gw-cache-force-refresh,x-gw-config,x-gw-explain,x-gw-metadata,x-gw-provider,x-gw-trace-id';
    for (const origin of [...origins, PAGE]) {
      const allowed = await preflight(origin, sent);
      expect([origin, allowed.status, allowed.headers.get('access-control-allow-headers')]).toEqual([
        ...[origin, 204, sent],
      ]);
      const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          ...{ origin, 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main', 'x-gw-explain': '1' },
          'content-type': 'application/json',
        },
        body: '{"model":"m"}',
      });
      const { headers } = response;
      expect([response.status, headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      // Every header, as long as the page sends no cookies.
      expect(headers.get('access-control-expose-headers')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      for (const name of ['x-gw-request-id', 'x-gw-trace-id', 'x-gw-decision'])
        expect([name, headers.has(name)]).toEqual([name, true]);
    }
    const near = `${origins[0] ?? ''}.evil.example.com`;
    for (const origin of ['http://127.0.0.1:8789', 'http://localhost', near, 'null'])
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('tells caches that responses depend on the origin, also those of providers that vary otherwise', async () => {
    await start(PAGE);
    stub.respond({ headers: { vary: 'accept-language' }, body: { ok: true } });
    const auth = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    for (const origin of [PAGE, 'https://other.example.com']) {
      const response = await fetch(`${gateway.baseUrl}/anything`, { headers: { ...auth, origin } });
      expect(response.headers.get('vary')?.split(/, */).sort()).toEqual(['accept-language', 'origin']);
    }
  });

  it('shows nothing to other pages', async () => {
    await start(PAGE);
    const response = await preflight('https://evil.example.com');
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('[PAS-01] forwards OPTIONS to the provider if no page is allowed', async () => {
    await start('');
    stub.respond({ status: 204, headers: { allow: 'POST' } });
    const response = await fetch(`${gateway.baseUrl}/anything`, {
      method: 'OPTIONS',
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' },
    });
    expect(response.status).toBe(204);
    expect(stub.lastRequest.method).toBe('OPTIONS');
  });
});
