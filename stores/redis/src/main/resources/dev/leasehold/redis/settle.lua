-- KEYS: the record. ARGV: nonce, fence, state, whether there is a payload, payload, retention, whether it amends,
-- channel, length of the prefix, number of the checkpoint. Gives S if it is settled like that, X if not.
local key = KEYS[1]
local record = redis.call('HMGET', key, 'state', 'nonce', 'fence', 'line', 'kept', 'cool', 'tries')
local state = record[1]
if not state or state == FREE or record[2] ~= ARGV[1] or record[3] ~= ARGV[2] then
  return 'X'
end

if state == HELD and record[7] and tonumber(record[7]) < 0 then
  redis.call('HSET', key, 'tries', number(-record[7]))
end

local function keepPayload()
  if ARGV[4] == '1' then
    redis.call('HSET', key, 'kept', '1', 'data', ARGV[5], 'more', '1')
  elseif record[5] then
    redis.call('HDEL', key, 'kept', 'data')
  end
end

if state == HELD and ARGV[3] == HELD then
  -- A late duplicate of an older checkpoint finds a larger number, and changes nothing.
  if tonumber(ARGV[10]) >= tonumber(record[6] or 0) then
    keepPayload()
    if ARGV[10] ~= '0' then
      redis.call('HSET', key, 'cool', ARGV[10], 'more', '1')
    end
  end
  return 'S'
end
local hasSamePayload = (record[5] == '1') == (ARGV[4] == '1')
  and (not record[5] or redis.call('HGET', key, 'data') == ARGV[5])
local isSameAnswer = state == ARGV[3] and hasSamePayload
local isAmended = ARGV[7] == '1' and (state == 'O' or isSameAnswer)
if state == HELD or isAmended then
  keepPayload()
  redis.call('HSET', key, 'state', ARGV[3], 'exp', number(now + ARGV[6]))
  if record[4] then
    dissolve(key, places(key, record[4]), ARGV[8], string.sub(key, ARGV[9] + 1))
  end
  return 'S'
end
return isSameAnswer and 'S' or 'X'
