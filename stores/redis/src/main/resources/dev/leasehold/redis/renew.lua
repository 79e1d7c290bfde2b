-- KEYS: records, all in one slot. ARGV: a nonce and a fence for each; then, if there is one record alone, perhaps another
-- TTL, which the record keeps. Gives the TTL of each lease that is still its holder's, and nothing for the others.
local renewed, till = {}, {}
local wanted = ARGV[2 * #KEYS + 1]
for i, key in ipairs(KEYS) do
  local record = redis.call('HMGET', key, 'state', 'nonce', 'fence', 'ttl', 'tries')
  local isOurs = record[1] == HELD and record[2] == ARGV[2 * i - 1] and record[3] == ARGV[2 * i]
  if isOurs then
    local ttl = wanted or record[4]
    till[ttl] = till[ttl] or number(now + ttl) -- Most of them have the same.
    if record[5] and tonumber(record[5]) < 0 then
      insist(key, 'exp', till[ttl], 'tries', number(-record[5]))
    else
      insist(key, 'exp', till[ttl])
    end
    if wanted then
      redis.call('HSET', key, 'ttl', wanted)
    end
  end
  renewed[i] = isOurs and (wanted or record[4])
end
return renewed
