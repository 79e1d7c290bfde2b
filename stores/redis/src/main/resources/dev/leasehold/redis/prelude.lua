-- What all scripts share. A record is one hash:
--
--   state F H D X O   free, held, done, failed, on hold       fence   of the last grant
--   exp               until when the state lasts, in µs       tomb    the nonce that was released last
--   nonce owner ttl since    whose it is; of the last holder while it is free, and without meaning then
--   tries print pre          attempts, below zero while the lease was handed over and its holder has not confirmed it;
--                            fingerprint; predecessor as "fence\nowner"
--   kept data                1 if there is a payload, and the payload
--   cool                     of a free record: how long the last release keeps the key closed; of others: the number of
--                            the holder's last checkpoint
--   line                     the nonces of those who wait, one after the other
--   p<nonce>                 a place in line: "since\nuntil\nttl\nnode\nowner\nprint"
--   more                     1 if there may be any of print, pre, kept, cool, line, or attempts of a free record: the
--                            quick ways leave such records alone
--
-- What there is none of is absent, and never empty. Numbers are below 2^53, so Lua's are exact; but its own way to write
-- them is not, and therefore number() is the only one.
local FREE, HELD = 'F', 'H'

local function number(value)
  return string.format('%.0f', value)
end

-- Whether a hash is a record: its state, its attempts and these numbers are there. Another program may have a hash in its
-- place.
local function isRecord(state, tries, ...)
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    if not value or not string.find(value, '^%d+$') then
      return false
    end
  end
  return state and tries and string.find(state, '^[FHDXO]$') ~= nil and string.find(tries, '^-?%d+$') ~= nil
end

-- The attempts without an unconfirmed grant.
local function made(tries)
  return tries < 0 and -tries - 1 or tries
end

-- Larger than the last, and never beyond what JSON and Lua can count.
local function nextFence(last, now)
  local fence = math.max(last + 1, now)
  if fence > 9007199254740991 then
    return nil
  end
  return number(fence)
end

local function noFence()
  return redis.error_reply('FENCE There is no larger fence than the one this key has.')
end

-- A full server refuses whatever may need memory, unless the script has written before. What gives memory back, or needs
-- no more of it, must not be refused.
local function insist(key, ...)
  local done = redis.pcall('HSET', key, ...)
  if type(done) == 'table' and done.err then
    redis.call('HDEL', key, 'exp')
    redis.call('HSET', key, ...)
  end
end
