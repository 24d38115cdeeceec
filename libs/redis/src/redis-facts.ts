import type { Redis } from 'ioredis';

/**
 * Facts about a Redis server. They come only from `INFO`, because managed services refuse `CONFIG`.
 */
export interface RedisFacts {
  readonly version: string;
  /** Bytes; 0: unlimited. */
  readonly maxMemory: number;
  readonly usedMemory: number;
  /** `noeviction`, `allkeys-lru`, … */
  readonly policy: string;
  readonly isAppendOnly: boolean;
}

/**
 * `state`: counters, queues, log records and idempotent responses, which must not be lost. `cache`:
 * data that may be evicted at any time.
 */
export type RedisUse = 'state' | 'cache';

/** Reads the facts of a server, or null if it does not report them. Never rejects. */
export async function readRedisFacts(redis: Redis): Promise<RedisFacts | null> {
  try {
    return factsOf(await redis.info());
  } catch {
    return null;
  }
}

/** Parses the reply to `INFO`. Returns null if it has no memory bound. */
export function factsOf(info: string): RedisFacts | null {
  const fields = new Map<string, string>();
  for (const line of info.split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1));
  }
  const maxMemory = Number(fields.get('maxmemory'));
  const usedMemory = Number(fields.get('used_memory'));
  if (!Number.isSafeInteger(maxMemory) || !Number.isSafeInteger(usedMemory)) return null;
  return {
    version: fields.get('redis_version') ?? '',
    maxMemory,
    usedMemory,
    policy: fields.get('maxmemory_policy') ?? 'unknown',
    isAppendOnly: fields.get('aof_enabled') === '1',
  };
}

/** Returns the current problem of the server, or null. */
export function redisProblem(facts: RedisFacts, use: RedisUse): string | null {
  const { policy, maxMemory, usedMemory } = facts;
  if (use === 'cache') return null;
  if (policy !== 'noeviction' && policy !== 'unknown')
    return `Redis may evict counters, queues and log records (maxmemory-policy ${policy}); set it to noeviction.`;
  if (maxMemory > 0 && usedMemory > NEARLY_FULL * maxMemory)
    return 'Redis is nearly full; raise maxmemory, or lower REDIS_CACHE_MAX_BYTES.';
  return null;
}

const NEARLY_FULL = 0.9;

/** Returns what the operator should change before it causes a problem. */
export function redisAdvice(facts: RedisFacts, use: RedisUse): readonly string[] {
  const advice: string[] = [];
  if (facts.maxMemory === 0)
    advice.push('Redis has no maxmemory and may use all memory of its host; set it.');
  if (use === 'state' && !facts.isAppendOnly)
    advice.push(
      'Redis has no append-only file: a restart may lose queued jobs and log records; set appendonly yes.',
    );
  if (use === 'cache' && facts.maxMemory > 0 && !facts.policy.startsWith('allkeys-'))
    advice.push(`The Redis of the cache does not evict (maxmemory-policy ${facts.policy}); set allkeys-lru.`);
  return advice;
}
