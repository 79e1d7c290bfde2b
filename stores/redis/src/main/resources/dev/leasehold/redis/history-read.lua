-- KEYS: the history. ARGV: XRANGE or XREVRANGE, first and last number, how many to look at, how many to give, key or
-- nothing, prefix, kinds. Gives the number up to which it has looked, or nothing at the end, and the entries.
local kinds = {}
for i = 8, #ARGV do
  kinds[ARGV[i]] = true
end
local looked = redis.call(ARGV[1], KEYS[1], ARGV[2], ARGV[3], 'COUNT', ARGV[4])
local found = {}
local seen = false
for _, entry in ipairs(looked) do
  local key, kind = entry[2][2], entry[2][6]
  if #found == tonumber(ARGV[5]) then
    break
  end
  seen = string.match(entry[1], '^%d+')
  local isWanted = ARGV[6] == '' or ARGV[6] == key
  if isWanted and string.sub(key, 1, #ARGV[7]) == ARGV[7] and (#ARGV < 8 or kinds[kind]) then
    found[#found + 1] = { seen, entry[2] }
  end
end
return { #looked == tonumber(ARGV[4]) and seen, found }
