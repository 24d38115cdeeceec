import { hash } from 'node:crypto';
import type { TaskOwner, TaskRecord } from '@gw/a2a';
import type { Redis } from '@gw/redis';
import {
  hourOf,
  OWNER_TASKS_MAX,
  TASK_TTL_MS,
  ownerUnknown,
  type ContextRecord,
  type TaskStore,
} from './task-store';

const TTL_S = TASK_TTL_MS / 1_000;
const HOUR_S = 3_600;

/**
 * Stores a task and its entry in the owner's list, and removes the owner's oldest tasks above the
 * maximum. Returns 0 when another owner has the task. KEYS: task, list. ARGV: owner, record, name
 * in the list, time of the change, TTL, maximum tasks of an owner, prefix of task keys.
 */
const PUT = `
local known = redis.call('HGET', KEYS[1], 'owner')
if known and known ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'record', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[5])
local over = redis.call('ZCARD', KEYS[2]) - ARGV[6]
if over > 0 then
  for _, name in ipairs(redis.call('ZRANGE', KEYS[2], 0, over - 1)) do redis.call('DEL', ARGV[7] .. name) end
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, over - 1)
end
return 1`;

/**
 * Marks a task as charged. Returns 0 when it already was. A task that Redis no longer has is not
 * stored again. KEYS: task.
 */
const MARK_CHARGED = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 1 end
return redis.call('HSETNX', KEYS[1], 'charged', '1')`;

/** KEYS: context. ARGV: owner, TTL. Returns 0 when another owner has the context. */
const PUT_CONTEXT = `
local known = redis.call('GET', KEYS[1])
if known and known ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1`;

/** KEYS: counter. ARGV: TTL. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count`;

/**
 * Stores tasks in Redis for all gateways, and the tasks of this process in memory as well, for
 * times when Redis cannot be reached. The keys of an agent share a hash tag, so that a script may
 * use them together in a Redis cluster.
 */
export class SharedTaskStore implements TaskStore {
  constructor(
    private readonly redis: Redis,
    private readonly local: TaskStore,
    private readonly now: () => number = Date.now,
  ) {}

  task(agentId: string, taskId: string): Promise<TaskRecord | null> {
    return this.read(
      async () => recordIn(await this.redis.hget(taskKey(agentId, taskId), 'record')),
      () => this.local.task(agentId, taskId),
    );
  }

  async put(record: TaskRecord, organisationId: string): Promise<boolean> {
    const { agentId, taskId, owner, updatedAt } = record;
    const keys = [taskKey(agentId, taskId), listKey(agentId, owner)] as const;
    const stored = await this.redis
      .eval(
        ...[PUT, 2, ...keys, ownerText(owner), JSON.stringify(record), nameOf(taskId), updatedAt, TTL_S],
        ...[OWNER_TASKS_MAX, taskPrefix(agentId)],
      )
      .catch(() => null);
    return this.alsoHere(stored, () => this.local.put(record, organisationId));
  }

  markCharged(agentId: string, taskId: string): Promise<boolean> {
    return this.redis.eval(MARK_CHARGED, 1, taskKey(agentId, taskId)).then(
      (isFirst) => isFirst === 1,
      () => this.local.markCharged(agentId, taskId),
    );
  }

  context(agentId: string, contextId: string): Promise<TaskOwner | null> {
    return this.read(
      async () => ownerIn(await this.redis.get(contextKey(agentId, contextId))),
      () => this.local.context(agentId, contextId),
    );
  }

  async putContext(record: ContextRecord, organisationId: string): Promise<boolean> {
    const { agentId, contextId, owner } = record;
    const stored = await this.redis
      .eval(PUT_CONTEXT, 1, contextKey(agentId, contextId), ownerText(owner), TTL_S)
      .catch(() => null);
    return this.alsoHere(stored, () => this.local.putContext(record, organisationId));
  }

  async list(agentId: string, owner: TaskOwner): Promise<readonly TaskRecord[]> {
    try {
      const names = await this.redis.zrevrange(listKey(agentId, owner), 0, OWNER_TASKS_MAX - 1);
      const pipeline = this.redis.pipeline();
      for (const name of names) pipeline.hget(taskPrefix(agentId) + name, 'record');
      const found = (await pipeline.exec()) ?? [];
      return found.flatMap(([error, text]) => {
        if (error !== null) throw error;
        return recordIn(text) ?? [];
      });
    } catch (error) {
      throw ownerUnknown(error);
    }
  }

  countMessage(agentId: string, contextId: string): Promise<number> {
    const key = `${contextKey(agentId, contextId)}:${String(hourOf(this.now()))}`;
    return this.redis.eval(COUNT, 1, key, HOUR_S).then(
      (count) => Number(count),
      () => this.local.countMessage(agentId, contextId),
    );
  }

  close(): void {
    this.redis.disconnect();
    this.local.close();
  }

  /**
   * Stores an entry in this process as well, unless Redis has it for another owner: this process
   * would name the wrong owner while Redis cannot be reached. `stored` is the result of Redis; null
   * when it cannot be reached.
   */
  private async alsoHere(stored: unknown, store: () => Promise<boolean>): Promise<boolean> {
    if (stored !== null && stored !== 1) return false;
    const isOwn = await store();
    return stored === null ? isOwn : true;
  }

  /**
   * Reads from Redis. Falls back to this process's own entries when Redis is unreachable and the
   * entry is its own; otherwise throws `unavailable`.
   */
  private async read<T>(shared: () => Promise<T | null>, own: () => Promise<T | null>): Promise<T | null> {
    try {
      return await shared();
    } catch (error) {
      const known = await own();
      if (known === null) throw ownerUnknown(error);
      return known;
    }
  }
}

/** Hashes an id, because agents choose ids of any length and characters. */
const nameOf = (id: string): string => hash('sha256', id, 'base64url');

const keyOf = (agentId: string, kind: string): string => `gw:a2a:{${agentId}}:${kind}:`;
const taskPrefix = (agentId: string): string => keyOf(agentId, 't');
const taskKey = (agentId: string, taskId: string): string => taskPrefix(agentId) + nameOf(taskId);
const contextKey = (agentId: string, contextId: string): string => keyOf(agentId, 'c') + nameOf(contextId);
const listKey = (agentId: string, owner: TaskOwner): string => keyOf(agentId, 'o') + nameOf(ownerText(owner));

const ownerText = ({ workspaceId, principal }: TaskOwner): string => JSON.stringify([workspaceId, principal]);

function ownerIn(text: string | null): TaskOwner | null {
  if (text === null) return null;
  const [workspaceId, principal] = JSON.parse(text) as [string, string];
  return { workspaceId, principal };
}

/**
 * Parses a stored record without checks, because only gateways of this installation write to Redis.
 */
const recordIn = (text: unknown): TaskRecord | null =>
  typeof text === 'string' ? (JSON.parse(text) as TaskRecord) : null;
