import { DAY_MS } from '@gw/kernel';
import type { Redis } from '@gw/redis';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';

/** Tasks that are kept for lists, of each caller, and for how long. */
const TASKS_MAX = 100;
const KEEP_MS = DAY_MS;
const CALLERS_MAX = 10_000;

/** Ids of the tasks that a caller made, for lists: servers cannot tell the callers of a shared credential apart. */
export interface TaskStore {
  /** In the background: a task that is missing in lists can be used all the same. */
  add(principal: string, id: string): void;
  /** The newest first. */
  of(principal: string): Promise<readonly string[]>;
}

/** Tasks of one process. */
export class MemoryTaskStore implements TaskStore {
  private readonly tasks = new LRUCache<string, readonly string[]>({ max: CALLERS_MAX, ttl: KEEP_MS });

  add(principal: string, id: string): void {
    this.tasks.set(principal, [id, ...(this.tasks.get(principal) ?? [])].slice(0, TASKS_MAX));
  }

  of(principal: string): Promise<readonly string[]> {
    return Promise.resolve(this.tasks.get(principal) ?? []);
  }
}

/** Tasks of several gateways. The ids are sealed for their caller, so that Redis learns nothing of them. */
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
