import type { Redis } from '@gw/redis';
import { MemoryVectorStore, type MemoryVectorStoreOptions } from './memory-vector-store';
import { DIMENSIONS_MAX, type Neighbour } from './vectors';
import { LRUCache } from 'lru-cache';
import { VECTOR_LIMITS, type StoredVector, type VectorStore } from './vector-store';
import type { EntrySealer } from '../stores/entry-sealer';
import { NO_REPLY, type RedisGuard } from '../stores/redis-guard';
import { ENTRY_OVERHEAD_BYTES, ledgerArguments, withLedger, type RedisShare } from '../stores/redis-shares';
import type { Tenant } from '@gw/kernel';

export interface RedisVectorStoreOptions extends MemoryVectorStoreOptions {
  /** Prefix of every key: `gw:cache:vectors:`. */
  readonly prefix: string;
  /** Share of Redis for the entries of all workspaces. */
  readonly share: RedisShare;
}

/**
 * Items read at a time, so that the first read of a full bucket blocks neither Redis nor this
 * process.
 */
const PAGE = 64;
const BUCKETS_FOLLOWED_MAX = 100_000;
const PENDING_MAX = 1_000;

/** Adds a vector and extends the bucket's life to that of its longest-lived vector. */
const ADD = withLedger(`
local most, ttl = tonumber(ARGV[4]), math.max(tonumber(ARGV[6]), redis.call('PTTL', entry))
local vectors = math.min(most, redis.call('XLEN', entry) + 1)
local bytes = vectors * (#ARGV[5] + 32) + tonumber(ARGV[7])
if not makeRoom(bytes) then return redis.call('UNLINK', entry) end
redis.call('XADD', entry, 'MAXLEN', most, '*', 'v', ARGV[5])
redis.call('PEXPIRE', entry, ttl)
charge(bytes, ttl)
return 1`);

/**
 * Shares vectors through Redis without any module.
 * Each bucket is a stream of encrypted vectors, capped like the bucket. Every gateway keeps a copy
 * of the buckets that it is queried for and searches the copy, so a lookup transfers only new
 * items. While Redis is unreachable the lookup searches the copy as it is.
 */
export class RedisVectorStore implements VectorStore {
  private readonly copies: MemoryVectorStore;
  /** Id of the last item read, by bucket. */
  private readonly readUpTo = new LRUCache<string, string>({ max: BUCKETS_FOLLOWED_MAX });
  private readonly following = new Map<string, Promise<void>>();
  private readonly perBucketMax: number;
  private pending = 0;

  constructor(
    private readonly redis: Redis,
    private readonly guard: RedisGuard,
    private readonly sealer: EntrySealer,
    private readonly options: RedisVectorStoreOptions,
  ) {
    this.copies = new MemoryVectorStore(options);
    this.perBucketMax = options.perBucketMax ?? VECTOR_LIMITS.perBucketMax;
  }

  async nearest(
    tenant: Tenant,
    bucket: string,
    vector: Float32Array,
    nowMs: number,
  ): Promise<Neighbour | null> {
    await this.follow(tenant, bucket, nowMs);
    return this.copies.nearest(tenant, bucket, vector, nowMs);
  }

  add(tenant: Tenant, bucket: string, stored: StoredVector, nowMs: number): void {
    if (this.pending >= PENDING_MAX) return;
    const { prefix, share } = this.options;
    const at = prefix + bucket;
    const sealed = this.sealer.seal(encodeVector(stored), at);
    const ttlMs = Math.max(1, Math.ceil(stored.expiresAtMs - nowMs));
    void this.guard.run(() => {
      this.pending += 1;
      return this.redis
        .call(
          'EVAL',
          ADD,
          2,
          at,
          share.ledger,
          ...ledgerArguments(tenant, share),
          this.perBucketMax,
          sealed,
          ttlMs,
          ENTRY_OVERHEAD_BYTES,
        )
        .finally(() => (this.pending -= 1));
    });
  }

  /** Concurrent requests for the same bucket read it once. */
  private follow(tenant: Tenant, bucket: string, nowMs: number): Promise<void> {
    const running = this.following.get(bucket);
    if (running) return running;
    const reading = this.readNew(tenant, bucket, nowMs).finally(() => this.following.delete(bucket));
    this.following.set(bucket, reading);
    return reading;
  }

  private async readNew(tenant: Tenant, bucket: string, nowMs: number): Promise<void> {
    const at = this.options.prefix + bucket;
    // A copy that was evicted from memory is read again from the start.
    if (!this.copies.has(bucket)) this.readUpTo.delete(bucket);
    // Reads at most one page more than a bucket holds, so that the loop ends even while other
    // gateways keep writing.
    for (let page = 0; page <= this.perBucketMax / PAGE; page += 1) {
      const from = this.readUpTo.get(bucket);
      const items = await this.guard.run(() =>
        this.redis.xrangeBuffer(at, from === undefined ? '-' : `(${from}`, '+', 'COUNT', PAGE),
      );
      if (items === NO_REPLY) return;
      for (const [id, fields] of items) {
        this.readUpTo.set(bucket, id.toString('latin1'));
        const stored = this.opened(at, fields);
        if (stored !== null) this.copies.add(tenant, bucket, stored, nowMs);
      }
      if (items.length < PAGE) return;
    }
  }

  private opened(at: string, fields: readonly Buffer[]): StoredVector | null {
    const sealed = fields[1];
    const plain = sealed === undefined ? null : this.sealer.open(sealed, at);
    return plain === null ? null : decodeVector(plain);
  }
}

/**
 * Encodes the expiry as a double, the length of the id, the id, and the components as 32-bit
 * floats.
 */
function encodeVector({ id, vector, expiresAtMs }: StoredVector): Buffer {
  const bytes = Buffer.allocUnsafe(10 + id.length + 4 * vector.length);
  bytes.writeDoubleLE(expiresAtMs, 0);
  bytes.writeUInt16LE(id.length, 8);
  let at = 10 + bytes.write(id, 10, 'latin1');
  for (const component of vector) at = bytes.writeFloatLE(component, at);
  return bytes;
}

function decodeVector(bytes: Buffer): StoredVector | null {
  if (bytes.length < 10) return null;
  const vectorAt = 10 + bytes.readUInt16LE(8);
  const dimensions = (bytes.length - vectorAt) / 4;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS_MAX) return null;
  const vector = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i += 1) vector[i] = bytes.readFloatLE(vectorAt + 4 * i);
  return { id: bytes.toString('latin1', 10, vectorAt), vector, expiresAtMs: bytes.readDoubleLE(0) };
}
