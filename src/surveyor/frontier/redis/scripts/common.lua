-- What every step shares; it is put in front of each script.
--
-- KEYS[1] is the domain's hash of facts. Its other keys begin with the same words, hash tag
-- included, so that a cluster keeps all of them in one slot.

local call = redis.call
local FACTS = KEYS[1]
local WAITING, TAKEN, MARKS = FACTS .. ':waiting', FACTS .. ':taken', FACTS .. ':marks'

-- How a step ended; the client knows the same numbers.
local STALE, LOST, MADE = 0, 1, 2

-- ---------------------------------------------------------------------------------- order

-- A place is one number: rank, depth, order of discovery. Doubles are exact up to 2^53.
local DEPTH, RANK = 2 ^ 40, 2 ^ 50
local order

local function at_the_end_of(place)
  order = (order or tonumber(call('HGET', FACTS, 'order') or 0)) + 1
  return place - place % DEPTH + order
end

local function nearer(target, place, wanted)
  local depth, new = place % RANK - place % DEPTH, wanted % RANK
  if new < depth then
    call('ZADD', WAITING, string.format('%.0f', place - depth + new), target)
  end
end

-- ------------------------------------------------------------------- large sets of integers

-- Integers in sets of at most 512 take eight bytes each, so a large set is kept in many small
-- parts. Whenever they hold more than this on average, the part whose turn it is is split in
-- two (linear hashing): no step touches more than a few of them, however many there are.
local FULL = 200
local sets = {}

local function set(name)
  local found = sets[name]
  if not found then
    local facts = call('HMGET', FACTS, name, name .. '.parts')
    found = { size = tonumber(facts[1] or 0), parts = tonumber(facts[2] or 1), half = 1 }
    found.prefix = FACTS .. ':' .. name .. ':'
    while found.half * 2 <= found.parts do found.half = found.half * 2 end
    sets[name] = found
  end
  return found
end

local function part(one, key)
  -- The upper 21 of 64 bits; a double keeps them, and the key itself stays a string.
  local hash = math.floor((tonumber(key) + 2 ^ 63) / 2 ^ 43)
  local place = hash % (2 * one.half)
  if place >= one.parts then place = place - one.half end
  return one.prefix .. place
end

local function put(name, keys)
  if #keys > 0 then call('SADD', name, unpack(keys)) end
end

local function split(one)
  local old = one.prefix .. (one.parts - one.half)
  one.parts = one.parts + 1
  local stay, move = {}, {}
  for _, key in ipairs(call('SMEMBERS', old)) do
    local side = part(one, key) == old and stay or move
    side[#side + 1] = key
  end
  call('DEL', old)
  put(old, stay)
  put(one.prefix .. (one.parts - 1), move)
  if one.parts == 2 * one.half then one.half = one.parts end
end

local function has(name, key)
  local one = set(name)
  return one.size > 0 and call('SISMEMBER', part(one, key), key) == 1
end

local function insert(name, key)
  local one = set(name)
  if call('SADD', part(one, key), key) == 0 then return false end
  one.size, one.changed = one.size + 1, true
  if one.size > FULL * one.parts then split(one) end
  return true
end

local function remove(name, key)
  local one = set(name)
  if one.size > 0 and call('SREM', part(one, key), key) == 1 then
    one.size, one.changed = one.size - 1, true
  end
end

local function save()
  if order then call('HSET', FACTS, 'order', string.format('%.0f', order)) end
  for name, one in pairs(sets) do
    if one.changed then call('HSET', FACTS, name, one.size, name .. '.parts', one.parts) end
  end
end

-- ----------------------------------------------------------------------------------- marks

-- Attempts, suspicion and what it is taken for, kept only where there are any: most URLs are pages
-- with neither.
local function marks(target)
  local attempts, suspect, kind = string.match(call('HGET', MARKS, target) or '0 0 0', '(%d+) (%d+) (%d+)')
  return tonumber(attempts), tonumber(suspect), tonumber(kind)
end

local function mark(target, attempts, suspect, kind)
  if attempts + suspect + kind > 0 then
    call('HSET', MARKS, target, string.format('%d %d %d', attempts, suspect, kind))
  else
    call('HDEL', MARKS, target)
  end
end

-- A URL that was found as two kinds is of the higher one.
local function mark_kind(target, kind)
  if kind == 0 then return end
  local attempts, suspect, present = marks(target)
  if kind > present then mark(target, attempts, suspect, kind) end
end

local function with_marks(reply, found)
  for i = 1, #found, 2 do
    reply[#reply + 1] = found[i]
    reply[#reply + 1] = found[i + 1]
    reply[#reply + 1] = call('HGET', MARKS, found[i]) or '0 0 0'
  end
  return reply
end
