import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const PAGE = 'https://app.example.com';

describe('CORS', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const start = async (origins: string): Promise<void> => {
    gateway = await GatewayHarness.start({ CORS_ALLOWED_ORIGINS: origins });
    stub = await StubProvider.start();
    stub.respondJson({ ok: true });
    gateway.addProvider('main', 'openai', stub.origin);
  };
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const preflight = (origin: string): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-gw-api-key,content-type',
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
