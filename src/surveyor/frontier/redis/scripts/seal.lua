-- Says that the frontier is whole again. ARGV: epoch, id, group that it stands at.

if call('HGET', FACTS, 'epoch') ~= ARGV[1] then return STALE end
call('HSET', FACTS, 'id', ARGV[2], 'group', ARGV[3])
return MADE
