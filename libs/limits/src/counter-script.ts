/**
 * Applies one round trip to all its counters atomically. `MemoryCounterStore` does the same in
 * TypeScript; one contract test covers both.
 * A counter is a hash with these fields: `p` its period, `u` used, `q` the amount of the previous
 * sliding window, `j` the part of `u` that price corrections added, `y` when a process was refused
 * that held less than its share, `v` (a version) and `w` (what was written off), which earlier
 * releases need, and one field per holder: `h:<id>` = "consumed hold expiresAt sequence".
 * KEYS are the counters. ARGV[1] is JSON: s sequence, l lease, x extra divisor, y for how long a
 * limit is crowded, k skew, f forget, z dead processes, c statements, a claims.
 * The reply is a flat list of whole numbers as text, because cjson would round numbers with more
 * than 14 digits.
 */
export const ROUND_TRIP_SCRIPT = `
local OK, UNKNOWN, CLOCK, STALE, LOST = 0, 1, 2, 3, 4
local a = cjson.decode(ARGV[1])
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local text = function(n) return string.format('%.0f', n) end

local function current(s)
  if s.k == 'open' then return 0 end
  if s.k ~= 'period' then return now - ((now - s.o) % s.l) end
  for i = #s.b, 1, -1 do if s.b[i] <= now then return s.b[i] end end
  local first = s.b[1] or 0
  if first <= now + a.k then return first end
  return nil
end

local function load(key)
  local flat = redis.call('HGETALL', key)
  if #flat == 0 then return nil end
  local c = { p = 0, u = 0, q = 0, v = 0, w = 0, j = 0, y = 0, hs = {}, gone = {}, new = {} }
  for i = 1, #flat, 2 do
    local name, value = flat[i], flat[i + 1]
    if string.sub(name, 1, 2) == 'h:' then
      local used, hold, expires, sequence = string.match(value, '^(%d+) (%d+) (%d+) (%d+)$')
      c.hs[string.sub(name, 3)] = { c = tonumber(used), h = tonumber(hold), e = tonumber(expires), s = tonumber(sequence) }
    else
      c[name] = tonumber(value)
    end
  end
  return c
end

local function holds(c)
  local held, count = 0, 0
  for id, h in pairs(c.hs) do
    if a.z and h.e > now and a.z[string.match(id, '^[^.]*')] then
      h.h, h.e = 0, now
      c.new[#c.new + 1] = id
    end
    if h.e > now then
      held = held + h.h
      count = count + 1
    elseif h.e + a.f <= now then
      c.gone[#c.gone + 1] = 'h:' .. id
      c.hs[id] = nil
    end
  end
  return held, math.max(1, count)
end

local function roll(c, period, previous)
  for id in pairs(c.hs) do c.gone[#c.gone + 1] = 'h:' .. id end
  c.p, c.u, c.q, c.v, c.w, c.j, c.hs, c.new = period, 0, previous, c.v + 1, 0, 0, {}, {}
end

local function make(s, period)
  local c = { p = period, u = 0, q = 0, v = 1, w = 0, j = 0, y = 0, hs = {}, gone = {}, new = {} }
  if s.d and s.d[1] >= period then
    c.p, c.u, c.j = s.d[1], s.d[2], s.d[4] or 0
    for id, used in pairs(s.d[3]) do
      c.hs[id] = { c = used, h = 0, e = now, s = 0 }
      if id ~= s.g then c.new[#c.new + 1] = id end
    end
  end
  return c
end

local function take(c, s)
  local known = c.hs[s.g]
  if known and known.s >= a.s then return nil end
  local mine = known or { c = 0, h = 0 }
  mine.lost = s.n and s.k == 'open' and not known
  c.hs[s.g] = mine
  mine.s, mine.e = a.s, now + a.l
  if s.p ~= c.p then
    mine.h = 0
    return mine
  end
  local used = math.max(0, s.c - (known and known.c or 0))
  c.u = c.u + used
  if used > 0 then c.v = c.v + 1 end
  mine.c = math.max(mine.c, s.c)
  mine.h = s.h
  return mine
end

local function view(key, s)
  local period = current(s)
  if period == nil then return { status = CLOCK } end
  local c = load(key)
  if c == nil then
    if s.k == 'period' and not s.d then return { status = UNKNOWN } end
    c = make(s, period)
  end
  if c.p < period then
    local follows = s.k == 'sliding' and period - c.p == s.l
    roll(c, period, follows and c.u + holds(c) or 0)
  end
  local mine = take(c, s)
  if mine == nil then return { status = STALE } end
  local held, count = holds(c)
  local used = c.u
  local status = mine.lost and LOST or OK
  if s.k == 'sliding' and c.q > 0 then used = used + math.floor(c.q * (c.p + s.l - now) / s.l) end
  return { status = status, c = c, mine = mine, used = used, held = held, count = count }
end

local views = {}
for i, s in ipairs(a.c) do views[i] = view(KEYS[i], s) end

local function share(s, v) return math.floor(s.v / v.count) end

local function crowded(s, v) return s.k == 'open' and now - v.c.y < a.y end

local function judge(claim)
  local n = #claim / 2
  for i = 1, n do
    local s, v = a.c[claim[i] + 1], views[claim[i] + 1]
    if v.status ~= OK then return -2 end
    local room, amount = s.v - v.used - v.held, claim[n + i]
    if room <= 0 or (s.t and room < amount) then
      if s.k == 'open' and v.mine.h < share(s, v) then v.c.y = now end
      return claim[i]
    end
    if crowded(s, v) and v.mine.h + amount > share(s, v) then return claim[i] end
  end
  for i = 1, n do
    local v = views[claim[i] + 1]
    v.mine.h = v.mine.h + claim[n + i]
    v.held = v.held + claim[n + i]
  end
  return -1
end

local answer = { text(now) }
local verdicts = {}
for i, claim in ipairs(a.a) do verdicts[i] = text(judge(claim)) end

for i, s in ipairs(a.c) do
  local v = views[i]
  local extra = 0
  if v.status == OK then
    extra = math.max(0, math.min(s.w, math.floor((s.v - v.used - v.held) / a.x)))
    if crowded(s, v) then extra = math.max(0, math.min(extra, share(s, v) - v.mine.h)) end
    if extra < s.m then extra = 0 end
    v.mine.h, v.held = v.mine.h + extra, v.held + extra
  end
  if v.c then
    local c, mine = v.c, v.mine
    if #c.gone > 0 then redis.call('HDEL', KEYS[i], unpack(c.gone)) end
    for _, id in ipairs(c.new) do
      redis.call('HSET', KEYS[i], 'h:' .. id, text(c.hs[id].c) .. ' 0 ' .. text(now) .. ' 0')
    end
    redis.call('HSET', KEYS[i], 'p', text(c.p), 'u', text(c.u), 'q', text(c.q), 'v', text(c.v), 'w', text(c.w), 'j', text(c.j),
      'y', text(c.y), 'h:' .. s.g, text(mine.c) .. ' ' .. text(mine.h) .. ' ' .. text(mine.e) .. ' ' .. text(mine.s))
    redis.call('PEXPIRE', KEYS[i], text(s.i))
  end
  local c = v.c or { p = -1 }
  local mine = v.mine or { c = 0 }
  local close = v.c and crowded(s, v) and 1 or 0
  for _, n in ipairs({ v.status, c.p, v.used or 0, v.held or 0, extra, mine.c, v.count or 1, close }) do
    answer[#answer + 1] = text(n)
  end
end
for _, verdict in ipairs(verdicts) do answer[#answer + 1] = verdict end
return answer`;

