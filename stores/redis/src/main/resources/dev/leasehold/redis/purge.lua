-- KEYS: records, all in one slot, or something else in the place of one. ARGV: how long they must be over. Gives how many
-- were dropped.
local past = now - ARGV[1]
local dropped = 0
for _, key in ipairs(KEYS) do
  local record = redis.pcall('HMGET', key, 'exp', 'fence', 'line', 'state', 'ttl', 'since', 'tries', 'nonce', 'owner')
  local isOurs = not record.err and record[8] and record[9]
    and isRecord(record[4], record[7], record[1], record[2], record[5], record[6])
  if isOurs and tonumber(record[1]) <= past and tonumber(record[2]) < past then
    local isAwaited = false
    for _, one in ipairs(places(key, record[3] or '')) do
      isAwaited = isAwaited or one.till > now
    end
    if not isAwaited then
      dropped = dropped + redis.call('DEL', key)
    end
  end
end
return dropped
