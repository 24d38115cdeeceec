import { hash } from 'node:crypto';
import { PUSH_CONFIGS_MAX } from '@gw/a2a';
import type { Redis } from '@gw/redis';
import { TASK_TTL_MS, ownerUnknown } from '../tasks/task-store';
import {
  CONFIGS_LENGTH_MAX,
  OWNER_REGISTRATIONS_MAX,
  type BoundPush,
  type OwnedTask,
  type PushRecord,
  type PushStore,
  type StoredPushConfig,
} from './push-store';

const TTL_S = TASK_TTL_MS / 1_000;

/** KEYS: registration, index of the task. ARGV: task, id, TTL, prefix of registrations. */
const BIND = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local bound = redis.call('HGET', KEYS[1], 'task')
if bound and bound ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'task', ARGV[1])
local known = redis.call('GET', KEYS[2])
if not known or known == ARGV[2] or redis.call('EXISTS', ARGV[4] .. known) == 0 then
  redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
end
return 1`;

/** KEYS: registration, registrations of the owner, index of the task if it is known. ARGV: id. */
const REMOVE = `
redis.call('ZREM', KEYS[2], ARGV[1])
if KEYS[3] and redis.call('GET', KEYS[3]) == ARGV[1] then redis.call('DEL', KEYS[3]) end
return redis.call('DEL', KEYS[1])`;

/**
 * Stores a registration, and removes the owner's oldest ones above the maximum. KEYS: registration,
 * registrations of the owner. ARGV: record, id, TTL, maximum, prefix of registrations.
 */
const PUT = `
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'record', ARGV[1])
redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[2])
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[3]) end
for _, oldest in ipairs(redis.call('ZRANGE', KEYS[2], 0, -tonumber(ARGV[4]) - 1)) do
  redis.call('DEL', ARGV[5] .. oldest)
  redis.call('ZREM', KEYS[2], oldest)
end
return 1`;

/**
 * KEYS: registration. ARGV: field of the config, config, configs of a registration, TTL, length of
 * them.
 */
const PUT_CONFIG = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local count = redis.call('HLEN', KEYS[1]) - 1 - redis.call('HEXISTS', KEYS[1], 'task')
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and count >= tonumber(ARGV[3]) then return 0 end
local fields, length = redis.call('HGETALL', KEYS[1]), #ARGV[2]
for at = 1, #fields, 2 do
  if fields[at] ~= ARGV[1] and fields[at] ~= 'record' and fields[at] ~= 'task' then
    length = length + #fields[at + 1]
  end
end
if length > tonumber(ARGV[5]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1`;

/** KEYS: registration. ARGV: field of the config. Returns -1 when there is none. */
const REMOVE_CONFIG = `
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return -1 end
return redis.call('HLEN', KEYS[1]) - 1 - redis.call('HEXISTS', KEYS[1], 'task')`;

const CONFIG_FIELD = 'c:';

/**
 * Stores registrations in Redis, so that every gateway can receive the notifications of an agent.
 */
export class SharedPushStore implements PushStore {
  constructor(private readonly redis: Redis) {}

  async put(record: PushRecord): Promise<void> {
    const keys = [keyOf(record), ownerKey(record)] as const;
    const args = [JSON.stringify(record), record.id, TTL_S, OWNER_REGISTRATIONS_MAX] as const;
    await withUnavailable(this.redis.eval(PUT, 2, ...keys, ...args, prefixOf(record)));
  }

  async get(agentId: string, id: string): Promise<BoundPush | null> {
    const [text, taskId] = await withUnavailable(this.redis.hmget(keyOf({ agentId, id }), 'record', 'task'));
    return typeof text === 'string'
      ? { record: JSON.parse(text) as PushRecord, taskId: taskId ?? null }
      : null;
  }

  async ofTask(task: OwnedTask): Promise<BoundPush | null> {
    const id = await withUnavailable(this.redis.get(taskKey(task)));
    return id === null ? null : this.get(task.agentId, id);
  }

  async bind(record: PushRecord, taskId: string): Promise<boolean> {
    const keys = [keyOf(record), taskKey({ ...record, taskId })] as const;
    const args = [taskId, record.id, TTL_S, prefixOf(record)] as const;
    return (await withUnavailable(this.redis.eval(BIND, 2, ...keys, ...args))) === 1;
  }

  async remove({ record, taskId }: BoundPush): Promise<void> {
    const index = taskId === null ? [] : [taskKey({ ...record, taskId })];
    const keys = [keyOf(record), ownerKey(record), ...index];
    await withUnavailable(this.redis.eval(REMOVE, keys.length, ...keys, record.id));
  }

  async putConfig(record: PushRecord, config: StoredPushConfig): Promise<boolean> {
    const args = [CONFIG_FIELD + config.id, JSON.stringify(config), PUSH_CONFIGS_MAX, TTL_S] as const;
    const stored = this.redis.eval(PUT_CONFIG, 1, keyOf(record), ...args, CONFIGS_LENGTH_MAX);
    return (await withUnavailable(stored)) === 1;
  }

  async configs(record: PushRecord): Promise<readonly StoredPushConfig[]> {
    const fields = await withUnavailable(this.redis.hgetall(keyOf(record)));
    return Object.entries(fields).flatMap(([field, text]) =>
      field.startsWith(CONFIG_FIELD) ? [JSON.parse(text) as StoredPushConfig] : [],
    );
  }

  async removeConfig(record: PushRecord, configId: string): Promise<number | null> {
    const left = Number(
      await withUnavailable(this.redis.eval(REMOVE_CONFIG, 1, keyOf(record), CONFIG_FIELD + configId)),
    );
    return left < 0 ? null : left;
  }

  close(): void {
    this.redis.disconnect();
  }
}

/**
 * The keys of one agent share a hash tag, so that a script may use them together in a Redis
 * cluster.
 */
const prefixOf = ({ agentId }: Pick<PushRecord, 'agentId'>): string => `gw:a2a:{${agentId}}:p:`;
const keyOf = (record: Pick<PushRecord, 'agentId' | 'id'>): string => prefixOf(record) + record.id;
const ownerKey = ({ agentId, owner: { workspaceId, principal } }: PushRecord): string =>
  `gw:a2a:{${agentId}}:po:${digestOf([workspaceId, principal])}`;
const taskKey = ({ agentId, taskId, owner: { workspaceId, principal } }: OwnedTask): string =>
  `gw:a2a:{${agentId}}:pt:${digestOf([workspaceId, principal, taskId])}`;

const digestOf = (texts: readonly string[]): string => hash('sha256', JSON.stringify(texts), 'base64url');

const withUnavailable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw ownerUnknown(error);
  });
