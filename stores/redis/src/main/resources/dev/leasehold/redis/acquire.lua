-- KEYS: the record. ARGV: nonce, owner, ttl, lock delay, life of a place, whether a cooldown is ignored, fingerprint,
-- fence that was seen unmoved, node.
local key, nonce, owner, ttl, print = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[7]
local record = redis.call(
  'HMGET', key, 'state', 'nonce', 'fence', 'exp', 'tomb', 'owner', 'ttl', 'since', 'tries', 'print', 'kept', 'pre',
  'cool', 'line')
local state, holder, fence, expiry, tomb = record[1], record[2], record[3], tonumber(record[4]) or 0, record[5]
local holdersTtl, tries, recorded, kept, pre = record[7], tonumber(record[9]) or 0, record[10], record[11], record[12]
local cooldown, line = record[13], record[14]

local function granted(number, remaining, attempt, from, hasData)
  return { 'G', number, remaining, attempt, from or false, hasData and redis.call('HGET', key, 'data') }
end

-- To whom the run goes on, if it does, and from whom.
local function grant(goesOn, from)
  local larger = nextFence(fence or 0, now)
  if not larger then
    return noFence()
  end
  local attempt = number(goesOn and math.min(made(tries) + 1, 2147483647) or 1)
  redis.call(
    'HSET', key, 'state', HELD, 'nonce', nonce, 'fence', larger, 'exp', number(now + ttl), 'owner', owner, 'ttl', ttl,
    'since', number(now), 'tries', attempt)
  if print ~= '' then
    redis.call('HSET', key, 'print', print, 'more', '1')
  elseif recorded and not goesOn then
    redis.call('HDEL', key, 'print')
  end
  if from then
    redis.call('HSET', key, 'pre', from, 'more', '1')
  elseif pre then
    redis.call('HDEL', key, 'pre')
  end
  if cooldown then
    redis.call('HDEL', key, 'cool')
  end
  if kept and not goesOn then
    redis.call('HDEL', key, 'kept', 'data')
  end
  if line then
    leaveLine(key, line, nonce)
  end
  return granted(larger, ttl, attempt, from, kept and goesOn)
end

-- A place that is still fresh is left alone, so that a poll only reads.
local function standInLine(life)
  local own = place(key, nonce)
  if own and own.till - now > life / 2 then
    return
  end
  local alive = living(key, line or '', now, nonce)
  if not own then
    alive[#alive + 1] = { nonce = nonce }
  end
  redis.call(
    'HSET', key, 'more', '1', 'p' .. nonce,
    table.concat({ number(own and own.since or now), number(now + life), ttl, ARGV[9], owner, print }, '\n'))
  keepLine(key, alive)
end

if not state and redis.call('EXISTS', key) == 0 then
  return grant(false)
end
if not isRecord(state, record[9], fence, record[4], holdersTtl, record[8]) or not (holder and record[6]) then
  return redis.error_reply('FOREIGN Something else is in the place of a record.')
end
if tomb == nonce then
  return { 'S' }
end
if state == HELD and holder == nonce then
  local attempt = number(math.abs(tries))
  insist(key, 'exp', number(now + holdersTtl), 'tries', attempt)
  return granted(fence, holdersTtl, attempt, pre, kept)
end
local isForgotten = state ~= HELD and state ~= FREE and expiry <= now
if not isForgotten and recorded and print ~= '' and recorded ~= print then
  return { 'M', fence, state }
end
if state == FREE then
  local left = expiry - now
  if left > 0 and left <= tonumber(cooldown or 0) and ARGV[6] == '0' then
    return { 'C', number(left) }
  end
  return grant(true)
end
if state == HELD then
  local isFromTheFuture = fence == ARGV[8] and expiry > now + holdersTtl
  if expiry + ARGV[4] <= now or isFromTheFuture then
    -- A run that was handed over begins after it is confirmed, so a waiter that did not is no predecessor.
    return grant(true, tries >= -1 and fence .. '\n' .. record[6])
  end
  if ARGV[5] ~= '0' then
    standInLine(tonumber(ARGV[5]))
  end
  return {
    'H', record[6], fence, number(math.max(0, expiry - now)), holdersTtl, number(math.max(0, now - record[8]))
  }
end
if isForgotten then
  return grant(false)
end
return { 'A', state, fence, number(expiry - now), record[9], kept and redis.call('HGET', key, 'data') }
