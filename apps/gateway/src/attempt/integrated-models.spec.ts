import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const model = (slug: string, enabled = true) => ({
  slug,
  enabled,
  isCustom: true,
  baseModelSlug: slug === 'ours' ? 'gpt-4o' : null,
  customHost: null,
  customHeaders: {},
  price: null,
});
const CONFIG = {
  strategy: { mode: 'fallback' },
  fetch_integrated_models: true,
  targets: [{ provider: '@main' }, { provider: '@other' }],
};

describe('integrated models', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ object: 'list', data: [{ id: 'of-the-provider' }] });
    gateway.addProvider('main', 'openai', stub.origin, { models: [model('ours'), model('off', false)] });
    gateway.addProvider('other', 'openai', stub.origin, { models: [model('theirs')] });
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const models = async (config: object, headers: Record<string, string>): Promise<unknown> => {
    const response = await fetch(`${gateway.baseUrl}/models`, {
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-config': JSON.stringify(config), ...headers },
    });
    expect(response.status).toBe(200);
    return response.json();
  };

  it('[AUT-07] lists the enabled models of the config without a provider call when header and flag are set', async () => {
    expect(await models(CONFIG, { 'x-gw-models-endpoint': 'true' })).toEqual({
      object: 'list',
      total_count: 2,
      data: [
        { id: '@main/ours', slug: 'ours', canonical_slug: 'gpt-4o', object: 'model' },
        { id: '@other/theirs', slug: 'theirs', canonical_slug: 'theirs', object: 'model' },
      ],
    });
    expect(stub.requests).toHaveLength(0);
    expect(await gateway.records()).toMatchObject([{ route: 'models', status: 200, outcome: 'ok' }]);
  });

  it.each([
    ['the flag alone', CONFIG, {}],
    ['the header alone', { ...CONFIG, fetch_integrated_models: false }, { 'x-gw-models-endpoint': 'true' }],
  ])('[AUT-07] calls the provider with %s', async (_what, config, headers: Record<string, string>) => {
    expect(await models(config, headers)).toMatchObject({ data: [{ id: 'of-the-provider' }] });
  });
});
