export type { Redis } from 'ioredis';
export {
  factsOf,
  readRedisFacts,
  redisAdvice,
  redisProblem,
  type RedisFacts,
  type RedisUse,
} from './redis-facts';
export { connectRedis, acceptsWrites, redisReady, type RedisConnectionOptions } from './connection';
export {
  RedisLogReader,
  RedisLogSink,
  type RedisLogReaderOptions,
  type RedisLogSinkOptions,
} from './log-stream';
export { RedisBreakers } from './redis-breakers';
export { RedisBus, type ChannelListener, type Publisher } from './redis-bus';
export { RedisDocuments, type StoredCopy } from './redis-documents';
