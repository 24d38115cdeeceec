import { randomBytes, randomUUID } from 'node:crypto';
import { DAY_MS } from '@gw/kernel';
import { connectRedis, redisReady, type Redis } from '@gw/redis';
import { eventually, withRedis } from '@gw/testing';
import { Idempotency } from './idempotency/idempotency';
import { MemoryIdempotencyStore } from './idempotency/memory-idempotency-store';
import { RedisIdempotencyStore } from './idempotency/redis-idempotency-store';
import { ResponseCache, type Lookup } from './response-cache';
import { RedisVectorStore } from './semantic/redis-vector-store';
import { normalised } from './semantic/vectors';
import { blobStoreContract, CONTRACT_ENTRY_BYTES_MAX } from './spec-support/blob-store.contract';
import { idempotencyStoreContract } from './spec-support/idempotency-store.contract';
import { redisShare, sampleResponse, sampleRequest, TENANT } from './spec-support/samples';
import { CONTRACT_PER_BUCKET_MAX, vectorStoreContract } from './spec-support/vector-store.contract';
import { UNAVAILABLE } from './stores/blob-store';
import { EntrySealer } from './stores/entry-sealer';
import { RedisBlobStore } from './stores/redis-blob-store';
import { RedisGuard } from './stores/redis-guard';

const PREFIX = 'gw:cache:';
const sealer = new EntrySealer({ current: 'k1', keys: new Map([['k1', randomBytes(32)]]) });
/** A guard whose timeout suits a busy machine; tests of the timeout create their own. */
const patientGuard = (): RedisGuard => new RedisGuard({ timeoutMs: 20_000 });

