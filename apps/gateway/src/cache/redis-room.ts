import {
  readRedisFacts,
  redisAdvice,
  redisProblem,
  type Redis,
  type RedisFacts,
  type RedisUse,
} from '@gw/redis';
import type { Log } from '@gw/web';

/**
 * Maximum bytes of stored responses in a Redis that has no `maxmemory`, or has not reported it yet.
 */
const UNBOUNDED_BYTES = 268_435_456;
/**
 * Part of `maxmemory` for stored responses. The rest of a shared Redis is for counters, queues and
 * log records; a Redis for the cache holds little else.
 */
const PARTS: Readonly<Record<RedisUse, number>> = { state: 0.25, cache: 0.8 };

/**
 * Bounds the bytes of stored responses in a Redis. It reads `maxmemory` on each connection, also
 * after a reconnect.
 */
export class RedisRoom {
  private facts: RedisFacts | null = null;

  constructor(
    private readonly redis: Redis,
    private readonly use: RedisUse,
    /** `REDIS_CACHE_MAX_BYTES`; null for a part of `maxmemory`. */
    private readonly wanted: number | null,
    private readonly log: Log,
  ) {
    redis.on('ready', this.read);
  }

  get bytesMax(): number {
    const maxMemory = this.facts?.maxMemory ?? 0;
    const most = maxMemory === 0 ? Infinity : Math.floor(PARTS[this.use] * maxMemory);
    return Math.min(this.wanted ?? (maxMemory === 0 ? UNBOUNDED_BYTES : most), most);
  }

  private readonly read = (): void => {
    void readRedisFacts(this.redis).then((facts) => {
      const isFirst = this.facts === null;
      this.facts = facts;
      if (!isFirst) return;
      if (facts === null) {
        this.log.warn(
          { use: this.use, stored_bytes_max: this.bytesMax },
          'redis does not report its memory bound',
        );
        return;
      }
      const { version, maxMemory, policy, isAppendOnly } = facts;
      const found = { use: this.use, version, maxmemory: maxMemory, policy, append_only: isAppendOnly };
      this.log.info({ ...found, stored_bytes_max: this.bytesMax }, 'found redis');
      const problem = redisProblem(facts, this.use);
      for (const text of [...(problem === null ? [] : [problem]), ...redisAdvice(facts, this.use)]) {
        this.log.warn({ use: this.use }, text);
      }
    });
  };
}
