import { eventually, StubProvider, withRedis } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const COOLDOWN_MS = 60_000;

describe('breakers of gateways that share a Redis', () => {
  const redis = withRedis();
  let gateways: GatewayHarness[];
  let primary: StubProvider;
  let fallback: StubProvider;

  beforeEach(async () => {
    [primary, fallback] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    fallback.respondJson({ from: 'fallback' });
    gateways = [];
  });
  afterEach(async () => {
    await Promise.all([...gateways.map((gateway) => gateway.stop()), primary.stop(), fallback.stop()]);
  });

  async function start(): Promise<GatewayHarness> {
    const gateway = await GatewayHarness.start({ REDIS_URL: redis.url });
    gateways.push(gateway);
    gateway.addProvider('primary', 'openai', primary.origin);
    gateway.addProvider('fallback', 'openai', fallback.origin);
    return gateway;
  }

  const config = JSON.stringify({
    strategy: { mode: 'fallback', cb_config: { consecutive_failures: 1, cooldown_interval: COOLDOWN_MS } },
    targets: [{ provider: '@primary' }, { provider: '@fallback' }],
  });

  async function responseOf(gateway: GatewayHarness): Promise<unknown> {
    const response = await fetch(`${gateway.baseUrl}/any/endpoint`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-config': config },
      body: '{}',
      signal: AbortSignal.timeout(60_000),
    });
    return response.json();
  }

  it('opens a breaker on all gateways when it opens on one, also on those that start later', async () => {
    const [one, other] = [await start(), await start()];
    primary.respondJson({ from: 'primary' });
    expect(await responseOf(other)).toEqual({ from: 'primary' });
    primary.respond({ status: 500 });
    expect(await responseOf(one)).toEqual({ from: 'fallback' });
    primary.respondJson({ from: 'primary' });
    await eventually(async () => ((await responseOf(other)) as { from: string }).from === 'fallback');
    const late = await start();
    await eventually(async () => ((await responseOf(late)) as { from: string }).from === 'fallback');
    const requested = primary.requests.length;
    for (const gateway of gateways) expect(await responseOf(gateway)).toEqual({ from: 'fallback' });
    expect(primary.requests).toHaveLength(requested);
  });

  it('opens breakers within a gateway while Redis is unavailable, and no request waits for Redis or fails', async () => {
    const gateway = await start();
    await redis.kill();
    primary.respond({ status: 500 });
    expect(await responseOf(gateway)).toEqual({ from: 'fallback' });
    expect(await responseOf(gateway)).toEqual({ from: 'fallback' });
    expect(primary.requests).toHaveLength(1);
    await redis.start();
  });
});
