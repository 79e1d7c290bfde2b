package dev.leasehold.benchmarks;

import java.util.List;
import java.util.function.Function;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's locks in Redis, of the kind that is told by publish and subscribe, which it prefers. */
final class SpringRedisContestant implements Contestant.Keeps, Contestant.Queues {
    private static final int RENEWING_THREADS = 4;
    /** It forgets locks beyond its capacity, also those that are held, and then renews them no more. */
    private static final int KEPT_CAPACITY = 1 << 17;

    @Override
    public String name() {
        return "spring-integration";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.REDIS;
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        return node(bed, cell, registry -> key -> JavaLocks.tryAcquire(registry.obtain(key)));
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        return node(bed, cell, registry -> key -> JavaLocks.acquire(registry.obtain(key)));
    }

    @Override
    public Node<Worker.Keeper> keeping(Bed bed, Cell cell) {
        return node(bed, cell, Kept::new);
    }

    private static <W extends Worker> Node<W> node(Bed bed, Cell cell, Function<RedisLockRegistry, W> workers) {
        LettuceConnectionFactory factory = SpringRedis.to(bed);
        RedisLockRegistry registry = new RedisLockRegistry(factory, "spring", cell.ttl());
        registry.setRedisLockType(RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
        return new Node<>(() -> workers.apply(registry), () -> {
            registry.destroy();
            factory.destroy();
        });
    }

    private static final class Kept implements Worker.Keeper {
        private final RedisLockRegistry registry;
        private final ThreadPoolTaskScheduler renewing = new ThreadPoolTaskScheduler();

        Kept(RedisLockRegistry registry) {
            this.registry = registry;
            registry.setCacheCapacity(KEPT_CAPACITY);
            renewing.setPoolSize(RENEWING_THREADS);
            renewing.initialize();
            registry.setRenewalTaskScheduler(renewing);
        }

        /** On one thread: it has fewer locks inside than keys, and threads would be in each other's way. */
        @Override
        public void keep(List<String> keys) {
            for (String key : keys) {
                if (!registry.obtain(key).tryLock()) {
                    throw new IllegalStateException("No lock on " + key);
                }
            }
        }

        /** It tells nobody. */
        @Override
        public long lost() {
            return 0;
        }

        @Override
        public void close() {
            renewing.destroy();
        }
    }
}
