-- Says which of these keys nobody has spoken of yet. ARGV: whether what depth cut is one of
-- them ('1' or '0'), then pairs of key and target.

local unknown = {}
for i = 2, #ARGV, 2 do
  local key, target = ARGV[i], ARGV[i + 1]
  local here = call('ZSCORE', WAITING, target) or call('ZSCORE', TAKEN, target) or has('done', key)
  if not here and (ARGV[1] == '1' or not has('cut', key)) then unknown[#unknown + 1] = key end
end
return unknown
