import type { ProviderModel } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { TestClient } from '../spec-support/test-client';

const CHAT = {
  model: 'gpt-4o',
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
};
const model = (slug: string, enabled: boolean): ProviderModel => ({
  ...{ slug, enabled, isCustom: false, baseModelSlug: null },
  ...{ customHost: null, customHeaders: {}, price: null },
});

describe('a model that parameter rules add or drop', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);
  const config = (name: string, more: object = {}) => ({
    provider: '@main',
    default_params: { model: name },
    ...more,
  });

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson(CHAT);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });
  const ask = async (path: string, body: object, sent: object): Promise<number> =>
    (await asker.ask(path, body, { config: sent })).status;

  it('is, when added, the model of the request, for the models of the provider, the price and the log', async () => {
    gateway.addProvider('main', 'openai', stub.origin, {
      allowAllModels: false,
      models: [model('gpt-4o', true)],
    });
    expect(await ask('/chat/completions', { messages: [] }, config('gpt-4o'))).toBe(200);
    expect(JSON.parse(stub.lastRequest.body.toString())).toEqual({ messages: [], model: 'gpt-4o' });
    expect((await gateway.records()).at(-1)).toMatchObject({ model: 'gpt-4o', priced: 'priced' });
  });

  it.each(['/responses', '/images/generations', '/moderations'])(
    'is refused at %s when it is added and the provider has it disabled',
    async (path) => {
      gateway.addProvider('main', 'openai', stub.origin, { models: [model('gpt-secret', false)] });
      expect(await ask(path, { input: 'x', prompt: 'x' }, config('gpt-secret'))).toBe(412);
      expect(stub.requests).toEqual([]);
    },
  );

  it.each<[status: number, more: object]>([
    [412, { drop_params: ['model'] }],
    [412, { drop_params: ['model'], override_params: { model: 'gpt-4o' } }],
    [200, { drop_params: ['model.name'] }],
  ])('is not left to a provider with a list of models: %s with %j', async (status, more) => {
    gateway.addProvider('main', 'openai', stub.origin, {
      allowAllModels: false,
      models: [model('gpt-4o', true)],
    });
    const body = { model: 'gpt-4o', prompt: 'x' };
    expect(await ask('/images/generations', body, { provider: '@main', ...more })).toBe(status);
  });

  it('does not replace the model that the client sends', async () => {
    gateway.addProvider('main', 'openai', stub.origin, { models: [model('gpt-secret', false)] });
    expect(await ask('/chat/completions', { model: 'gpt-4o', messages: [] }, config('gpt-secret'))).toBe(200);
    expect((await gateway.records()).at(-1)).toMatchObject({ model: 'gpt-4o' });
  });
});
