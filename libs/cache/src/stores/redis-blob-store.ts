import type { Redis } from '@gw/redis';
import { UNAVAILABLE, type BlobStore } from './blob-store';
import { SEALING_BYTES_MAX, type EntrySealer } from './entry-sealer';
import { NO_REPLY, type RedisGuard } from './redis-guard';
import { ENTRY_OVERHEAD_BYTES, ledgerArguments, withLedger, type RedisShare } from './redis-shares';
import type { Tenant } from '@gw/kernel';

export interface RedisBlobStoreOptions {
  /** Prefix of every key: `gw:cache:`. */
  readonly prefix: string;
  /** Maximum bytes of one entry; a larger one is neither written nor read. */
  readonly entryBytesMax: number;
  /** Maximum bytes of writes that Redis has not confirmed; beyond it nothing is stored. */
  readonly pendingBytesMax: number;
  /** Share of Redis for the entries of all workspaces. */
  readonly share: RedisShare;
}

const SET = withLedger(`
local bytes = #ARGV[4] + tonumber(ARGV[6])
if not makeRoom(bytes) then return redis.call('UNLINK', entry) end
redis.call('SET', entry, ARGV[4], 'PX', ARGV[5])
charge(bytes, tonumber(ARGV[5]))
return 1`);

/**
 * Entries in Redis, encrypted and bound to their key.
 * Redis drops them when they expire; a workspace whose share is full loses its own entries, those
 * that expire first before the others.
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
    // Reads a range, so that no more than one entry's bytes are read, whatever the key holds.
    const sealed = await this.guard.run(() => this.redis.getrangeBuffer(at, 0, bytesMax));
    if (sealed === NO_REPLY) return UNAVAILABLE;
    if (sealed.length === 0 || sealed.length > bytesMax) return null;
    return this.sealer.open(sealed, at);
  }

  set(tenant: Tenant, key: string, value: Buffer, ttlMs: number): void {
    const { prefix, entryBytesMax, pendingBytesMax, share } = this.options;
    if (value.length > entryBytesMax || this.pendingBytes + value.length > pendingBytesMax) return;
    const at = prefix + key;
    const sealed = this.sealer.seal(value, at);
    void this.guard.run(() => {
      this.pendingBytes += sealed.length;
      // The bytes count until the connection has finished with them, which may be after the guard
      // has given up.
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
    void this.guard.run(() => this.redis.unlink(this.options.prefix + key));
  }
}
