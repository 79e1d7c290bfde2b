package dev.leasehold.redis;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisCluster;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import redis.clients.jedis.Protocol.Command;

/**
 * Redis under the contract, each test with a prefix of its own. The server's clock cannot be moved, so what is stored is
 * moved instead.
 */
final class RedisUnderTest implements StoreUnderTest {
    /** KEYS: a record. ARGV: microseconds to be added to all its times. */
    private static final byte[] MOVE = Bytes.of("""
            local function moved(text)
              return string.format('%.0f', text + ARGV[1])
            end
            local function move(field)
              local value = redis.call('HGET', KEYS[1], field)
              if value then
                redis.call('HSET', KEYS[1], field, moved(value))
              end
            end
            move('exp')
            move('since')
            if redis.call('HGET', KEYS[1], 'state') == 'F' then
              move('fence')
            end
            for nonce in string.gmatch(redis.call('HGET', KEYS[1], 'line') or '', string.rep('.', 32)) do
              local place = redis.call('HGET', KEYS[1], 'p' .. nonce)
              if place then
                local since, till, rest = string.match(place, '^(.-)\\n(.-)\\n(.*)$')
                redis.call('HSET', KEYS[1], 'p' .. nonce, moved(since) .. '\\n' .. moved(till) .. '\\n' .. rest)
              end
            end
            """);

    private final String url;
    private final String prefix = "test " + UUID.randomUUID() + ":";
    private final Redis redis;

    private RedisUnderTest(String url) {
        this.url = url;
        this.redis = RedisLeaseStore.builder(url).redis();
    }

    /** On the server that all tests of this JVM share. */
    static RedisUnderTest single() {
        return new RedisUnderTest(RedisServer.shared(Config.relaxed()).url());
    }

    /** On the cluster that all tests of this JVM share. */
    static RedisUnderTest cluster() {
        return new RedisUnderTest(SharedCluster.URL);
    }

    /** Started when it is first needed; it ends with the JVM. */
    static final class SharedCluster {
        static final RedisCluster CLUSTER = RedisCluster.start(Config.relaxed());
        static final String URL = url(CLUSTER);

        private SharedCluster() {}
    }

    static String url(RedisCluster cluster) {
        return cluster.nodes().stream()
                .map(node -> node.host() + ":" + node.port())
                .collect(Collectors.joining(
                        ",", "redis-cluster://:" + cluster.nodes().get(0).password() + "@", ""));
    }

    @Override
    public StoreTraits traits() {
        return StoreTraits.inMovedTime().tellingWakeUps();
    }

    @Override
    public LeaseStore open() {
        return RedisLeaseStore.builder(url).prefix(prefix).acceptingLostWrites().open();
    }

    @Override
    public void lose(Key key) {
        Keyspace keys = new Keyspace(prefix);
        byte[] place = keys.of(key);
        redis.ask(redis.nodes.owner(redis.nodes.slot(place)), Call.of(Command.DEL, place));
    }

    @Override
    public void elapse(Duration time) {
        move(-Micros.of(time));
    }

    @Override
    public void setBack(Duration by) {
        move(Micros.of(by));
    }

    private void move(long micros) {
        byte[] pattern = new Keyspace(prefix).pattern("");
        for (Node node : redis.nodes.all()) {
            byte[] cursor = Bytes.NO;
            do {
                Call scan =
                        Call.of(Command.SCAN, cursor, Bytes.of("MATCH"), pattern, Bytes.of("COUNT"), Bytes.of(10_000));
                List<?> answer = (List<?>) Objects.requireNonNull(redis.ask(node, scan));
                cursor = (byte[]) answer.get(0);
                List<Call> moves = ((List<?>) answer.get(1))
                        .stream()
                                .map(place -> Call.of(Command.EVAL, MOVE, Bytes.YES, (byte[]) place, Bytes.of(micros)))
                                .toList();
                node.ask(moves);
            } while (!Bytes.text(cursor).equals("0"));
        }
    }

    @Override
    public void close() {
        redis.close();
    }
}
