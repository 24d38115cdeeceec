import {
  Coalescer,
  EntrySealer,
  Idempotency,
  MemoryBlobStore,
  MemoryIdempotencyStore,
  MemoryVectorStore,
  RedisBlobStore,
  RedisGuard,
  RedisIdempotencyStore,
  RedisVectorStore,
  ResponseCache,
  type RedisShare,
} from '@gw/cache';
import { keyringOf, masterKeysOf, Shares } from '@gw/kernel';
import { connectRedis, type Redis } from '@gw/redis';
import type { Log } from '@gw/web';
import type { GatewaySettings } from '../settings';
import { RedisRoom } from './redis-room';

/** Stores of responses: the cache, and responses to requests with an `Idempotency-Key`. */
export interface ResponseStores {
  readonly cache: ResponseCache;
  /** Equal requests in flight, which share one provider call. */
  readonly flights: Coalescer;
  readonly idempotency: Idempotency;
  /** Memory for responses that are being recorded, shared by workspaces. */
  readonly memory: Shares;
  close(): void;
}

type ResponseSettings = Pick<
  GatewaySettings,
  | 'REDIS_URL'
  | 'REDIS_CACHE_URL'
  | 'REDIS_CACHE_MAX_BYTES'
  | 'ENCRYPTION_KEY'
  | 'ENCRYPTION_KEYS_PREVIOUS'
  | 'CACHE_MAX_BYTES'
  | 'CACHE_ENTRY_MAX_BYTES'
  | 'CACHE_TIMEOUT'
  | 'IDEMPOTENCY_MAX_BYTES'
  | 'IDEMPOTENCY_ENTRY_MAX_BYTES'
>;

/**
 * Maximum bytes of all responses that a process records at one time; above it, further responses
 * are not stored.
 */
const RECORDING_BYTES_MAX = 134_217_728;
/** Maximum bytes of all vectors that a process searches. */
const VECTOR_BYTES_MAX = 67_108_864;
/** Maximum bytes of all writes that Redis has not confirmed. */
const PENDING_BYTES_MAX = 67_108_864;
/**
 * Maximum wait for Redis in milliseconds. A repeated request whose first response is not found is
 * carried out twice, so Redis gets more time here than for the cache.
 */
const IDEMPOTENCY_TIMEOUT_MS = 900;
/** Maximum bytes of an entry besides its body: headers, and the lengths of its pieces. */
const DESCRIPTION_BYTES_MAX = 262_144;

/**
 * Creates stores in Redis when there is one, otherwise in this process; bounded in both. While
 * Redis fails, idempotency falls back to this process.
 */
export function createResponseStores(settings: ResponseSettings, log: Log): ResponseStores {
  const memory = new Shares(RECORDING_BYTES_MAX);
  const localIdempotency = new MemoryIdempotencyStore({ bytesMax: settings.IDEMPOTENCY_MAX_BYTES });
  const flights = new Coalescer();
  const entryBytesMax = settings.CACHE_ENTRY_MAX_BYTES + DESCRIPTION_BYTES_MAX;
  const idempotencyOptions = {
    responseBytesMax: settings.IDEMPOTENCY_ENTRY_MAX_BYTES + DESCRIPTION_BYTES_MAX,
  };
  if (settings.REDIS_URL === null) {
    return {
      cache: new ResponseCache(
        new MemoryBlobStore({ bytesMax: settings.CACHE_MAX_BYTES, entryBytesMax }),
        new MemoryVectorStore({ bytesMax: VECTOR_BYTES_MAX }),
      ),
      flights,
      idempotency: new Idempotency(localIdempotency, localIdempotency, idempotencyOptions),
      memory,
      close: () => undefined,
    };
  }
  const { cache, redisIdempotency, close } = storesInRedis(settings, settings.REDIS_URL, entryBytesMax, log);
  return {
    cache,
    flights,
    idempotency: new Idempotency(redisIdempotency, localIdempotency, idempotencyOptions),
    memory,
    close,
  };
}

interface RedisStores {
  readonly cache: ResponseCache;
  readonly redisIdempotency: RedisIdempotencyStore;
  readonly close: () => void;
}

function storesInRedis(
  settings: ResponseSettings,
  redisUrl: string,
  entryBytesMax: number,
  log: Log,
): RedisStores {
  const connect = (url: string, name: string): Redis => connectRedis({ url, name, log });
  const { REDIS_CACHE_URL: cacheUrl, REDIS_CACHE_MAX_BYTES: wanted } = settings;
  // First responses of idempotent requests must not be lost, so they are never in the Redis of the
  // cache, which evicts keys.
  const redis = connect(redisUrl, 'gateway-responses');
  const room = new RedisRoom(redis, 'state', wanted, log);
  const cacheRedis = cacheUrl === null ? redis : connect(cacheUrl, 'gateway-cache');
  const cacheRoom = cacheUrl === null ? room : new RedisRoom(cacheRedis, 'cache', wanted, log);
  const share: RedisShare = { ledger: 'gw:cache:ledger:', bytesMax: () => cacheRoom.bytesMax };
  const guard = new RedisGuard({ timeoutMs: settings.CACHE_TIMEOUT });
  const sealer = new EntrySealer(keyringOf('stored-answers', ...masterKeysOf(settings)));
  const blobs = { prefix: 'gw:cache:', entryBytesMax, pendingBytesMax: PENDING_BYTES_MAX, share };
  const vectors = { prefix: 'gw:cache:vectors:', bytesMax: VECTOR_BYTES_MAX, share };
  return {
    cache: new ResponseCache(
      new RedisBlobStore(cacheRedis, guard, sealer, blobs),
      new RedisVectorStore(cacheRedis, guard, sealer, vectors),
    ),
    redisIdempotency: new RedisIdempotencyStore(
      redis,
      new RedisGuard({ timeoutMs: IDEMPOTENCY_TIMEOUT_MS }),
      sealer,
      {
        prefix: 'gw:idempotency:',
        share: { ledger: 'gw:idempotency:ledger:', bytesMax: () => Math.floor(room.bytesMax / 4) },
      },
    ),
    close: () => {
      redis.disconnect();
      if (cacheRedis !== redis) cacheRedis.disconnect();
    },
  };
}
