package dev.leasehold.benchmarks;

import java.util.List;

/** The shortest scripts that make a lease with a fence, by the server's clock. The record is a hash. */
final class RedisFloor {
    static final String PREFIX = "floor:";

    private static final String NOW = "local t = redis.call('TIME') local now = t[1] * 1000000 + t[2] ";

    /** KEYS: the lease. ARGV: nonce, TTL in microseconds. Gives the fence, or nothing. */
    static final String ACQUIRE = NOW
            + "local r = redis.call('HMGET', KEYS[1], 'fence', 'exp') "
            + "if r[2] and tonumber(r[2]) > now then return false end "
            + "local fence = (r[1] or 0) + 1 "
            + "redis.call('HSET', KEYS[1], 'nonce', ARGV[1], 'fence', fence,"
            + " 'exp', string.format('%.0f', now + ARGV[2])) "
            + "return fence";

    /** KEYS: the lease. ARGV: nonce. */
    static final String RELEASE = "if redis.call('HGET', KEYS[1], 'nonce') ~= ARGV[1] then return 0 end "
            + "redis.call('HSET', KEYS[1], 'nonce', '', 'exp', '0') "
            + "return 1";

    /** KEYS: leases. ARGV: nonce, TTL in microseconds. Gives how many were renewed. */
    static final String RENEW = NOW
            + "local till = string.format('%.0f', now + ARGV[2]) local renewed = 0 "
            + "for _, key in ipairs(KEYS) do "
            + "if redis.call('HGET', key, 'nonce') == ARGV[1] then "
            + "redis.call('HSET', key, 'exp', till) renewed = renewed + 1 end end "
            + "return renewed";

    /** KEYS: the lease, its line. ARGV: nonce, TTL, node, 1 to stand in line. Gives 1 if the lease is the nonce's. */
    static final String TAKE = NOW
            + "local r = redis.call('HMGET', KEYS[1], 'fence', 'exp', 'nonce') "
            + "if r[3] == ARGV[1] then return 1 end "
            + "if not r[2] or tonumber(r[2]) <= now then "
            + "redis.call('HSET', KEYS[1], 'nonce', ARGV[1], 'fence', (r[1] or 0) + 1,"
            + " 'exp', string.format('%.0f', now + ARGV[2])) "
            + "redis.call('LREM', KEYS[2], 1, ARGV[1] .. ARGV[3]) return 1 end "
            + "if ARGV[4] == '1' then redis.call('RPUSH', KEYS[2], ARGV[1] .. ARGV[3]) end "
            + "return 0";

    /** KEYS: the lease, its line. ARGV: nonce, TTL, prefix of the nodes' lists. Tells the next in line. */
    static final String HAND_OVER = NOW
            + "if redis.call('HGET', KEYS[1], 'nonce') ~= ARGV[1] then return 0 end "
            + "local next = redis.call('LPOP', KEYS[2]) "
            + "if not next then redis.call('HSET', KEYS[1], 'nonce', '', 'exp', '0') return 1 end "
            + "local nonce = string.sub(next, 1, 32) "
            + "redis.call('HSET', KEYS[1], 'nonce', nonce, 'exp', string.format('%.0f', now + ARGV[2])) "
            + "redis.call('HINCRBY', KEYS[1], 'fence', 1) "
            + "redis.call('RPUSH', ARGV[3] .. string.sub(next, 33), nonce) "
            + "return 1";

    private RedisFloor() {}

    static List<String> at(String key) {
        return List.of(PREFIX + key);
    }
}
