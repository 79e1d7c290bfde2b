package dev.leasehold.tck.sim;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store as a client sees it: every verb is caught before it does anything, to be sent over the wire. */
final class StoreView implements LeaseStore {
    private final Duration shortestTtl;
    private @Nullable Consumer<WakeUp> listener;

    StoreView(Duration shortestTtl) {
        this.shortestTtl = shortestTtl;
    }

    private static final class Caught extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient WireRequest request;

        Caught(WireRequest request) {
            super("caught", null, false, false);
            this.request = request;
        }
    }

    /** The request that this call would make. */
    <T> WireRequest capture(Supplier<T> verb) {
        try {
            T result = verb.get();
            throw new IllegalStateException("A store call went past the wire and gave " + result);
        } catch (Caught caught) {
            return caught.request;
        }
    }

    void tell(WakeUp wakeUp) {
        if (listener != null) {
            listener.accept(wakeUp);
        }
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        throw new Caught(new WireRequest.Acquire(request));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        throw new Caught(new WireRequest.Renew(leases));
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        throw new UnsupportedOperationException("Simulated clients keep their TTL.");
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        throw new Caught(new WireRequest.Release(request));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        throw new Caught(new WireRequest.Settle(request));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        throw new UnsupportedOperationException("Simulated clients do not look around.");
    }

    @Override
    public Page list(ListRequest request) {
        throw new UnsupportedOperationException("Simulated clients do not look around.");
    }

    @Override
    public int purge(Duration retained, int limit) {
        throw new UnsupportedOperationException("Simulated clients do not purge.");
    }

    @Override
    public Optional<Subscription> onWakeUp(Consumer<WakeUp> told) {
        listener = told;
        return Optional.of(() -> listener = null);
    }

    @Override
    public Duration shortestTtl() {
        return shortestTtl;
    }

    @Override
    public void close() {}
}
