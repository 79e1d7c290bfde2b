package dev.leasehold.tck.lease;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreProvider;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.tck.ForwardingStore;
import dev.leasehold.tck.Threads;
import java.util.Set;

/** A store, to be opened by URL, that answers releases when the test wants it, and refuses them once it is closed. */
public final class SlowReleaseStore extends ForwardingStore {
    private volatile boolean isReleasing;
    private volatile boolean mayAnswer;
    private volatile boolean isClosed;
    private volatile boolean wasClosedTooEarly;

    private SlowReleaseStore() {
        super(new MemoryLeaseStore());
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        isReleasing = true;
        Threads.eventually("the test lets the store answer", () -> mayAnswer);
        if (isClosed) {
            wasClosedTooEarly = true;
            throw new StoreUnavailableException("The store was closed.");
        }
        return super.release(request);
    }

    @Override
    public void close() {
        isClosed = true;
    }

    void answer() {
        mayAnswer = true;
    }

    boolean isReleasing() {
        return isReleasing;
    }

    boolean isClosed() {
        return isClosed;
    }

    boolean wasClosedTooEarly() {
        return wasClosedTooEarly;
    }

    /** Opens it for {@code slow-release:}. */
    public static final class Provider implements StoreProvider {
        @Override
        public Set<String> schemes() {
            return Set.of("slow-release");
        }

        @Override
        public LeaseStore open(StoreUrl url) {
            return new SlowReleaseStore();
        }
    }
}
