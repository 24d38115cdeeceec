import { STUB_IDENTITY, StubProvider, StubTokenServices } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 };
const COMPLETION = { object: 'chat.completion', choices: [{ message: { content: 'Sunny' } }] };
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'Sunny' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 20, output_tokens: 7 },
};
const ENTRA = {
  azure_auth_mode: 'entra',
  azure_entra_tenant_id: STUB_IDENTITY.entraTenant,
  azure_entra_client_id: STUB_IDENTITY.entraClient,
  azure_entra_client_secret: STUB_IDENTITY.entraSecret,
};

describe('Azure AI Foundry', () => {
  let services: StubTokenServices;
  let stub: StubProvider;
  let gateway: GatewayHarness;

  beforeEach(async () => {
    services = await StubTokenServices.start();
    stub = await StubProvider.start();
    gateway = await GatewayHarness.start(services.settings);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), services.stop()]);
  });

  const add = (path: string, configurations: object = {}, more: object = {}): void =>
    gateway.addProvider('foundry', 'azure-ai', null, {
      configurations: { azure_foundry_url: stub.origin + path, ...configurations },
      ...more,
    });
  const call = (path: string, body: object): Promise<Response> =>
    fetch(gateway.baseUrl + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@foundry',
      },
      body: JSON.stringify(body),
    });

  it.each([
    ['/openai/v1', '/openai/v1/chat/completions', { authorization: 'Bearer sk-foundry' }],
    ['/models', '/models/chat/completions?api-version=2024-05-01-preview', { 'api-key': 'sk-foundry' }],
    ['/v1/', '/v1/chat/completions', { authorization: 'Bearer sk-foundry' }],
  ])('is called at an endpoint of the form %s', async (path, expected, headers) => {
    add(path, { azure_deployment_name: 'own' });
    stub.respondJson(COMPLETION);
    expect((await call('/chat/completions', CHAT)).status).toBe(200);
    expect(stub.lastRequest.url).toBe(expected);
    expect(stub.lastRequest.headers).toMatchObject({
      ...headers,
      'extra-parameters': 'drop',
      'azureml-model-deployment': 'own',
    });
  });

  it('serves Claude by the Messages API of the resource, to clients of both dialects', async () => {
    add('/openai/v1');
    stub.respondJson(MESSAGE);
    const body = { ...CHAT, model: 'claude-sonnet-4-5' };
    expect(await (await call('/messages', body)).json()).toEqual(MESSAGE);
    expect(stub.lastRequest.url).toBe('/anthropic/v1/messages');
    expect(stub.lastRequest.headers).toMatchObject({
      'x-api-key': 'sk-foundry',
      'anthropic-version': '2023-06-01',
    });
    const translated = await call('/chat/completions', body);
    expect(await translated.json()).toMatchObject({ choices: [{ message: { content: 'Sunny' } }] });
    expect(stub.lastRequest.url).toBe('/anthropic/v1/messages');
  });

  it('gets a token of Entra on both of its APIs', async () => {
    add('/models', ENTRA, { sealedCredential: null });
    stub.respondJson(MESSAGE);
    for (const [path, model] of [
      ['/chat/completions', 'm'],
      ['/messages', 'claude-sonnet-4-5'],
    ] as const) {
      await call(path, { ...CHAT, model });
      expect(stub.lastRequest.headers['authorization']).toBe('Bearer entra-token-1');
      expect(stub.lastRequest.headers['x-api-key']).toBeUndefined();
    }
  });

  it('names the setting that is missing', async () => {
    gateway.addProvider('foundry', 'azure-ai', null, { configurations: {} });
    const response = await call('/chat/completions', CHAT);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'azure_foundry_url' } });
  });
});
