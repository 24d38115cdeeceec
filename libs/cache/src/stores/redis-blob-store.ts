import type { Redis } from '@gw/redis';
import { UNAVAILABLE, type BlobStore } from './blob-store';
import { SEALING_BYTES_MAX, type EntrySealer } from './entry-sealer';
import { NO_REPLY, type RedisGuard } from './redis-guard';
import { ENTRY_OVERHEAD_BYTES, ledgerArguments, withLedger, type RedisShare } from './redis-shares';
import type { Tenant } from '@gw/kernel';

export interface RedisBlobStoreOptions {
  /** Starts every key: `gw:cache:`. */
  readonly prefix: string;
  /** One entry; a bigger one is neither written nor read. */
  readonly entryBytesMax: number;
  /** Writes that Redis has not confirmed; what comes on top is not stored. */
  readonly pendingBytesMax: number;
  /** What the entries of all workspaces may take of Redis. */
  readonly share: RedisShare;
}

const SET = withLedger(`
local bytes = #ARGV[4] + tonumber(ARGV[6])
if not makeRoom(bytes) then return redis.call('UNLINK', entry) end
redis.call('SET', entry, ARGV[4], 'PX', ARGV[5])
charge(bytes, tonumber(ARGV[5]))
return 1`);

/**
 * Entries in Redis, sealed to their key. Redis frees them by their time; a workspace whose share is full loses its own, those that
 * end first before the others.
 */
export class RedisBlobStore implements BlobStore {
  private pendingBytes = 0;

  constructor(
    private readonly redis: Redis,
    private readonly guard: RedisGuard,
    private readonly sealer: EntrySealer,
    private readonly options: RedisBlobStoreOptions,
  ) {}

  async get(key: string): Promise<Buffer | null | typeof UNAVAILABLE> {
    const at = this.options.prefix + key;
    const bytesMax = this.options.entryBytesMax + SEALING_BYTES_MAX;
    // A range instead of the value: whatever lies there, no more than one entry is read.
    const sealed = await this.guard.ask(() => this.redis.getrangeBuffer(at, 0, bytesMax));
    if (sealed === NO_REPLY) return UNAVAILABLE;
    if (sealed.length === 0 || sealed.length > bytesMax) return null;
    return this.sealer.open(sealed, at);
  }

  set(tenant: Tenant, key: string, value: Buffer, ttlMs: number): void {
    const { prefix, entryBytesMax, pendingBytesMax, share } = this.options;
    if (value.length > entryBytesMax || this.pendingBytes + value.length > pendingBytesMax) return;
    const at = prefix + key;
    const sealed = this.sealer.seal(value, at);
    void this.guard.ask(() => {
      this.pendingBytes += sealed.length;
      // The bytes are held until the connection is done with them, which may be after the guard has given up.
      return this.redis
        .call(
          'EVAL',
          SET,
          2,
          at,
          share.ledger,
          ...ledgerArguments(tenant, share),
          sealed,
          Math.max(1, Math.ceil(ttlMs)),
          ENTRY_OVERHEAD_BYTES,
        )
        .finally(() => {
          this.pendingBytes -= sealed.length;
        });
    });
  }

  delete(key: string): void {
    void this.guard.ask(() => this.redis.unlink(this.options.prefix + key));
  }
}
