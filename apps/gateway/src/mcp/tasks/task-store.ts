import { DAY_MS } from '@gw/kernel';
import type { Redis } from '@gw/redis';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';

/**
 * Maximum number of tasks that are stored for each caller; in `KEEP_MS`, the milliseconds for which
 * they are stored.
 */
const TASKS_MAX = 100;
const KEEP_MS = DAY_MS;
const CALLERS_MAX = 10_000;

/**
 * Stores the ids of the tasks that a caller created, for lists, because servers cannot distinguish
 * callers that share a credential.
 */
export interface TaskStore {
  /** Adds a task in the background. A task that is missing from lists can still be used. */
  add(principal: string, id: string): void;
  /** Returns the ids of the caller's tasks, newest first. */
  of(principal: string): Promise<readonly string[]>;
}

/** Stores task ids in this process. */
export class MemoryTaskStore implements TaskStore {
  private readonly tasks = new LRUCache<string, readonly string[]>({ max: CALLERS_MAX, ttl: KEEP_MS });

  add(principal: string, id: string): void {
    this.tasks.set(principal, [id, ...(this.tasks.get(principal) ?? [])].slice(0, TASKS_MAX));
  }

  of(principal: string): Promise<readonly string[]> {
    return Promise.resolve(this.tasks.get(principal) ?? []);
  }
}

/**
 * Stores task ids in Redis for several gateways. The ids are sealed for their caller, so Redis
 * cannot read them.
 */
export class RedisTaskStore implements TaskStore {
  constructor(private readonly redis: Redis) {}

  add(principal: string, id: string): void {
    const key = keyOf(principal);
    this.redis
      .multi()
      .zadd(key, Date.now(), id)
      .zremrangebyrank(key, 0, -TASKS_MAX - 1)
      .pexpire(key, KEEP_MS)
      .exec()
      .catch(() => undefined);
  }

  async of(principal: string): Promise<readonly string[]> {
    return this.redis.zrevrange(keyOf(principal), 0, TASKS_MAX - 1).catch(() => []);
  }
}

const keyOf = (principal: string): string => `gw:mcp:t:{${hash('sha256', principal, 'hex').slice(0, 32)}}`;
