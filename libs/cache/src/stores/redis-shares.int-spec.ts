import { randomBytes, randomUUID } from 'node:crypto';
import { connectRedis, redisReady, type Redis } from '@gw/redis';
import { eventually, withRedis } from '@gw/testing';
import { RedisIdempotencyStore } from '../idempotency/redis-idempotency-store';
import type { IdempotencyClaim } from '../idempotency/idempotency-store';
import { RedisVectorStore } from '../semantic/redis-vector-store';
import { redisShare } from '../spec-support/samples';
import { EntrySealer } from './entry-sealer';
import { RedisBlobStore } from './redis-blob-store';
import { RedisGuard } from './redis-guard';
import { ENTRY_OVERHEAD_BYTES } from './redis-shares';
import { type Tenant, HOUR_MS } from '@gw/kernel';

const tenant = (name: string): Tenant => ({ workspaceId: name, organisationId: `org-${name}` });
const [ONE, TWO] = [tenant('one'), tenant('two')];
const BYTES = 100_000;

describe('Redis shares', () => {
  const server = withRedis();
  const sealer = new EntrySealer({ current: 'k1', keys: new Map([['k1', randomBytes(32)]]) });
  const guard = new RedisGuard({ timeoutMs: 20_000 });
  let redis: Redis;
  let ledger: string;

  beforeAll(async () => {
    redis = connectRedis({ url: server.url, name: 'spec', commandTimeoutMs: 20_000 });
    await redisReady(redis, 20_000);
  });
  beforeEach(() => {
    ledger = `ledger:${randomUUID()}:`;
  });
  afterAll(() => {
    redis.disconnect();
  });

  const blobs = (): RedisBlobStore =>
    new RedisBlobStore(redis, guard, sealer, {
      prefix: `${ledger}entry:`,
      entryBytesMax: BYTES,
      pendingBytesMax: 100 * BYTES,
      share: redisShare(ledger, BYTES),
    });
  const firsts = (): RedisIdempotencyStore =>
    new RedisIdempotencyStore(redis, guard, sealer, {
      prefix: `${ledger}first:`,
      share: redisShare(ledger, BYTES),
    });
  const claim = (owner: Tenant, scope: string): IdempotencyClaim => ({
    scope,
    fingerprint: 'f'.repeat(43),
    token: randomUUID(),
    tenant: owner,
  });
  const heldBy = async (name: string): Promise<number> => Number(await redis.hget(`${ledger}bytes`, name));

  it('keeps the entries of all workspaces within bytesMax, and drops entries of the writing workspace', async () => {
    const store = blobs();
    for (let index = 0; index < 3; index += 1)
      store.set(TWO, `two-${String(index)}`, randomBytes(5_000), HOUR_MS);
    for (let index = 0; index < 60; index += 1)
      store.set(ONE, `one-${String(index)}`, randomBytes(5_000), HOUR_MS + index);
    await eventually(async () => (await store.get('one-59')) !== null);
    const there = async (name: string, count: number): Promise<number> => {
      const found = await Promise.all(
        Array.from({ length: count }, (_, index) => store.get(`${name}-${String(index)}`)),
      );
      return found.filter((entry) => entry !== null).length;
    };
    expect([await there('two', 3), await there('one', 60)]).toEqual([3, 7]);
    const keys = await redis.keys(`${ledger}entry:*`);
    const stored = await Promise.all(keys.map((key) => redis.strlen(key)));
    const bytes = stored.reduce((sum, length) => sum + length + ENTRY_OVERHEAD_BYTES, 0);
    expect([await heldBy('*'), await heldBy('o:org-one')]).toEqual([bytes, await heldBy('one')]);
    expect(bytes).toBeLessThanOrEqual(BYTES);
  });

  it('counts a replaced entry once, and drops expired ones', async () => {
    const store = blobs();
    for (const length of [3_000, 1_000, 2_000]) store.set(ONE, 'same', randomBytes(length), 50);
    await eventually(async () => (await heldBy('one')) > 0);
    expect(await heldBy('one')).toBeLessThan(2_000 + 2 * ENTRY_OVERHEAD_BYTES);
    await eventually(async () => {
      // A write of another workspace clears expired entries of workspaces that no longer write.
      store.set(TWO, 'other', randomBytes(1_000), HOUR_MS);
      return (await redis.hexists(`${ledger}bytes`, 'one')) === 0;
    });
    expect(await redis.zscore(`${ledger}owners`, 'one')).toBeNull();
  });

  it('keeps the key when it drops a first response, so that the request is not carried out again', async () => {
    const store = firsts();
    const respond = async (of: Tenant, scope: string): Promise<void> => {
      const made = claim(of, scope);
      expect((await store.claim(made, HOUR_MS)).kind).toBe('claimed');
      await store.complete(made, randomBytes(10_000), HOUR_MS);
    };
    await respond(TWO, 'other');
    for (let index = 0; index < 12; index += 1) await respond(ONE, `scope-${String(index)}`);
    const first = await store.claim(claim(ONE, 'scope-0'), HOUR_MS);
    const last = await store.claim(claim(ONE, 'scope-11'), HOUR_MS);
    const other = await store.claim(claim(TWO, 'other'), HOUR_MS);
    expect(first).toMatchObject({ kind: 'done', response: null });
    expect([last, other].map((state) => state.kind === 'done' && state.response?.length)).toEqual([
      10_000, 10_000,
    ]);
  });

  it('refuses a claim for which there is no room', async () => {
    const full = new RedisIdempotencyStore(redis, guard, sealer, {
      prefix: `${ledger}first:`,
      share: redisShare(ledger, 100),
    });
    await expect(full.claim(claim(ONE, 'a'), HOUR_MS)).rejects.toMatchObject({ type: 'unavailable' });
  });

  it('counts the bytes of all vectors in a stream', async () => {
    const store = new RedisVectorStore(redis, guard, sealer, {
      prefix: `${ledger}vectors:`,
      bytesMax: BYTES,
      perBucketMax: 4,
      share: redisShare(ledger, BYTES),
    });
    const vector = new Float32Array(256).fill(0.1);
    for (let index = 0; index < 9; index += 1) {
      store.add(ONE, 'bucket', { id: String(index), vector, expiresAtMs: Date.now() + HOUR_MS }, Date.now());
    }
    await eventually(async () => (await redis.xlen(`${ledger}vectors:bucket`)) === 4);
    await eventually(async () => (await heldBy('one')) > 4 * 1_024);
    expect(await heldBy('one')).toBeLessThan(4 * 1_300 + ENTRY_OVERHEAD_BYTES);
  });
});
