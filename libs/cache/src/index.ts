export {
  ResponseRecorder,
  type ResponseCheck,
  type RecorderOptions,
  type RecordingMemory,
} from './response-recorder';
export {
  CACHE_LIMITS,
  cachePolicy,
  isCacheable,
  readCacheControls,
  type CacheControls,
  type CachePolicy,
  type CacheStatus,
} from './cache-policy';
export {
  cacheKey,
  inlineConfigVersion,
  ownCredential,
  relevantHeaders,
  type CacheRequest,
} from './cache-request';
export { Coalescer, type CoalescerOptions, type SharedCall } from './coalesce/coalescer';
export {
  Idempotency,
  type StartedCall,
  type FirstCall,
  type IdempotencyOptions,
  type WaitOptions,
} from './idempotency/idempotency';
export type { IdempotencyClaim, IdempotencyState, IdempotencyStore } from './idempotency/idempotency-store';
export {
  MemoryIdempotencyStore,
  type MemoryIdempotencyStoreOptions,
} from './idempotency/memory-idempotency-store';
export {
  RedisIdempotencyStore,
  type RedisIdempotencyStoreOptions,
} from './idempotency/redis-idempotency-store';
export { replayResponse } from './replay';
export {
  ResponseCache,
  type Embedder,
  type Lookup,
  type LookupFailure,
  type ResponseCacheOptions,
  type SemanticSource,
} from './response-cache';
export { MemoryVectorStore, type MemoryVectorStoreOptions } from './semantic/memory-vector-store';
export { RedisVectorStore, type RedisVectorStoreOptions } from './semantic/redis-vector-store';
export { VECTOR_LIMITS, type StoredVector, type VectorStore } from './semantic/vector-store';
export { DIMENSIONS_MAX, type Neighbour } from './semantic/vectors';
export { AWS_EVENTS, isEventStream, storableHeaders, type CachedResponse } from './cached-response';
export { UNAVAILABLE, type BlobStore } from './stores/blob-store';
export { EntrySealer } from './stores/entry-sealer';
export { MemoryBlobStore, type MemoryBlobStoreOptions } from './stores/memory-blob-store';
export { RedisBlobStore, type RedisBlobStoreOptions } from './stores/redis-blob-store';
export type { RedisShare } from './stores/redis-shares';
export type { Tenant } from '@gw/kernel';
export { RedisGuard, type RedisGuardOptions } from './stores/redis-guard';
