import { StubProvider } from '@gw/testing';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';

const COMPLETION = { object: 'chat.completion', choices: [{ message: { content: 'Sunny' } }] };

describe('x-portkey-* headers', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    [gateway, stub] = await Promise.all([GatewayHarness.start(), StubProvider.start()]);
    gateway.addProvider('groq', 'groq', stub.origin);
    stub.respondJson(COMPLETION);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    });
  const accept = (): void => gateway.addTenant(WORKSPACE_ID, 'main', { acceptsPortkeyHeaders: true });

  it('stand for ours where the workspace accepts them', async () => {
    accept();
    const response = await ask({
      'x-portkey-api-key': gateway.apiKey,
      'x-portkey-provider': '@groq',
      'x-portkey-metadata': '{"team":"a"}',
      'x-portkey-trace-id': 'a-trace',
    });
    expect(response.status).toBe(200);
    expect(await gateway.records()).toMatchObject([{ traceId: 'a-trace', metadata: { team: 'a' } }]);
    expect(Object.keys(stub.lastRequest.headers).filter((name) => name.startsWith('x-portkey'))).toEqual([]);
  });

  it('take a config, whose provider gets the caller’s key', async () => {
    accept();
    const config = { provider: 'groq', custom_host: stub.origin, api_key: 'sk-of-config' };
    const headers = { 'x-portkey-api-key': gateway.apiKey, 'x-portkey-config': JSON.stringify(config) };
    expect((await ask(headers)).status).toBe(200);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-of-config');
  });

  it('give way to ours', async () => {
    accept();
    const headers = {
      'x-portkey-api-key': gateway.apiKey,
      'x-portkey-provider': '@unknown',
      'x-gw-provider': '@groq',
    };
    expect((await ask(headers)).status).toBe(200);
  });

  it('are refused where the workspace does not accept them, with the way out', async () => {
    const response = await ask({ 'x-portkey-api-key': gateway.apiKey, 'x-portkey-provider': '@groq' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'header_invalid',
        message: expect.stringContaining('settings.portkey_headers') as string,
      },
    });
    expect(stub.requests).toHaveLength(0);
  });

  it('never reach a provider, from any sender', async () => {
    const headers = {
      'x-gw-api-key': gateway.apiKey,
      'x-gw-provider': '@groq',
      'x-portkey-api-key': 'a-key',
    };
    expect((await ask(headers)).status).toBe(200);
    expect(stub.lastRequest.headers['x-portkey-api-key']).toBeUndefined();
  });
});
