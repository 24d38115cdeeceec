import { randomUUID } from 'node:crypto';
import { isObject } from '@gw/kernel';
import type { Redis } from '@gw/redis';
import { ownerUnknown } from '../tasks/task-store';
import type { PollLeases, StoredPoll } from './poll-leases';

/**
 * Milliseconds of a lease: longer than an interval and the longest read of a task, so that a lease
 * expires only when its gateway has ended.
 */
const LEASE_MS = 60_000;
/**
 * Seconds after which Redis removes the polls when no gateway renews a lease; longer than a task is
 * polled.
 */
const TTL_S = 7_200;

/** The keys share a hash tag, so that scripts may use them together in a Redis cluster. */
const KEYS = ['gw:a2a:{polls}:due', 'gw:a2a:{polls}:owner', 'gw:a2a:{polls}:poll'] as const;

/** Uses the clock of Redis, because the clocks of gateways differ. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: ends of leases, owners, polls. ARGV: id, owner, lease in ms, poll, TTL. */
const HOLD = `${NOW}
local owner = redis.call('HGET', KEYS[2], ARGV[1])
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if owner and owner ~= ARGV[2] and due and tonumber(due) > now then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[4])
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[5]) end
return 1`;

/** KEYS: as above. ARGV: id, owner. */
const END = `
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('HDEL', KEYS[3], ARGV[1])`;

/** KEYS: as above. ARGV: owner, lease in ms, maximum. */
const TAKE = `${NOW}
local polls = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[3])) do
  local poll = redis.call('HGET', KEYS[3], id)
  if poll then
    redis.call('ZADD', KEYS[1], now + ARGV[2], id)
    redis.call('HSET', KEYS[2], id, ARGV[1])
    polls[#polls + 1] = { id, poll }
  else
    redis.call('ZREM', KEYS[1], id)
    redis.call('HDEL', KEYS[2], id)
  end
end
return polls`;

/** Stores polls in Redis, so that another gateway continues the polls of one that has ended. */
export class SharedPollLeases implements PollLeases {
  readonly isShared = true;
  private readonly owner = randomUUID();

  constructor(
    private readonly redis: Redis,
    private readonly leaseMs = LEASE_MS,
  ) {}

  async hold(poll: StoredPoll): Promise<boolean> {
    const args = [poll.id, this.owner, this.leaseMs, JSON.stringify(poll), TTL_S] as const;
    return (await withUnavailable(this.redis.eval(HOLD, KEYS.length, ...KEYS, ...args))) === 1;
  }

  async end(id: string): Promise<void> {
    await withUnavailable(this.redis.eval(END, KEYS.length, ...KEYS, id, this.owner));
  }

  async take(max: number): Promise<readonly StoredPoll[]> {
    const args = [this.owner, this.leaseMs, max] as const;
    const entries = (await withUnavailable(this.redis.eval(TAKE, KEYS.length, ...KEYS, ...args))) as [
      string,
      string,
    ][];
    const polls: StoredPoll[] = [];
    for (const [id, text] of entries) {
      const poll = pollIn(text);
      if (poll?.id === id) polls.push(poll);
      else await this.end(id);
    }
    return polls;
  }
}

/** Parses a stored poll; null when it is not in the format of this version. */
function pollIn(text: string): StoredPoll | null {
  const poll = parsed(text);
  if (!isObject(poll)) return null;
  const { id, agentId, taskId, endsAt, seen = null } = poll;
  const isPoll =
    typeof id === 'string' &&
    typeof agentId === 'string' &&
    typeof taskId === 'string' &&
    typeof endsAt === 'number' &&
    (seen === null || typeof seen === 'string');
  return isPoll ? { id, agentId, taskId, endsAt, seen } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const withUnavailable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw ownerUnknown(error);
  });
