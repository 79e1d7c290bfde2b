-- KEYS: the history. ARGV: for each entry key, how long ago, kind, owner, fence, reason, actor.
-- Numbers are larger than any before, also after all was forgotten or lost.
local history = KEYS[1]
local last = 0
if redis.call('EXISTS', history) == 1 then
  local about = redis.call('XINFO', 'STREAM', history)
  for i = 1, #about, 2 do
    if about[i] == 'last-generated-id' then
      last = tonumber(string.match(about[i + 1], '^%d+'))
    end
  end
end
for i = 1, #ARGV, 7 do
  last = math.max(last + 1, now)
  redis.call(
    'XADD', history, number(last) .. '-0', 'key', ARGV[i], 'at', number(now - ARGV[i + 1]), 'kind', ARGV[i + 2],
    'owner', ARGV[i + 3], 'fence', ARGV[i + 4], 'reason', ARGV[i + 5], 'actor', ARGV[i + 6])
end