describe('cache in Redis', () => {
  const open: Redis[] = [];
  // Runs before the hook that stops the server; otherwise the connections would try to reconnect.
  afterAll(() => {
    for (const connection of open) connection.disconnect();
  });
  const server = withRedis();
  let redis: Redis;

  async function connect(): Promise<Redis> {
    // The timeout is longer than a test may take, so a call that ends while Redis hangs did not
    // wait for it.
    const connection = connectRedis({ url: server.url, name: 'spec', commandTimeoutMs: 120_000 });
    open.push(connection);
    await redisReady(connection, 20_000);
    return connection;
  }
  beforeAll(async () => {
    redis = await connect();
  });

  const blobs = (guard = patientGuard(), pendingBytesMax = 1_000_000, by = redis): RedisBlobStore =>
    new RedisBlobStore(by, guard, sealer, {
      prefix: PREFIX,
      entryBytesMax: CONTRACT_ENTRY_BYTES_MAX,
      pendingBytesMax,
      share: redisShare(`${PREFIX}ledger:`),
    });
  const vectors = (guard = patientGuard(), bytesMax = 10_000_000, by = redis): RedisVectorStore =>
    new RedisVectorStore(by, guard, sealer, {
      prefix: `${PREFIX}vectors:`,
      bytesMax,
      perBucketMax: CONTRACT_PER_BUCKET_MAX,
      share: redisShare(`${PREFIX}ledger:`),
    });
  const firstResponses = (guard = patientGuard(), by = redis): RedisIdempotencyStore =>
    new RedisIdempotencyStore(by, guard, sealer, {
      prefix: 'gw:idempotency:',
      share: redisShare('gw:idempotency:ledger:'),
    });

  describe('RedisBlobStore', () => {
    blobStoreContract(() => blobs());

    it('encrypts entries in Redis, and returns null for one that was moved to another key or changed', async () => {
      const store = blobs();
      const [one, two] = [randomUUID(), randomUUID()];
      store.set(TENANT, one, Buffer.from('the secret answer'), 60_000);
      await eventually(async () => (await store.get(one)) !== null);
      const rest = await redis.getBuffer(PREFIX + one);
      expect(rest?.includes('secret')).toBe(false);
      await redis.set(PREFIX + two, rest ?? '');
      expect(await store.get(two)).toBeNull();
      await redis.setrange(PREFIX + one, 30, 'xx');
      expect(await store.get(one)).toBeNull();
    });

    it('reads at most the bytes of one entry, whatever value its key holds', async () => {
      const key = randomUUID();
      await redis.set(PREFIX + key, Buffer.alloc(CONTRACT_ENTRY_BYTES_MAX * 3));
      expect(await blobs().get(key)).toBeNull();
      await redis.del(PREFIX + key);
      await redis.rpush(PREFIX + key, 'a list');
      expect(await blobs().get(key)).toBe(UNAVAILABLE);
    });

    it('gives every entry a time to live', async () => {
      const key = randomUUID();
      blobs().set(TENANT, key, Buffer.from('x'), 600_000);
      await eventually(async () => (await redis.pttl(PREFIX + key)) > 500_000);
    });

    it('stores nothing beyond its bound on unconfirmed writes', async () => {
      const store = blobs(patientGuard(), 3_000);
      const keys = Array.from({ length: 5 }, () => randomUUID());
      for (const key of keys) store.set(TENANT, key, randomBytes(1_200), 60_000);
      await eventually(async () => (await store.get(keys[1] as string)) !== null);
      const held = await Promise.all(keys.map(async (key) => (await store.get(key)) !== null));
      expect(held).toEqual([true, true, false, false, false]);
    });
  });

  describe('RedisVectorStore', () => {
    vectorStoreContract(() => vectors());
    const east = normalised([1, 0]) as Float32Array;
    const LATER = Date.now() + DAY_MS;

    it('shares vectors between gateways, and keeps a bucket as long as its longest-lived vector', async () => {
      const [one, two] = [vectors(), vectors(patientGuard(), 10_000_000, await connect())];
      const bucket = randomUUID();
      expect(await two.nearest(TENANT, bucket, east, Date.now())).toBeNull();
      one.add(TENANT, bucket, { id: 'a', vector: east, expiresAtMs: LATER }, Date.now());
      await eventually(async () => (await two.nearest(TENANT, bucket, east, Date.now()))?.id === 'a');
      one.add(TENANT, bucket, { id: 'b', vector: east, expiresAtMs: Date.now() + 60_000 }, Date.now());
      await eventually(async () => (await redis.xlen(`${PREFIX}vectors:${bucket}`)) === 2);
      expect(await redis.pttl(`${PREFIX}vectors:${bucket}`)).toBeGreaterThan(DAY_MS / 2);
    });

    it('reads a bucket again that was evicted from memory', async () => {
      const store = vectors(patientGuard(), 4_000);
      const buckets = Array.from({ length: 30 }, () => randomUUID());
      for (const bucket of buckets) {
        store.add(TENANT, bucket, { id: bucket, vector: east, expiresAtMs: LATER }, Date.now());
        await eventually(async () => (await store.nearest(TENANT, bucket, east, Date.now()))?.id === bucket);
      }
      for (const bucket of buckets)
        expect((await store.nearest(TENANT, bucket, east, Date.now()))?.id).toBe(bucket);
    });

    it('skips stream items that are not vectors', async () => {
      const bucket = randomUUID();
      await redis.xadd(`${PREFIX}vectors:${bucket}`, '*', 'v', 'nonsense');
      await redis.xadd(`${PREFIX}vectors:${bucket}`, '*', 'w', '');
      expect(await vectors().nearest(TENANT, bucket, east, Date.now())).toBeNull();
    });
  });

  describe('RedisIdempotencyStore', () => {
    idempotencyStoreContract(() => firstResponses());

    it('lets a call on one gateway wait for the first call on another', async () => {
      const fallback = new MemoryIdempotencyStore({ bytesMax: 1_000_000 });
      const one = new Idempotency(firstResponses(), fallback);
      const two = new Idempotency(firstResponses(patientGuard(), await connect()), fallback);
      const scope = randomUUID();
      const wait = { timeoutMs: 60_000, isGone: () => false, tenant: TENANT };
      const print = 'f'.repeat(43);
      const first = await one.begin(scope, print, wait);
      const second = two.begin(scope, print, wait);
      if (first.kind === 'first') await first.complete(sampleResponse('once'));
      expect(await second).toEqual({ kind: 'replay', response: sampleResponse('once') });
      await expect(two.begin(scope, 'g'.repeat(43), wait)).rejects.toMatchObject({
        type: 'idempotency_key_reused',
      });
      expect((await redis.getBuffer(`gw:idempotency:${scope}`))?.includes('once')).toBe(false);
    });
  });

  describe('while Redis hangs or is down', () => {
    const policy = { maxAgeMs: 60_000, namespace: null, refresh: false, coalesce: false, threshold: 0.9 };
    const embedder = { id: 'e', embed: () => Promise.resolve([[1, 0]]) };
    const source = { embedder, body: () => ({ messages: [{ role: 'user', content: 'hi' }] }) };

    async function restartRedis(): Promise<void> {
      await server.start();
      await Promise.all(open.map((connection) => redisReady(connection, 20_000)));
    }

    /** Makes a lookup of every kind, and returns how many commands it sent. */
    async function look(cache: ResponseCache): Promise<{ status: Lookup['status']; sent: number }> {
      const sending = jest.spyOn(redis, 'sendCommand');
      const lookup = await cache.lookUp(sampleRequest({ namespace: randomUUID() }), policy, source);
      cache.keep(lookup, policy, sampleResponse('x', { createdAtMs: Date.now() }));
      const sent = sending.mock.calls.length;
      sending.mockRestore();
      return { status: lookup.status, sent };
    }

    it('ResponseCache returns a miss within its timeout, then does not wait, and reads again when Redis is back', async () => {
      let now = 0;
      const guard = new RedisGuard({ timeoutMs: 100, coolDownMs: 1_000, now: () => now });
      const cache = new ResponseCache(blobs(guard), vectors(guard));
      expect((await look(cache)).status).toBe('SEMANTIC MISS');
      const admin = await connect();
      await admin.client('PAUSE', 120_000);
      now += 1_000;
      // One command, which waited no longer than its bound; then none until the cool-down is over.
      expect(await look(cache)).toEqual({ status: 'SEMANTIC MISS', sent: 1 });
      expect(await look(cache)).toEqual({ status: 'SEMANTIC MISS', sent: 0 });
      await server.kill();
      now += 1_000;
      expect((await look(cache)).status).toBe('SEMANTIC MISS');
      await restartRedis();
      const request = sampleRequest({ namespace: 'back' });
      await eventually(async () => {
        now += 1_000;
        const lookup = await cache.lookUp(request, policy, null);
        cache.keep(lookup, policy, sampleResponse('x', { createdAtMs: Date.now() }));
        return lookup.status === 'HIT';
      });
    });

    it('Idempotency replays first responses within the process', async () => {
      const connection = await connect();
      const fallback = new MemoryIdempotencyStore({ bytesMax: 1_000_000 });
      const guard = new RedisGuard({ timeoutMs: 100 });
      const idempotency = new Idempotency(firstResponses(guard, connection), fallback);
      await server.kill();
      const wait = { timeoutMs: 60_000, isGone: () => false, tenant: TENANT };
      const first = await idempotency.begin('s', 'f', wait);
      if (first.kind === 'first') await first.complete(sampleResponse());
      expect((await idempotency.begin('s', 'f', wait)).kind).toBe('replay');
      await restartRedis();
    });
  });
});
