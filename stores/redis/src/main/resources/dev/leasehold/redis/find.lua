-- KEYS: the record. Gives the time and all of the record; nothing of it if something else is in its place.
local record = redis.pcall('HGETALL', KEYS[1])
return { number(now), record.err and {} or record }
