-- Hands the frontier to a new epoch: from now on older ones change nothing.
--
-- ARGV: epoch. Replies: id, group, URLs waiting, whether the last holder gave up alive, and what
-- it had taken as target, place, marks; nothing if there is no frontier here.

if call('EXISTS', FACTS) == 0 then return {} end
call('HSET', FACTS, 'epoch', ARGV[1])
local id, group, forgiven = unpack(call('HMGET', FACTS, 'id', 'group', 'forgiven'))
local taken = with_marks({}, call('ZRANGE', TAKEN, 0, -1, 'WITHSCORES'))
return { id or '', tonumber(group or 0), call('ZCARD', WAITING), forgiven and 1 or 0, taken }
