package dev.leasehold.benchmarks;

import java.util.List;
import redis.clients.jedis.Protocol.Command;

/**
 * The floor of W3 on Redis: a list of those who wait, and a release that hands the lease to the first of them and pushes
 * that on a list of its node, all in one script. The node waits for its list, so one connection does everything.
 */
final class RedisLine implements Worker.Waiter {
    /** How long to wait before looking, in seconds: a release may just have missed us. */
    private static final String POLL = "0.1";

    private static final String TOLD = RedisFloor.PREFIX + "told:";

    private final RedisCalls calls;
    private final RedisCalls.Script take;
    private final RedisCalls.Script handOver;
    private final String ttl;
    private final String node = Nonces.fresh();

    RedisLine(RedisBed bed, Cell cell) {
        this.calls = new RedisCalls(bed);
        this.take = calls.load(RedisFloor.TAKE);
        this.handOver = calls.load(RedisFloor.HAND_OVER);
        this.ttl = RedisFloorContestant.micros(cell);
    }

    @Override
    public Hold acquire(String key) {
        String nonce = Nonces.fresh();
        List<String> places = List.of(RedisFloor.PREFIX + key, RedisFloor.PREFIX + "line:" + key);
        boolean isOurs = takes(places, nonce, "1");
        while (!isOurs) {
            isOurs = isTold(nonce) || takes(places, nonce, "0");
        }
        return () -> calls.run(handOver, places, nonce, ttl, TOLD);
    }

    private boolean takes(List<String> places, String nonce, String stands) {
        return Long.valueOf(1).equals(calls.run(take, places, nonce, ttl, node, stands));
    }

    /** What was told to an earlier call that found out by itself is passed over. */
    private boolean isTold(String nonce) {
        List<?> told = (List<?>) calls.run(Command.BLPOP, TOLD + node, POLL);
        return told != null && nonce.equals(RedisCalls.text(told.get(1)));
    }

    @Override
    public void close() {
        calls.close();
    }
}
