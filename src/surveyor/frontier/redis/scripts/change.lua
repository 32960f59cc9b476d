-- Makes changes under an epoch, then takes what is wanted. Every change may be made again.
--
-- ARGV: epoch, id, group, URLs wanted, then runs of changes: kind, how many, their values.
-- With an id, this is the settling of that group: it must be this frontier's next one.
-- Replies: how it ended, URLs that wait now and were not known, URLs waiting, keys that had
-- not been finished, and what was taken as target, place, marks.

local new, unfinished = 0, {}
local make = {}

local function join(target, place)
  call('ZADD', WAITING, string.format('%.0f', at_the_end_of(place)), target)
end

-- Found, and to be fetched unless it is known: key, target, rank and depth as a place, kind. What
-- waits may come nearer; what only depth had cut waits now.
make.offered = { 4, function(key, target, place, kind)
  local present = call('ZSCORE', WAITING, target)
  if present then
    nearer(target, tonumber(present), tonumber(place))
    mark_kind(target, tonumber(kind))
  elseif not (call('ZSCORE', TAKEN, target) or has('done', key)) then
    remove('cut', key)
    join(target, tonumber(place))
    mark_kind(target, tonumber(kind))
    new = new + 1
  end
end }

-- Over for good, whatever came of it: key, target ('' if it was never taken).
make.finished = { 2, function(key, target)
  call('ZREM', TAKEN, target)
  call('ZREM', WAITING, target)
  call('HDEL', MARKS, target)
  if insert('done', key) then unfinished[#unfinished + 1] = key end
end }

-- Known and too deep: key, target. What waits, waits on a shorter way.
make.cut = { 2, function(key, target)
  local here = call('ZSCORE', WAITING, target) or call('ZSCORE', TAKEN, target)
  if not (here or has('done', key)) then insert('cut', key) end
end }

-- The database says that it is to be fetched, seen before or not: key, target, place, marks.
make.asked = { 6, function(key, target, place, attempts, suspect, kind)
  local present = call('ZSCORE', WAITING, target)
  if present then
    nearer(target, tonumber(present), tonumber(place))
    mark_kind(target, tonumber(kind))
  elseif not call('ZSCORE', TAKEN, target) then
    remove('done', key)
    remove('cut', key)
    join(target, tonumber(place))
    mark(target, tonumber(attempts), tonumber(suspect), tonumber(kind))
  else
    mark_kind(target, tonumber(kind))
  end
end }

-- Given back: target, attempts, whether it goes to the end of its depth.
make.given_back = { 3, function(target, attempts, to_the_end)
  local place = call('ZSCORE', TAKEN, target)
  if not place then return end
  call('ZREM', TAKEN, target)
  if to_the_end == '1' then
    join(target, tonumber(place))
  else
    call('ZADD', WAITING, place, target)
  end
  -- Whoever gives back is alive: a crash that was counted beforehand did not happen.
  local _, suspect, kind = marks(target)
  mark(target, tonumber(attempts), math.min(suspect, 1), kind)
end }

-- A suspect that is about to be fetched alone: target.
make.alone = { 1, function(target)
  local attempts, suspect, kind = marks(target)
  mark(target, attempts, suspect + 1, kind)
end }

-- In the hands of a holder that died: target.
make.suspect = { 1, function(target)
  local place = call('ZSCORE', TAKEN, target)
  if not place then return end
  call('ZREM', TAKEN, target)
  call('ZADD', WAITING, place, target)
  local attempts, suspect, kind = marks(target)
  mark(target, attempts, math.max(suspect, 1), kind)
end }

local function take(wanted)
  if wanted == 0 then return {} end
  local found = call('ZPOPMIN', WAITING, wanted)
  for i = 1, #found, 2 do call('ZADD', TAKEN, found[i + 1], found[i]) end
  return with_marks({}, found)
end

local id, epoch, group = unpack(call('HMGET', FACTS, 'id', 'epoch', 'group'))
local settles = ARGV[2] ~= ''
if not epoch or (settles and id ~= ARGV[2]) then return { LOST } end
if epoch ~= ARGV[1] then return { STALE } end
if settles then
  if group + 1 ~= tonumber(ARGV[3]) then return { LOST } end
  -- The first write: a server without memory refuses it, and with it the whole step.
  call('HSET', FACTS, 'group', ARGV[3])
end
local i = 5
while i <= #ARGV do
  local width, change = unpack(make[ARGV[i]])
  local last = i + 1 + width * ARGV[i + 1]
  for at = i + 2, last, width do change(unpack(ARGV, at, at + width - 1)) end
  i = last + 1
end
local taken = take(tonumber(ARGV[4]))
save()
return { MADE, new, call('ZCARD', WAITING), unfinished, taken }
