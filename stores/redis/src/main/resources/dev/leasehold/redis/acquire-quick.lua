-- The quick way to acquire, for what is nearly always so: a record that is free or new, for which it gives the fence and
-- nothing else, or that somebody holds and the caller does not wait for. It comes first and without a function, since to
-- make those of the long way takes longer than all of this. What does not fit goes on below.
if ARGV[5] == '0' and ARGV[8] == '' then
  local record = redis.call('HMGET', KEYS[1], 'state', 'fence', 'exp', 'tomb', 'nonce', 'more')
  local state, isPlain = record[1], not record[6] and ARGV[7] == ''
  local last = tonumber(record[2])
  if (not state and redis.call('EXISTS', KEYS[1]) == 0)
    or (state == 'F' and isPlain and last and record[3] and record[5] and record[4] ~= ARGV[1]) then
    local fence = math.max((last or 0) + 1, now)
    if fence <= 9007199254740991 then
      local larger = fence == now and stamp or string.format('%.0f', fence)
      redis.call(
        'HSET', KEYS[1], 'state', 'H', 'nonce', ARGV[1], 'fence', larger, 'exp', string.format('%.0f', now + ARGV[3]),
        'owner', ARGV[2], 'ttl', ARGV[3], 'since', stamp, 'tries', '1')
      if ARGV[7] ~= '' then
        redis.call('HSET', KEYS[1], 'print', ARGV[7], 'more', '1')
      end
      return larger
    end
  end
  local expiry = tonumber(record[3])
  if state == 'H' and isPlain and last and expiry and record[5] ~= ARGV[1] and record[4] ~= ARGV[1]
    and expiry + ARGV[4] > now then
    local holder = redis.call('HMGET', KEYS[1], 'owner', 'ttl', 'since')
    local since = tonumber(holder[3])
    if holder[1] and holder[2] and since then
      return {
        'H', holder[1], record[2], string.format('%.0f', math.max(0, expiry - now)), holder[2],
        string.format('%.0f', math.max(0, now - since))
      }
    end
  end
end
