package dev.leasehold.faults;

import dev.leasehold.servers.RedisServer;

/** Records in Redis, as whoever has a prompt finds them. */
record RedisRecords(RedisServer server) implements Bed.Records {
    private static final String DELETE = """
            local count = 0
            for _, key in ipairs(redis.call('KEYS', 'leasehold:*')) do
              if redis.call('TYPE', key).ok == 'hash' then
                count = count + redis.call('DEL', key)
              end
            end
            return count
            """;

    @Override
    public int delete() {
        return Integer.parseInt(server.call("EVAL", DELETE, "0").get(0));
    }
}
