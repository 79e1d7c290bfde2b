package dev.leasehold.benchmarks;

import dev.leasehold.firestore.FirestoreLeaseStore;
import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.AnswerCache;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Once;
import dev.leasehold.once.RunSpec;
import dev.leasehold.redis.RedisLeaseStore;
import dev.leasehold.redis.RedisLeaseStoreBuilder;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Leasehold as its users call it. */
final class LeaseholdContestant
        implements Contestant.Grows, Contestant.KeepsMany, Contestant.Queues, Contestant.Caches, Contestant.Starts {
    private static final int CACHED = 10_000;
    private static final String NOBODY = "0".repeat(32);

    @Override
    public String name() {
        return "leasehold";
    }

    @Override
    public void createTables(Bed bed) {
        if (bed.store.isSql()) {
            JdbcLeaseStore.createSchema(bed.source());
        }
    }

    /** Free records as a release leaves them, too young to be purged. */
    @Override
    public String fill(StoreKind store) {
        String now = Long.toString(System.currentTimeMillis() * 1_000);
        if (store == StoreKind.REDIS) {
            return "redis.call('HSET', '" + RedisLeaseStoreBuilder.PREFIX + KeySpace.PREFIX
                    + "' .. i, 'state', 'F', 'tomb', '"
                    + NOBODY + "', 'nonce', '" + NOBODY + "', 'fence', '" + now + "', 'exp', '" + now
                    + "', 'owner', 'bench', 'ttl', '30000000', 'since', '" + now + "', 'tries', '0')";
        }
        String key =
                store == StoreKind.MARIADB ? "concat('" + KeySpace.PREFIX + "', i)" : "'" + KeySpace.PREFIX + "' || i";
        return "INSERT INTO leasehold_lease (k, state, tombstone, fence, expiry, ttl, since, cooldown, attempts) {s} SELECT "
                + key + ", 'F', '" + NOBODY + "', " + now + ", " + now + ", 30000000, " + now + ", 0, 0 FROM s";
    }

    @Override
    public ProcessBuilder command(Bed bed, String key) {
        return Programs.leasehold(bed, key);
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        return locking(open(bed), cell);
    }

    static Node<Worker.Locker> locking(LeaseStore store, Cell cell) {
        LeaseOptions skip = LeaseOptions.noWait().withTtl(cell.ttl());
        return node(
                store,
                leases -> key -> leases.tryAcquire(Key.of(key), skip) instanceof Acquisition.Acquired got
                        ? Optional.of(got.lease()::release)
                        : Optional.empty());
    }

    @Override
    public Node<Worker.Keeper> keeping(Bed bed, Cell cell) {
        return keeping(open(bed), cell);
    }

    static Node<Worker.Keeper> keeping(LeaseStore store, Cell cell) {
        LeaseOptions skip = LeaseOptions.noWait().withTtl(cell.ttl());
        return node(store, leases -> new Kept(leases, skip, new ConcurrentLinkedQueue<>()));
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        LeaseOptions wait = LeaseOptions.waitFor(Worker.Waiter.PATIENCE).withTtl(cell.ttl());
        return node(bed, leases -> key -> {
            if (leases.acquire(Key.of(key), wait) instanceof Acquisition.Acquired got) {
                return got.lease()::release;
            }
            throw new TimeoutException("No lease on " + key + " within " + Worker.Waiter.PATIENCE);
        });
    }

    @Override
    public Node<Worker.Runner> running(Bed bed, Cell cell) {
        return running(bed, RunSpec.of(Codec.utf8()));
    }

    @Override
    public Node<Worker.Runner> caching(Bed bed, Cell cell) {
        AnswerCache cache = AnswerCache.of(CACHED, CACHED * 1_000L);
        return running(bed, RunSpec.of(Codec.utf8()).withLocalCache(cache));
    }

    private static Node<Worker.Runner> running(Bed bed, RunSpec<String> spec) {
        return node(
                bed,
                leases -> key -> Once.on(leases, Key.of(key), spec)
                        .run(run -> key)
                        .toOptional()
                        .orElse(""));
    }

    private static <W extends Worker> Node<W> node(Bed bed, Function<Leases, W> workers) {
        return node(open(bed), workers);
    }

    /** A client of its own on this store, both of which it closes. */
    static <W extends Worker> Node<W> node(LeaseStore store, Function<Leases, W> workers) {
        Leases leases = Leases.on(store);
        return new Node<>(() -> workers.apply(leases), () -> {
            leases.close();
            store.close();
        });
    }

    static LeaseStore open(Bed bed) {
        return switch (bed.store) {
            case POSTGRES, MARIADB, SQLITE ->
                JdbcLeaseStore.builder(bed.source()).connections(4).open();
            case REDIS -> RedisLeaseStore.builder(bed.url).acceptingLostWrites().open();
            case FIRESTORE ->
                FirestoreLeaseStore.builder(FirestoreBed.of(bed).firestore).open();
        };
    }

    private static Lease got(Acquisition acquisition, String key) {
        if (acquisition instanceof Acquisition.Acquired got) {
            return got.lease();
        }
        throw new IllegalStateException("No lease on " + key + ": " + acquisition);
    }

    private record Kept(Leases leases, LeaseOptions skip, Queue<Lease> kept) implements Worker.Keeper {
        private static final int MANY_THREADS = 64;

        @Override
        public void keep(List<String> keys) throws Exception {
            Parallel.forEach(keys, MANY_THREADS, key -> kept.add(got(leases.tryAcquire(Key.of(key), skip), key)));
        }

        @Override
        public long lost() {
            return kept.stream().filter(lease -> !lease.isValid()).count();
        }
    }
}
