import { connectRedis, redisReady } from '@gw/redis';
import { eventually, StubProvider, withRedis } from '@gw/testing';
import { TestClient, type TestRequest, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

const ASK = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const STREAM = { ...ASK, stream: true };

describe('responses stored in Redis', () => {
  const redis = withRedis();
  let stub: StubProvider;
  let one: GatewayHarness;
  let two: GatewayHarness;
  let count = 0;
  const config = { provider: '@main', cache: { mode: 'simple' } };

  /** A timeout that lets a busy machine receive Redis's reply, but is still bounded. */
  const start = (master?: GatewayHarness['master']): Promise<GatewayHarness> =>
    GatewayHarness.start({ REDIS_URL: redis.url, CACHE_TIMEOUT: '1000' }, null, master);

  beforeEach(async () => {
    stub = await StubProvider.start();
    count = 0;
    stub.respond(({ body }) =>
      (JSON.parse(body.toString()) as { stream?: boolean }).stream === true
        ? {
            headers: { 'content-type': 'text/event-stream' },
            steps: [
              { chunk: `data: {"choices":[],"count":${String((count += 1))}}\n\n` },
              { chunk: 'data: [DONE]\n\n' },
            ],
          }
        : { body: { model: 'gpt-4o', choices: [], count: (count += 1) } },
    );
    one = await start();
    two = await start(one.master);
    for (const gateway of [one, two]) gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([one.stop(), two.stop(), stub.stop()]);
  });

  const ask = (gateway: GatewayHarness, body: object, requested: TestRequest = {}): Promise<TestResponse> =>
    new TestClient(() => gateway).ask('/chat/completions', body, { config, ...requested });
  const untilHit = (gateway: GatewayHarness, body: object): Promise<TestResponse> =>
    eventually(async () => {
      const response = await ask(gateway, body);
      return response.cache === 'HIT' && response;
    });

  it.each([
    ['whole', { ...ASK, user: 'whole' }],
    ['as a stream', { ...STREAM, user: 'stream' }],
  ])('serves a stored response from every gateway, %s', async (_name, body) => {
    expect((await ask(one, body)).cache).toBe('MISS');
    await eventually(async () => {
      const requested = stub.requests.length;
      const [mine, other] = [await ask(one, body), await ask(two, body)];
      expect([mine.cache, other.cache, other.text]).toEqual(['HIT', 'HIT', mine.text]);
      expect(stub.requests).toHaveLength(requested);
      return true;
    });
  });

  it('serves the first response for a repeated Idempotency-Key from every gateway', async () => {
    const body = { ...ASK, user: 'idempotent' };
    // A gateway that has just started stores first responses in its own memory until it has
    // connected to Redis.
    await eventually(async () => {
      const headers = { 'idempotency-key': `key-${String(count)}` };
      const [first, again] = [await ask(one, body, { headers }), await ask(two, body, { headers })];
      expect([again.headers.get('idempotent-replayed'), again.text]).toEqual(['true', first.text]);
      return true;
    });
  });

  it('reports a miss with its reason while Redis is unavailable, and still serves the request', async () => {
    const body = { ...ASK, user: 'away' };
    await ask(one, body);
    await untilHit(one, body);
    await redis.kill();
    const response = await ask(one, body, { headers: { 'idempotency-key': 'away' } });
    expect([response.status, response.cache]).toEqual([200, 'MISS']);
    expect((await one.records()).at(-1)?.decision.cache).toMatchObject({
      status: 'MISS',
      failure: 'store_unavailable',
    });
    const again = await ask(one, body, { headers: { 'idempotency-key': 'away' } });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([response.text, 'true']);
    await redis.start();
    await untilHit(one, body);
  });

  // The last test of the file: Redis stays silent.
  it('reports a miss when Redis does not respond, and delays the request by at most the cache timeout', async () => {
    const body = { ...ASK, user: 'silent' };
    await ask(one, body);
    await untilHit(one, body);
    const control = connectRedis({ url: redis.url, name: 'spec' });
    await redisReady(control, 20_000);
    await control.call('CLIENT', 'PAUSE', '600000', 'ALL');
    control.disconnect();
    const headers = { 'idempotency-key': 'silent' };
    const response = await ask(one, body, { headers });
    expect([response.status, response.cache]).toEqual([200, 'MISS']);
    const { cache } = (await one.records()).at(-1)?.decision ?? {};
    expect(cache).toMatchObject({ status: 'MISS', failure: 'store_unavailable' });
    const again = await ask(one, body, { headers });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([response.text, 'true']);
  });
});
