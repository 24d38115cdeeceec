import type { RateLimitRule } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';

const RATE: RateLimitRule = { type: 'requests', unit: 'rpd', value: 100 };

describe('paths that hand out access to a provider', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  const start = async (environment: Record<string, string> = {}): Promise<void> => {
    gateway = await GatewayHarness.start(environment);
    stub = await StubProvider.start();
    stub.respondJson({ value: 'ek_123' });
    gateway.addProvider('main', 'openai', stub.origin);
  };
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = async (
    path: string,
    { method = 'POST', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; type: unknown; message: string }> => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method,
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main', ...headers },
      ...(method === 'POST' && { body: '{}' }),
    });
    const { error } = (await response.json()) as { error?: { type: string; message: string } };
    return { status: response.status, type: error?.type, message: error?.message ?? '' };
  };

  it.each([
    ['POST', '/realtime/client_secrets'],
    ['POST', '/proxy/realtime/client_secrets'],
    ['POST', '/realtime/sessions'],
    ['POST', '/realtime/transcription_sessions'],
    ['POST', '/realtime/calls'],
    ['POST', '/realtime/calls/rtc_1/accept'],
    ['PUT', '/realtime/translations/client_secrets'],
    ['POST', '/REALTIME/%63lient_secrets/'],
    ['POST', '/proxy/realtime;a=b/client_secrets'],
    ['POST', '/openai/realtimeapi/sessions'],
    ['POST', '/v1alpha/auth_tokens'],
    ['POST', '/chatkit/sessions'],
    ['GET', '/convai/conversation/get-signed-url?agent_id=1'],
    ['GET', '/convai/conversation/token'],
    ['POST', '/single-use-token/realtime_scribe'],
    ['POST', '/proxy/auth/grant'],
    ['POST', '/projects/p1/keys'],
    ['POST', '/organization/projects/p1/service_accounts'],
    ['POST', '/organization/admin_api_keys'],
  ])('refuses %s %s with 403 for a saved provider, without calling it', async (method, path) => {
    await start();
    const { status, type, message } = await send(path, { method });
    expect([status, type]).toEqual([403, 'feature_disabled']);
    expect(message).toContain('GET /v1/realtime');
    expect(stub.requests).toHaveLength(0);
    expect((await gateway.records()).at(-1)).toMatchObject({ status: 403, outcome: 'denied' });
  });

  it('allows the path with the caller’s own provider key', async () => {
    await start();
    const headers = {
      'x-gw-provider': 'openai',
      'x-gw-custom-host': `${stub.origin}/v1`,
      authorization: 'Bearer sk-of-the-caller',
    };
    expect((await send('/realtime/client_secrets', { headers })).status).toBe(200);
    expect(stub.requests).toHaveLength(1);
  });

  it.each(['/real/time', '/realtime_models', '/files/realtime', '/monkeys', '/tokens'])(
    'allows %s, which is another path',
    async (path) => {
      await start();
      expect((await send(path)).status).toBe(200);
    },
  );

  it('allows the path with ALLOW_CLIENT_SECRETS when no limit applies to the request', async () => {
    await start({ ALLOW_CLIENT_SECRETS: 'on' });
    expect((await send('/realtime/client_secrets')).status).toBe(200);
  });

  const main = (over: object) => {
    gateway.addProvider('main', 'openai', stub.origin, over);
  };
  it.each([
    ['a rate limit of the key', () => gateway.addKey(gateway.apiKey, { rateLimits: [RATE] })],
    ['a rate limit of the workspace', () => gateway.addTenant(WORKSPACE_ID, 'main', { rateLimits: [RATE] })],
    ['a rate limit of the provider', () => main({ rateLimits: [RATE] })],
    ['a model that is not enabled', () => main({ models: [{ slug: 'gpt-4o', enabled: false }] })],
    ['strict audit', () => gateway.setOrganisation({ id: ORGANISATION_ID, strictAudit: true })],
  ])('refuses the path with ALLOW_CLIENT_SECRETS when there is %s', async (_what, limit) => {
    await start({ ALLOW_CLIENT_SECRETS: 'on' });
    limit();
    expect(await send('/realtime/client_secrets')).toMatchObject({ status: 403, type: 'feature_disabled' });
    expect(stub.requests).toHaveLength(0);
  });

  it('refuses the path with ALLOW_CLIENT_SECRETS when a guardrail judges the request', async () => {
    await start({ ALLOW_CLIENT_SECRETS: 'on' });
    const config = { output_guardrails: [{ 'default.contains': { words: ['x'], operator: 'none' } }] };
    const headers = { 'x-gw-config': JSON.stringify(config) };
    expect(await send('/realtime/client_secrets', { headers })).toMatchObject({ status: 403 });
    expect(stub.requests).toHaveLength(0);
  });
});
