import type { ProviderModel } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const model = (slug: string, enabled: boolean, price: ProviderModel['price'] = null): ProviderModel => ({
  ...{ slug, enabled, price, baseModelSlug: null },
  ...{ isCustom: false, customHost: null, customHeaders: {} },
});

/** Providers, paths of their own APIs, and the models that these name. */
const CALLS = [
  ['replicate', '/models/black-forest-labs/flux-dev/predictions', 'black-forest-labs/flux-dev'],
  ['replicate', '/models/black%2Dforest-labs/flux-dev/predictions/', 'black-forest-labs/flux-dev'],
  ['replicate', '/deployments/acme/flux/predictions', 'acme/flux'],
  ['fal', '/fal-ai/flux/dev', 'fal-ai/flux/dev'],
  ['segmind', '/sdxl1.0-txt2img', 'sdxl1.0-txt2img'],
  ['black-forest-labs', '/flux-pro-1.1', 'flux-pro-1.1'],
] as const;

describe('a passthrough call whose path names the model by the provider’s own API', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ id: 'p1' });
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = async (path: string, body: object = { prompt: 'a cat' }, method = 'POST'): Promise<number> => {
    const response = await fetch(`${gateway.baseUrl}/proxy${path}`, {
      ...{ method, body: method === 'GET' ? null : JSON.stringify(body) },
      headers: {
        ...{ 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' },
        'content-type': 'application/json',
      },
    });
    await response.text();
    return response.status;
  };
  const last = async (): Promise<LoggedRequest> => (await gateway.records()).at(-1) as LoggedRequest;

  it.each(CALLS)('is refused by %s at %s if the model is not enabled', async (id, path, named) => {
    gateway.addProvider('main', id, stub.origin, { models: [model(named, false)] });
    expect(await send(path)).toBe(412);
    expect(await send(path, { model: 'other' })).toBe(412);
    gateway.addProvider('main', id, stub.origin, { allowAllModels: false, models: [model('other', true)] });
    expect(await send(path)).toBe(412);
    expect(await send(path, { model: 'other' })).toBe(412);
    expect(stub.requests).toHaveLength(0);
  });

  it.each(CALLS)(
    'is sent by %s at %s unchanged, and logged and priced with the model',
    async (id, path, named) => {
      const price = { input: 2, output: 4 };
      gateway.addProvider('main', id, stub.origin, {
        ...{ allowAllModels: false, models: [model(named, true, price), model('other', true)] },
      });
      stub.respondJson({ usage: { prompt_tokens: 3, completion_tokens: 0 } });
      expect(await send(path, { model: 'other', prompt: 'a cat' })).toBe(200);
      expect(stub.lastRequest.url).toBe(`/v1${path}`);
      expect(stub.lastRequest.body.toString()).toBe('{"model":"other","prompt":"a cat"}');
      expect(await last()).toMatchObject({ model: named, cost: 6_000_000 });
    },
  );

  it.each([
    ['replicate', 'GET', '/predictions/p1'],
    ['replicate', 'POST', '/predictions/p1/cancel'],
    ['fal', 'GET', '/fal-ai/flux/requests/r1/status'],
    ['openai', 'POST', '/fal-ai/flux/dev'],
  ])('does not include %s %s %s', async (id, method, path) => {
    gateway.addProvider('main', id, stub.origin, { models: [model(path.slice(1), false)] });
    expect(await send(path, {}, method)).toBe(200);
  });
});
