-- A holder that lives lets go: what it has taken is no suspect. ARGV: its epoch.

if call('HGET', FACTS, 'epoch') ~= ARGV[1] then return STALE end
call('HSET', FACTS, 'forgiven', 1)
return MADE
