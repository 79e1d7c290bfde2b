-- KEYS: the history. ARGV: from which number on, how many to look at, how many to drop at most, age. Gives the number up
-- to which it has looked, or nothing at the end, and how many were dropped.
local past = now - ARGV[4]
local looked = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
local dropped = 0
local seen = false
for _, entry in ipairs(looked) do
  if dropped == tonumber(ARGV[3]) then
    break
  end
  seen = string.match(entry[1], '^%d+')
  if tonumber(entry[2][4]) < past then
    dropped = dropped + redis.call('XDEL', KEYS[1], entry[1])
  end
end
return { #looked == tonumber(ARGV[2]) and seen, dropped }
