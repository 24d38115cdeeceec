import { documentKey } from '@gw/contracts';
import { connectRedis, acceptsWrites, redisReady, type Redis } from '@gw/redis';
import { eventually, StubProvider, withRedis } from '@gw/testing';
import { GatewayHealth } from '../health/gateway-health';
import { TestClient, type TestRequest, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../spec-support/harness';

const OTHER_KEY = 'otherKey0000000000000000000000AB';
const OTHER_ORGANISATION = '0a000000-0000-4000-8000-000000000009';
const MIB = 1_048_576;

describe('stored responses of two organisations', () => {
  const server = withRedis();
  let stub: StubProvider;
  let gateway: GatewayHarness;
  let redis: Redis;

  const start = async (environment: Record<string, string>): Promise<void> => {
    gateway = await GatewayHarness.start(environment);
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other', { organisationId: OTHER_ORGANISATION });
    gateway.documents.set(documentKey.organisation(OTHER_ORGANISATION), {
      kind: 'organisation',
      version: 'other',
      id: OTHER_ORGANISATION,
      name: 'Other',
      status: 'active',
      blockInlineConfig: false,
      logBodies: true,
    });
    gateway.addKey(OTHER_KEY, { workspaceId: OTHER_WORKSPACE_ID, organisationId: OTHER_ORGANISATION });
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('main', 'openai', stub.origin, {
      workspaceId: OTHER_WORKSPACE_ID,
      organisationId: OTHER_ORGANISATION,
    });
  };
  beforeEach(async () => {
    redis = connectRedis({ url: server.url, name: 'spec' });
    await redisReady(redis, 20_000);
    await redis.flushall();
    stub = await StubProvider.start();
  });
  afterEach(async () => {
    await redis.call('CONFIG', 'SET', 'maxmemory', '0');
    redis.disconnect();
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = (key: string, content: string, requested: TestRequest = {}): Promise<TestResponse> =>
    new TestClient(() => gateway).ask(
      '/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content }] },
      { key, ...requested, headers: { 'x-gw-provider': '@main', ...requested.headers } },
    );

  it('does not execute a request again under its Idempotency-Key, however many responses another organisation stores', async () => {
    await start({ IDEMPOTENCY_MAX_BYTES: String(4 * MIB) });
    stub.respondJson({ choices: [], pad: 'x'.repeat(MIB / 2) });
    const first = await ask(OTHER_KEY, 'a', { headers: { 'idempotency-key': 'k' } });
    for (let index = 0; index < 19; index += 1)
      await ask(gateway.apiKey, 'b', { headers: { 'idempotency-key': `k-${String(index)}` } });
    const calls = stub.requests.length;
    const again = await ask(OTHER_KEY, 'a', { headers: { 'idempotency-key': 'k' } });
    expect([again.status, again.text === first.text, stub.requests.length]).toEqual([200, true, calls]);
    // The organisation's own oldest response was evicted; its key was not.
    const forgotten = await ask(gateway.apiKey, 'b', { headers: { 'idempotency-key': 'k-0' } });
    expect([forgotten.status, stub.requests.length]).toEqual([409, calls]);
  });

  it('leaves room in a Redis without eviction, however many responses one organisation caches', async () => {
    await redis.call('CONFIG', 'SET', 'maxmemory', String(32 * MIB));
    await start({ REDIS_URL: server.url, CACHE_TIMEOUT: '1000' });
    const cached: TestRequest = {
      config: { provider: '@main', cache: { mode: 'simple', max_age: 7_776_000 } },
    };
    stub.respondJson({ choices: [], pad: 'y'.repeat(1_000) });
    await ask(OTHER_KEY, 'kept', cached);
    stub.respondJson({ choices: [], pad: 'x'.repeat(2 * MIB - 10_000) });
    for (let index = 0; index < 30; index += 1) await ask(gateway.apiKey, String(index), cached);
    await redis.call('XADD', 'another:stream', '*', 'v', 'a record');
    const info = await redis.info('memory');
    expect(Number(/used_memory:(\d+)/.exec(info)?.[1])).toBeLessThan(24 * MIB);
    await eventually(async () => (await ask(OTHER_KEY, 'kept', cached)).cache === 'HIT');
  });

  it('reports a full Redis as down, because it accepts no writes although it responds', async () => {
    await start({});
    await redis.call('CONFIG', 'SET', 'maxmemory', String(MIB));
    expect(await redis.ping()).toBe('PONG');
    expect(await acceptsWrites(redis)).toBe(false);
    const parts = new GatewayHealth({
      documents: { state: () => ({ verified: true }) },
      journal: { stats: () => ({}) },
      shipper: {},
      journalCapBytes: 1,
      redis,
    } as unknown as ConstructorParameters<typeof GatewayHealth>[0]).parts;
    const part = parts.find(({ name }) => name === 'redis');
    expect(await part?.check()).toMatchObject({ status: 'down' });
    await redis.call('CONFIG', 'SET', 'maxmemory', '0');
    expect(await part?.check()).toMatchObject({
      status: 'ok',
      figures: { policy: 'noeviction', maxmemory_bytes: 0, append_only: 'false' },
    });
    await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await part?.check()).toMatchObject({ status: 'degraded' });
    await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  });
});
