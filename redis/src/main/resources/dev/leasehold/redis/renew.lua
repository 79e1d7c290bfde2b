-- KEYS: records, all in one slot. ARGV: a nonce and a fence for each. Gives the TTL of each lease that is still its
-- holder's, and nothing for the others.
local renewed = {}
for i, key in ipairs(KEYS) do
  local record = redis.call('HMGET', key, 'state', 'nonce', 'fence', 'ttl')
  local isOurs = record[1] == HELD and record[2] == ARGV[2 * i - 1] and record[3] == ARGV[2 * i]
  if isOurs then
    insist(key, 'exp', number(now + record[4]))
  end
  renewed[i] = isOurs and record[4]
end
return renewed
