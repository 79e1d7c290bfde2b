-- The server's clock in µs, read once.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
