import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

describe('stored configs that are not valid', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  it.each([
    [{ strategy: 5, targets: 'none' }],
    [null],
    ['text'],
    // The compiler alone would accept these in part.
    [{ targets: [null] }],
    [{ targets: [{ provider: '@main' }, null] }],
    [{ strategy: { mode: 'fallback' }, targets: [] }],
    [{ provider: '@main', retry: { attempts: -1 } }],
    [{ provider: '@main', retries: { attempts: 1 } }],
    [{ provider: '@main', request_timeout: 'soon' }],
    [{ strategy: { mode: 'loadbalance' }, targets: [{ provider: '@main', weight: 'heavy' }] }],
  ])(
    'refuses the stored config %j with 400 config_invalid that names it, without calling a provider [faults D19]',
    async (config) => {
      gateway.addConfig('pc-broken', config);
      const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main', 'x-gw-config': 'pc-broken' },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
      });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { type: 'config_invalid', message: expect.stringContaining('"pc-broken"') } },
      ]);
      expect(stub.requests).toEqual([]);
    },
  );
});