/**
 * Reads, corrects or resets one counter; see `CounterStore`.
 * ARGV[1] is `read`, `correct` or `reset` (followed by the time). The arguments of `correct`:
 * period, used, adjusted, the number of ended holders, the number of recent holders, the ended
 * holders, then each holder with its recorded amount, recent ones first.
 * The reply: period, used, held, then name, consumed and silence of each holder.
 */
export const MAINTENANCE_SCRIPT = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local flat = redis.call('HGETALL', KEYS[1])
if #flat == 0 then return false end
local c, held, holders, states = { w = 0, j = 0 }, 0, {}, {}
for i = 1, #flat, 2 do
  if string.sub(flat[i], 1, 2) == 'h:' then
    holders[#holders + 1] = flat[i]
    local consumed, rest = string.match(flat[i + 1], '^(%d+)( .*)$')
    local hold, expires = string.match(rest, '^ (%d+) (%d+) ')
    states[#holders] = { c = tonumber(consumed), rest = rest, silent = math.max(0, now - tonumber(expires)) }
    if tonumber(expires) > now then held = held + tonumber(hold) end
  else
    c[flat[i]] = tonumber(flat[i + 1])
  end
end
local text = function(n) return string.format('%.0f', n) end
if ARGV[1] == 'correct' and c.p == tonumber(ARGV[2]) then
  local recorded, before, ended = {}, {}, {}
  local total, adjusted = tonumber(ARGV[3]), tonumber(ARGV[4])
  local parts = 7 + tonumber(ARGV[5])
  for i = 7, parts - 1 do ended['h:' .. ARGV[i]] = true end
  for i = parts, #ARGV, 2 do
    local of = i < parts + 2 * tonumber(ARGV[6]) and recorded or before
    of['h:' .. ARGV[i]] = tonumber(ARGV[i + 1])
  end
  local stated, rest, sum = c.u + c.w - c.j, total - adjusted, 0
  for i, field in ipairs(holders) do
    local known, state = recorded[field] or before[field] or 0, states[i]
    stated, rest = stated - state.c, rest - known
    if known > state.c or (ended[field] and known < state.c) then
      state.c = known
      redis.call('HSET', KEYS[1], field, text(known) .. state.rest)
    end
    sum = sum + state.c
    recorded[field] = nil
  end
  for field, known in pairs(recorded) do
    redis.call('HSET', KEYS[1], field, text(known) .. ' 0 ' .. text(now) .. ' 0')
    rest, sum = rest - known, sum + known
  end
  local used = math.max(stated, rest) + sum + adjusted
  if used ~= c.u or c.w ~= 0 or adjusted ~= c.j then
    c.u, c.v = used, c.v + 1
    redis.call('HSET', KEYS[1], 'u', text(c.u), 'v', text(c.v), 'w', '0', 'j', text(adjusted))
  end
elseif ARGV[1] == 'reset' and c.p < tonumber(ARGV[2]) then
  if #holders > 0 then redis.call('HDEL', KEYS[1], unpack(holders)) end
  c.p, c.u, c.v, held, holders = tonumber(ARGV[2]), 0, c.v + 1, 0, {}
  redis.call('HSET', KEYS[1], 'p', text(c.p), 'u', '0', 'q', '0', 'v', text(c.v), 'w', '0', 'j', '0')
end
local answer = { text(c.p), text(c.u), text(held) }
for i, field in ipairs(holders) do
  answer[#answer + 1] = string.sub(field, 3)
  answer[#answer + 1] = text(states[i].c)
  answer[#answer + 1] = text(states[i].silent)
end
return answer`;
