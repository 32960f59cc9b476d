-- Forgets a domain. ARGV: the epoch that begins anew, or nothing.

for _, name in ipairs({ 'done', 'cut' }) do
  local one, i = set(name), 0
  -- Further than the facts say: they may be gone while parts are left.
  while call('UNLINK', one.prefix .. i) == 1 or i < one.parts do i = i + 1 end
end
call('UNLINK', FACTS, WAITING, TAKEN, MARKS)
if ARGV[1] then call('HSET', FACTS, 'epoch', ARGV[1]) end
return MADE
