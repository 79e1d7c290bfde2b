package dev.leasehold.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks, with a time to live where they are not kept, and its watchdog where they are. */
final class RedissonContestant implements Contestant.Keeps, Contestant.Queues {
    private final boolean isFair;

    /** Its fair lock, which has a line, or the plain one. */
    RedissonContestant(boolean isFair) {
        this.isFair = isFair;
    }

    @Override
    public String name() {
        return isFair ? "redisson-fair" : "redisson";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.REDIS;
    }

    private RLock lock(RedissonClient client, String key) {
        String place = name() + ":" + key;
        return isFair ? client.getFairLock(place) : client.getLock(place);
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        return node(bed, cell, client -> key -> {
            RLock lock = lock(client, key);
            return lock.tryLock(0, cell.ttl().toMillis(), TimeUnit.MILLISECONDS)
                    ? Optional.of(lock::unlock)
                    : Optional.empty();
        });
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        return node(bed, cell, client -> key -> {
            RLock lock = lock(client, key);
            lock.lock(cell.ttl().toMillis(), TimeUnit.MILLISECONDS);
            return lock::unlock;
        });
    }

    @Override
    public Node<Worker.Keeper> keeping(Bed bed, Cell cell) {
        return node(bed, cell, Kept::new);
    }

    private static <W extends Worker> Node<W> node(Bed bed, Cell cell, Function<RedissonClient, W> workers) {
        RedisBed redis = RedisBed.of(bed);
        Config config = new Config();
        config.setPassword(redis.password);
        config.setLockWatchdogTimeout(cell.ttl().toMillis());
        config.useSingleServer()
                .setAddress("redis://" + redis.host + ":" + redis.port)
                .setDatabase(redis.database)
                // The fair lock subscribes for each waiting thread, and fails if there are too many for the default of
                // 5.
                .setSubscriptionsPerConnection(Math.max(5, cell.threads));
        RedissonClient client = Redisson.create(config);
        return new Node<>(() -> workers.apply(client), () -> client.shutdown(0, 1, TimeUnit.SECONDS));
    }

    private final class Kept implements Worker.Keeper {
        private static final int MANY_THREADS = 10;

        private final RedissonClient client;

        Kept(RedissonClient client) {
            this.client = client;
        }

        @Override
        public void keep(List<String> keys) throws Exception {
            Parallel.forEach(keys, MANY_THREADS, key -> {
                if (!lock(client, key).tryLock()) {
                    throw new IllegalStateException("No lock on " + key);
                }
            });
        }

        /** It tells nobody. */
        @Override
        public long lost() {
            return 0;
        }
    }
}
