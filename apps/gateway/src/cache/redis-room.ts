import {
  readRedisFacts,
  redisAdvice,
  redisProblem,
  type Redis,
  type RedisFacts,
  type RedisUse,
} from '@gw/redis';
import type { Log } from '@gw/web';

/** Of a Redis that has no bound of its own, or has not said it yet. */
const UNBOUNDED_BYTES = 268_435_456;
/** Of `maxmemory`: the rest belongs to counters, queues and log records. A Redis for the cache has little else. */
const PARTS: Readonly<Record<RedisUse, number>> = { state: 0.25, cache: 0.8 };

/** How much of a Redis stored answers may take. It is found out when the connection is there, and again when it is back. */
export class RedisRoom {
  private facts: RedisFacts | null = null;

  constructor(
    private readonly redis: Redis,
    private readonly use: RedisUse,
    /** `REDIS_CACHE_MAX_BYTES`; null: a part of what Redis may hold. */
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
