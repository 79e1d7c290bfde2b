-- The server's clock in µs, read once: as a number, and as it is written. To write a large number takes as long as to find
-- a field, and nearly every script needs this one.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stamp = time[1] .. string.format('%06d', time[2])
