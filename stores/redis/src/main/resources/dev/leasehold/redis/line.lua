-- The line of those who wait.
local NONCE = 32

local function place(key, nonce)
  local text = redis.call('HGET', key, 'p' .. nonce)
  if not text then
    return nil
  end
  local since, till, ttl, node, owner, print = string.match(text, '^(.-)\n(.-)\n(.-)\n(.-)\n(.-)\n(.*)$')
  return {
    nonce = nonce, since = tonumber(since), till = tonumber(till), ttl = ttl, node = node, owner = owner, print = print
  }
end

local function places(key, line)
  local found = {}
  for at = 1, #line, NONCE do
    found[#found + 1] = place(key, string.sub(line, at, at + NONCE - 1))
  end
  return found
end

-- Takes places that have lapsed out of the record, but for one, and gives the others.
local function living(key, line, now, spared)
  local alive = {}
  for _, one in ipairs(places(key, line)) do
    if one.till > now or one.nonce == spared then
      alive[#alive + 1] = one
    else
      redis.call('HDEL', key, 'p' .. one.nonce)
    end
  end
  return alive
end

local function keepLine(key, line)
  local nonces = {}
  for i, one in ipairs(line) do
    nonces[i] = one.nonce
  end
  if #nonces == 0 then
    redis.call('HDEL', key, 'line')
  else
    redis.call('HSET', key, 'line', table.concat(nonces))
  end
end

local function leaveLine(key, line, nonce)
  if redis.call('HDEL', key, 'p' .. nonce) == 1 then
    keepLine(key, places(key, line))
  end
end

-- Whoever may not publish can release all the same: callers in line find out by polling.
local function tell(channel, node, message)
  redis.pcall('PUBLISH', channel .. node, message)
end

-- Takes these places out of the record, and tells their callers to look for themselves.
local function sendAway(key, some, channel, name)
  for _, one in ipairs(some) do
    redis.call('HDEL', key, 'p' .. one.nonce)
    tell(channel, one.node, 'L ' .. one.nonce .. ' ' .. name)
  end
end

-- Sends everybody away.
local function dissolve(key, line, channel, name)
  sendAway(key, line, channel, name)
  redis.call('HDEL', key, 'line')
end

-- The places that may be handed a run of this request, if it is known, and those that have another request.
local function fitting(line, print)
  local fit, others = {}, {}
  for _, one in ipairs(line) do
    local isOther = print and one.print ~= '' and one.print ~= print
    table.insert(isOther and others or fit, one)
  end
  return fit, others
end
