package dev.leasehold.redis;

import dev.leasehold.wire.Lanes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** One server, and the lanes to it: a few for all calls, and one that is kept for renewals. */
final class Node implements AutoCloseable {
    private static final Pipeline PIPELINE = new Pipeline();

    private final Supplier<Connection> connections;
    private final Lanes<RedisLane, JedisException> lanes;
    private final Lanes<RedisLane, JedisException> spare;

    Node(Supplier<Connection> connections, int most, Duration callLimit) {
        this.connections = connections;
        this.lanes = new Lanes<>(new RedisSource(connections, callLimit), most, most, callLimit);
        this.spare = new Lanes<>(new RedisSource(connections, callLimit), 1, 1, callLimit);
    }

    /** Whatever is asked while all lanes are busy goes together with the next that finds one free, whatever it is about. */
    private static final class Pipeline implements Lanes.Batch<RedisLane, Call, Reply, JedisException> {
        @Override
        public Object key(Call call) {
            return call;
        }

        @Override
        public Reply alone(RedisLane lane, Call call) {
            return lane.ask(List.of(call)).get(0);
        }

        @Override
        public List<Optional<Reply>> together(RedisLane lane, List<Call> calls) {
            List<Optional<Reply>> replies = new ArrayList<>(calls.size());
            for (Reply reply : lane.ask(calls)) {
                replies.add(Optional.of(reply));
            }
            return replies;
        }
    }

    Reply ask(Call call) {
        return lanes.run(PIPELINE, call);
    }

    /** In one trip. */
    List<Reply> ask(List<Call> calls) {
        return lanes.run(lane -> lane.ask(calls));
    }

    /** The same, without waiting for other calls. */
    List<Reply> askAtOnce(List<Call> calls) {
        return (spare.isFree() ? spare : lanes).run(lane -> lane.ask(calls));
    }

    /** Whether it was reached the last time, and could be asked at once. */
    boolean isOpen() {
        return lanes.isOpen();
    }

    /** One more connection. */
    Connection connect() {
        return connections.get();
    }

    @Override
    public void close() {
        lanes.close();
        spare.close();
    }
}
