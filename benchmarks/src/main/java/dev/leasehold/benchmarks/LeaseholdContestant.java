package dev.leasehold.benchmarks;

import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.AnswerCache;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Once;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Key;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/** Leasehold as its users call it. */
final class LeaseholdContestant implements Contestant {
    @Override
    public String name() {
        return "leasehold";
    }

    @Override
    public boolean takesPart(Cell cell, StoreKind store) {
        return true;
    }

    @Override
    public void createTables(DataSource source, StoreKind store) {
        JdbcLeaseStore.createSchema(source);
    }

    @Override
    public Node open(DataSource source, StoreKind store, Cell cell) {
        return new Client(JdbcLeaseStore.of(source), cell);
    }

    /** Free records as a release leaves them, too young to be purged. */
    @Override
    public String fill(StoreKind store) {
        String now = Long.toString(System.currentTimeMillis() * 1_000);
        String key =
                store == StoreKind.MARIADB ? "concat('" + KeySpace.PREFIX + "', i)" : "'" + KeySpace.PREFIX + "' || i";
        String tombstone = "'" + "0".repeat(32) + "'";
        return "INSERT INTO leasehold_lease (k, state, tombstone, fence, expiry, ttl, since, cooldown, attempts) {s} SELECT "
                + key + ", 'F', " + tombstone + ", " + now + ", " + now + ", 30000000, " + now + ", 0, 0 FROM s";
    }

    private static final class Client implements Node {
        private static final int MANY_THREADS = 64;
        private static final int CACHED = 10_000;

        private final LeaseOptions skip;
        private final LeaseOptions wait;
        private final RunSpec<String> spec;
        private final JdbcLeaseStore store;
        private final Leases leases;
        private final ConcurrentLinkedQueue<Lease> kept = new ConcurrentLinkedQueue<>();

        Client(JdbcLeaseStore store, Cell cell) {
            Duration ttl = cell.ttl();
            RunSpec<String> plain = RunSpec.of(Codec.utf8());
            this.spec = cell == Cell.W6_CACHE ? plain.withLocalCache(AnswerCache.of(CACHED, CACHED * 1_000L)) : plain;
            this.skip = LeaseOptions.noWait().withTtl(ttl);
            this.wait = LeaseOptions.waitFor(Duration.ofMinutes(1)).withTtl(ttl);
            this.store = store;
            this.leases = Leases.on(store);
        }

        @Override
        public Worker worker() {
            return new Worker() {
                @Override
                public Optional<Hold> tryAcquire(String key) {
                    return leases.tryAcquire(Key.of(key), skip) instanceof Acquisition.Acquired got
                            ? Optional.of(got.lease()::release)
                            : Optional.empty();
                }

                @Override
                public String once(String key) throws Exception {
                    return Once.on(leases, Key.of(key), spec)
                            .run(run -> key)
                            .toOptional()
                            .orElse("");
                }

                @Override
                public Hold acquire(String key) throws InterruptedException {
                    return got(leases.acquire(Key.of(key), wait), key)::release;
                }
            };
        }

        private static Lease got(Acquisition acquisition, String key) {
            if (acquisition instanceof Acquisition.Acquired got) {
                return got.lease();
            }
            throw new IllegalStateException("No lease on " + key + ": " + acquisition);
        }

        @Override
        public void keep(List<String> keys) throws Exception {
            Parallel.forEach(keys, MANY_THREADS, key -> kept.add(got(leases.tryAcquire(Key.of(key), skip), key)));
        }

        @Override
        public long lost() {
            return kept.stream().filter(lease -> !lease.isValid()).count();
        }

        @Override
        public void close() {
            leases.close();
            store.close();
        }
    }
}
