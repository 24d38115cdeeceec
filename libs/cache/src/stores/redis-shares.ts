import type { Tenant } from '@gw/kernel';

/**
 * Lua functions of a ledger of bytes in Redis. Every script that writes entries starts with them:
 * they apply the rule of `Shares` to the workspaces of all gateways.
 * KEYS[1] is the entry, KEYS[2] the prefix of the ledger's keys. ARGV: workspace, organisation,
 * maximum bytes of all entries.
 * `<ledger>bytes`: a hash of the bytes held by each workspace, each organisation (`o:`) and all
 * (`*`). `<ledger>sizes:<workspace>`: the bytes of each entry. `<ledger>whole:<workspace>` and
 * `<ledger>shrunk:<workspace>`: entries by expiry; those in the second have lost their value and
 * kept their key. `<ledger>owners`: workspaces by the expiry of an entry, so that active workspaces
 * clear those that no longer write.
 * Entries that Redis evicts by itself count until they expire: the ledger then holds too much,
 * never too little.
 */
const LEDGER = `
local entry, at, owner, group = KEYS[1], KEYS[2], ARGV[1], 'o:' .. ARGV[2]
local most = tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function held(name) return tonumber(redis.call('HGET', at .. 'bytes', name) or '0') end
local function count(name, bytes)
  if redis.call('HINCRBY', at .. 'bytes', name, bytes) <= 0 then redis.call('HDEL', at .. 'bytes', name) end
end
local function forget(of, key)
  local sizes = at .. 'sizes:' .. of
  local size = redis.call('HGET', sizes, key)
  redis.call('ZREM', at .. 'whole:' .. of, key)
  redis.call('ZREM', at .. 'shrunk:' .. of, key)
  if not size then return end
  redis.call('HDEL', sizes, key)
  local own = redis.call('HGET', at .. 'groups', of)
  count(of, -size)
  count('*', -size)
  if own then count(own, -size) end
end
local function clear(of, most)
  for _, kind in ipairs({ 'whole:', 'shrunk:' }) do
    local ended = redis.call('ZRANGEBYSCORE', at .. kind .. of, '-inf', now, 'LIMIT', 0, most)
    for _, key in ipairs(ended) do forget(of, key) end
  end
  local first = math.huge
  for _, kind in ipairs({ 'whole:', 'shrunk:' }) do
    local head = redis.call('ZRANGE', at .. kind .. of, 0, 0, 'WITHSCORES')
    if head[2] then first = math.min(first, tonumber(head[2])) end
  end
  if first == math.huge then
    redis.call('ZREM', at .. 'owners', of)
    redis.call('HDEL', at .. 'groups', of)
  else redis.call('ZADD', at .. 'owners', first, of) end
end
local function fits(bytes, ofOwner, ofGroup)
  local free = most - held('*') - bytes
  return free >= 0 and ofOwner + bytes <= free and ofGroup + bytes <= 2 * free
end
local function fitsInPlace(bytes)
  local own = held(owner)
  return fits(bytes - own, own, held(group))
end
local function makeRoom(bytes, shrink)
  forget(owner, entry)
  clear(owner, 100)
  for _, of in ipairs(redis.call('ZRANGEBYSCORE', at .. 'owners', '-inf', now, 'LIMIT', 0, 3)) do clear(of, 100) end
  if not fitsInPlace(bytes) then return false end
  while not fits(bytes, held(owner), held(group)) do
    local whole = redis.call('ZRANGE', at .. 'whole:' .. owner, 0, 0, 'WITHSCORES')
    local key = whole[1] or redis.call('ZRANGE', at .. 'shrunk:' .. owner, 0, 0)[1]
    if not key then return false end
    forget(owner, key)
    local size = whole[1] and shrink and shrink(key)
    if size then
      redis.call('HSET', at .. 'sizes:' .. owner, key, size)
      redis.call('ZADD', at .. 'shrunk:' .. owner, whole[2], key)
      count(owner, size) count(group, size) count('*', size)
    else redis.call('UNLINK', key) end
  end
  return true
end
local function charge(bytes, ttl)
  redis.call('HSET', at .. 'groups', owner, group)
  redis.call('HSET', at .. 'sizes:' .. owner, entry, bytes)
  redis.call('ZADD', at .. 'whole:' .. owner, now + ttl, entry)
  redis.call('ZADD', at .. 'owners', 'LT', now + ttl, owner)
  count(owner, bytes) count(group, bytes) count('*', bytes)
end
`;

/**
 * Bytes that Redis needs per entry in addition to its value: its key, its places in the ledger and
 * their nodes.
 */
export const ENTRY_OVERHEAD_BYTES = 512;

/** Returns the script with the functions of the ledger in front. */
export const withLedger = (script: string): string => LEDGER + script;

/** The share of Redis for all entries of one kind. */
export interface RedisShare {
  /** Prefix of the ledger's keys: `gw:cache:ledger:`. */
  readonly ledger: string;
  bytesMax(): number;
}

/** Returns the first arguments of every script that starts with the ledger. */
export const ledgerArguments = (tenant: Tenant, share: RedisShare): readonly (string | number)[] => [
  tenant.workspaceId,
  tenant.organisationId,
  share.bytesMax(),
];
