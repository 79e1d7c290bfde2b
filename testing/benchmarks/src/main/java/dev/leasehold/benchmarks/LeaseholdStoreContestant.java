package dev.leasehold.benchmarks;

import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Leasehold's store without its client: what the client costs is the difference. */
final class LeaseholdStoreContestant implements Contestant.Locks {
    private static final Owner OWNER = Owner.of("bench");

    @Override
    public String name() {
        return "leasehold-store";
    }

    @Override
    public void createTables(Bed bed) {
        if (bed.store.isSql()) {
            JdbcLeaseStore.createSchema(bed.source());
        }
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        LeaseStore opened = LeaseholdContestant.open(bed);
        return new Node<>(() -> key -> acquire(opened, Key.of(key), cell.ttl()), opened::close);
    }

    private static Optional<Worker.Hold> acquire(LeaseStore store, Key key, Duration ttl) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Nonce nonce = new Nonce(random.nextLong(), random.nextLong());
        AcquireResult result = store.acquire(AcquireRequest.of(key, nonce, OWNER, ttl));
        return result instanceof AcquireResult.Granted granted
                ? Optional.of(() -> store.release(ReleaseRequest.of(new LeaseRef(key, nonce, granted.fence()))))
                : Optional.empty();
    }
}
