-- The quick way to release a record that nobody waits for and of which nothing is to be kept; see acquire-quick.lua.
if ARGV[3] == 'W' and ARGV[4] == '0' then
  local record = redis.call('HMGET', KEYS[1], 'state', 'nonce', 'fence', 'more')
  if record[1] == 'H' and record[2] == ARGV[1] and record[3] == ARGV[2] and not record[4] then
    local done = redis.pcall(
      'HSET', KEYS[1], 'state', 'F', 'tomb', ARGV[1], 'exp', stamp, 'tries', '0')
    if type(done) == 'number' then
      return 'R'
    end
  end
end
