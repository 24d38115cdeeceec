import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

describe('configs on passthrough', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    first.respondJson({ from: 'first' });
    second.respondJson({ from: 'second' });
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), first.stop(), second.stop()]);
  });

  const send = (
    config: object,
    headers: Record<string, string> = {},
    body: unknown = { a: 1 },
  ): Promise<Response> =>
    fetch(`${gateway.baseUrl}/any/endpoint`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const both = [{ provider: '@first' }, { provider: '@second' }];

  it('[PAS-03] falls back', async () => {
    first.respond({ status: 500 });
    const response = await send({ strategy: { mode: 'fallback' }, targets: both });
    expect(await response.json()).toEqual({ from: 'second' });
    expect(response.headers.get('x-gw-last-used-option-index')).toBe('config.targets[1]');
  });

  it('[PAS-03] balances load by weight', async () => {
    const targets = [
      { provider: '@first', weight: 0 },
      { provider: '@second', weight: 1 },
    ];
    for (let i = 0; i < 5; i += 1) {
      expect(await (await send({ strategy: { mode: 'loadbalance' }, targets })).json()).toEqual({
        from: 'second',
      });
    }
  });

  it('[PAS-03] chooses by condition, on metadata and on the body', async () => {
    const config = {
      strategy: {
        mode: 'conditional',
        conditions: [
          { query: { 'metadata.tier': { $eq: 'gold' } }, then: 'two' },
          { query: { 'params.deep.flag': { $eq: true } }, then: 'two' },
        ],
        default: 'one',
      },
      targets: [
        { name: 'one', provider: '@first' },
        { name: 'two', provider: '@second' },
      ],
    };
    const responses = [
      await send(config),
      await send(config, { 'x-gw-metadata': '{"tier":"gold"}' }),
      await send(config, {}, { deep: { flag: true } }),
    ];
    expect(await Promise.all(responses.map((response) => response.json()))).toEqual([
      { from: 'first' },
      { from: 'second' },
      { from: 'second' },
    ]);
  });

  it('[PAS-07] forwards a full resource name in the model field unchanged', async () => {
    const model = 'projects/p-1/locations/us/publishers/google/models/gemini:tuned@7';
    await send({ provider: '@first' }, {}, { model, x: 1 });
    expect(first.lastRequest.body.toString()).toBe(JSON.stringify({ model, x: 1 }));
  });

  it('[ENV-01] ends an outbound call after REQUEST_TIMEOUT with 504', async () => {
    await gateway.stop();
    gateway = await GatewayHarness.start({ REQUEST_TIMEOUT: '300' });
    gateway.addProvider('first', 'openai', first.origin);
    first.respond({ neverRespond: true });
    const response = await send({ provider: '@first' });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: { type: 'provider_timeout' } });
  });
});
