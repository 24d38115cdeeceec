import { StubProvider } from '@gw/testing';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../spec-support/harness';

const BODY = { model: 'gpt-4o', messages: [] };

/** The three ways to name the saved provider `main`. */
const WAYS: readonly (readonly [way: string, headers: Record<string, string>, model: string])[] = [
  ['x-gw-provider: @main', { 'x-gw-provider': '@main' }, 'gpt-4o'],
  ['x-gw-virtual-key: main', { 'x-gw-virtual-key': 'main' }, 'gpt-4o'],
  ['model: @main/gpt-4o', {}, '@main/gpt-4o'],
];

describe.each(WAYS)('saved provider, named by %s', (_, headers, model) => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ choices: [], usage: { prompt_tokens: 40, completion_tokens: 2 } });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = (more: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers, ...more },
      body: JSON.stringify({ ...BODY, model }),
    });
  const errorOf = async (response: Response): Promise<unknown> =>
    ((await response.json()) as { error: unknown }).error;

  it('[AUT-05] sends its own credential, which no header of the caller replaces', async () => {
    for (const own of [
      {},
      { authorization: 'Bearer sk-own' },
      { 'x-api-key': 'sk-own', 'api-key': 'sk-own' },
    ]) {
      expect((await send(own)).status).toBe(200);
      expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-main');
      expect(stub.lastRequest.rawHeaders.join()).not.toContain('sk-own');
    }
  });

  it('[AUT-05] refuses requests without a call when its budget is exhausted', async () => {
    gateway.addProvider('main', 'openai', stub.origin, { status: 'exhausted' });
    const response = await send();
    expect(response.status).toBe(412);
    expect(await errorOf(response)).toMatchObject({
      type: 'budget_exhausted',
      code: 'AB09',
      scope: 'provider',
    });
    expect(stub.connections).toBe(0);
    gateway.addProvider('main', 'openai', stub.origin, {
      usageLimits: [
        {
          type: 'tokens',
          creditLimit: 42,
          alertThreshold: null,
          periodicReset: null,
          periodicResetDays: null,
          nextResetAt: null,
          status: 'active',
        },
      ],
    });
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(412);
    expect(stub.requests).toHaveLength(1);
    gateway.addProvider('main', 'openai', stub.origin);
    expect((await send()).status).toBe(200);
  });

  it('[AUT-05] enforces its own request and token rate limits for all callers', async () => {
    gateway.addProvider('main', 'openai', stub.origin, {
      rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }],
    });
    expect((await send()).status).toBe(200);
    gateway.addKey('anotherKey000000000000000000000A');
    const refused = await send({ 'x-gw-api-key': 'anotherKey000000000000000000000A' });
    expect(refused.status).toBe(429);
    expect(await errorOf(refused)).toMatchObject({
      type: 'rate_limited',
      limit: { scope: 'provider', limit: 1 },
    });
    gateway.addProvider('other', 'openai', stub.origin, {
      rateLimits: [{ type: 'tokens', unit: 'rpd', value: 40 }],
    });
    const tokens = { 'x-gw-provider': '@other' };
    expect((await send(tokens)).status).toBe(200);
    expect((await send(tokens)).status).toBe(429);
  });

  it('[AUT-05] uses the new credential from the first request after a rotation, and none once it has expired', async () => {
    expect((await send()).status).toBe(200);
    const rotated = gateway.sealed('main', 'sk-rotated');
    gateway.addProvider('main', 'openai', stub.origin, { sealedCredential: rotated });
    expect((await send()).status).toBe(200);
    expect(stub.requests.map(({ headers: sent }) => sent['authorization'])).toEqual([
      'Bearer sk-main',
      'Bearer sk-rotated',
    ]);
    gateway.addProvider('main', 'openai', stub.origin, { expiresAt: '2020-01-01T00:00:00.000Z' });
    const expired = await send();
    expect(expired.status).toBe(401);
    expect(await errorOf(expired)).toMatchObject({ type: 'credential_expired' });
    expect(stub.requests).toHaveLength(2);
  });

  it('[AUT-05] exists only in its own workspace', async () => {
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    gateway.addKey('theirKey00000000000000000000000A', { workspaceId: OTHER_WORKSPACE_ID });
    const response = await send({ 'x-gw-api-key': 'theirKey00000000000000000000000A' });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ type: 'provider_not_found' });
    expect(stub.connections).toBe(0);
  });
});
