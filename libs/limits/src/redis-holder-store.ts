import type { Heartbeat, HolderCensus, HolderStore } from './holder-registry';
import { runScript, scriptOf, type RedisScripts } from './redis-scripts';

/** How long dead processes are kept: counters that know them may still be reconciled. */
const KEPT_MS = 26 * 3_600_000;
const KEY = 'gw:limits:holders';
const STATES = { L: 'live', D: 'dead', E: 'ended' } as const;
const VALUES_PER_PROCESS = 3;

/**
 * Records one heartbeat.
 * One hash has a field per process with its last heartbeat and its state (`L`, `D` or `E`), and `#`
 * with the creation time of the hash and the newest heartbeat of all. When no process sent a
 * heartbeat for half a lease, Redis was unreachable, and the silence of each process starts again.
 * ARGV: process, lease, how long dead processes are kept, the number of dead ones, those, and the
 * ended ones.
 */
const BEAT = scriptOf(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local text = function(n) return string.format('%.0f', n) end
local lease, kept, dead = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local flat = redis.call('HGETALL', KEYS[1])
local known, epoch, newest = {}, now, now
for i = 1, #flat, 2 do
  local first, second = string.match(flat[i + 1], '^(%d+) (%w+)$')
  if flat[i] == '#' then epoch, newest = tonumber(first), tonumber(second)
  else known[flat[i]] = { at = tonumber(first), state = second } end
end
local was_away = now - newest > lease / 2
known[ARGV[1]] = { at = now, state = 'L' }
for i = 5, #ARGV do
  local each = known[ARGV[i]]
  local state = i < 5 + dead and 'D' or 'E'
  if not each or each.state ~= state then known[ARGV[i]] = { at = now, state = state } end
end
local answer, set = { text(epoch) }, { '#', text(epoch) .. ' ' .. text(now) }
for name, each in pairs(known) do
  if was_away and each.state == 'L' then each.at = now end
  if now - each.at > kept then redis.call('HDEL', KEYS[1], name)
  else
    set[#set + 1] = name
    set[#set + 1] = text(each.at) .. ' ' .. each.state
    local silent = now - each.at
    answer[#answer + 1] = name
    answer[#answer + 1] = (each.state == 'L' and silent > lease) and 'D' or each.state
    answer[#answer + 1] = text(silent)
  end
end
redis.call('HSET', KEYS[1], unpack(set))
redis.call('PEXPIRE', KEYS[1], text(kept))
return answer`);

/** Registry of the processes of all gateways that share a Redis, by its clock. */
export class RedisHolderStore implements HolderStore {
  constructor(private readonly redis: RedisScripts) {}

  async beat({ process, leaseMs, dead, ended }: Heartbeat): Promise<HolderCensus> {
    const values = [process, leaseMs, KEPT_MS, dead.length, ...dead, ...ended];
    const reply = await runScript(this.redis, BEAT, [KEY], values);
    if (!Array.isArray(reply)) throw new Error('Redis returned an unreadable reply');
    const [epoch, ...rest] = reply.map(String);
    const processes: HolderCensus['processes'][number][] = [];
    for (let at = 0; at < rest.length; at += VALUES_PER_PROCESS) {
      const [name = '', state = 'D', silentMs] = rest.slice(at, at + VALUES_PER_PROCESS);
      processes.push({
        process: name,
        state: STATES[state as keyof typeof STATES],
        silentMs: Number(silentMs),
      });
    }
    return { epoch: Number(epoch), processes };
  }
}
