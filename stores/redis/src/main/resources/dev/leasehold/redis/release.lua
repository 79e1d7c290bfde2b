-- KEYS: the record. ARGV: nonce, fence if it is known, ending W K or F, cooldown, how long a lease lives that was handed
-- over, channel, length of the prefix. Gives R if the lease is released, N if it is not its holder's.
local key, nonce, channel = KEYS[1], ARGV[1], ARGV[6]
local record = redis.call(
  'HMGET', key, 'state', 'nonce', 'fence', 'tomb', 'line', 'cool', 'print', 'kept', 'pre', 'tries')
local state, fence, line = record[1], record[3], record[5]
local isHeld = (state == HELD or (state and state ~= FREE and ARGV[3] == 'F')) and record[2] == nonce
  and (ARGV[2] == '' or ARGV[2] == fence)
if not isHeld then
  if record[4] == nonce then
    return 'R'
  end
  if line then
    leaveLine(key, line, nonce)
  end
  return 'N'
end

local goesOn = ARGV[3] == 'K'
local name = line and string.sub(key, ARGV[7] + 1)
local tries = goesOn and made(tonumber(record[10]) or 0) or 0
local waiting = line and living(key, line, now) or {}
local alive, passedOver = fitting(waiting, goesOn and record[7])
local cooldown = tonumber(ARGV[4])
local first = cooldown == 0 and table.remove(alive, 1)
local larger = first and nextFence(fence, now)
if first and not larger then
  return noFence()
end
if first then
  local life = number(math.min(first.ttl, ARGV[5]))
  local attempt = number(math.min(tries + 1, 2147483647))
  insist(
    key, 'state', HELD, 'nonce', first.nonce, 'fence', larger, 'exp', number(now + life), 'owner', first.owner,
    'ttl', first.ttl, 'since', number(now), 'tries', '-' .. attempt, 'tomb', nonce)
  redis.call('HDEL', key, 'p' .. first.nonce)
  sendAway(key, passedOver, channel, name)
  keepLine(key, alive)
  tell(
    channel, first.node,
    table.concat({ 'H', first.nonce, larger, number(now - first.since), life, attempt, name }, ' '))
else
  insist(key, 'state', FREE, 'tomb', nonce, 'exp', number(now + cooldown), 'tries', number(tries))
  if line then
    dissolve(key, waiting, channel, name)
  end
end
if cooldown > 0 then
  redis.call('HSET', key, 'cool', number(cooldown))
elseif record[6] then
  redis.call('HDEL', key, 'cool')
end
if first and first.print ~= '' then
  redis.call('HSET', key, 'print', first.print)
elseif record[7] and not goesOn then
  redis.call('HDEL', key, 'print')
end
if record[8] and not goesOn then
  redis.call('HDEL', key, 'kept', 'data')
end
if record[9] then
  redis.call('HDEL', key, 'pre')
end
if goesOn or cooldown > 0 then
  redis.call('HSET', key, 'more', '1')
elseif not first then
  redis.call('HDEL', key, 'more')
end
return 'R'
