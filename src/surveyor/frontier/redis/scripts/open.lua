-- Hands the frontier to a new epoch: from now on older ones change nothing.
--
-- ARGV: epoch. Replies: id, group, URLs waiting, and what the last holder had taken as target, place,
-- marks; nothing if there is no frontier here.

if call('EXISTS', FACTS) == 0 then return {} end
call('HSET', FACTS, 'epoch', ARGV[1])
local id, group = unpack(call('HMGET', FACTS, 'id', 'group'))
local taken = with_marks({}, call('ZRANGE', TAKEN, 0, -1, 'WITHSCORES'))
return { id or '', tonumber(group or 0), call('ZCARD', WAITING), taken }
