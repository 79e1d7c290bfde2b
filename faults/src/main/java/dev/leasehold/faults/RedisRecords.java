package dev.leasehold.faults;

import dev.leasehold.servers.RedisServer;
import java.time.Duration;

/** Records in Redis, as whoever has a prompt finds them. */
record RedisRecords(RedisServer server) implements Bed.Records, Bed.StoreClock {
    private static final String EACH = """
            local count = 0
            for _, key in ipairs(redis.call('KEYS', 'leasehold:*')) do
              if redis.call('TYPE', key).ok == 'hash' then
                count = count + 1
                %s
              end
            end
            return count
            """;
    private static final String DELETE = EACH.formatted("redis.call('DEL', key)");
    private static final String MOVE = EACH.formatted(
            "redis.call('HSET', key, 'exp', string.format('%.0f', (redis.call('HGET', key, 'exp') or 0) - ARGV[1]))");

    @Override
    public int delete() {
        return eval(DELETE, "0");
    }

    /** Moves all expiries the other way, which is the same to the scripts. */
    @Override
    public int move(Duration by) {
        return eval(MOVE, Long.toString(by.toNanos() / 1_000));
    }

    private int eval(String script, String argument) {
        return Integer.parseInt(server.call("EVAL", script, "0", argument).get(0));
    }
}
