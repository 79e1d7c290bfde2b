package dev.leasehold.tck.sim;

import dev.leasehold.lease.LeasesBuilder;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A bug planted in a simulation, to see that it is found. Without one, all methods leave things as they are. A new
 * object is made for each seed, so it may keep state.
 */
public interface Sabotage {
    /** No bug. */
    Sabotage NONE = new Sabotage() {};

    /** The store to be used instead. */
    default LeaseStore store(LeaseStore healthy, LongSupplier clockMicros) {
        return healthy;
    }

    /** The client's settings. */
    default LeasesBuilder client(LeasesBuilder healthy) {
        return healthy;
    }

    /** The request to be sent instead; empty if none is. */
    default Optional<WireRequest> sent(String client, WireRequest request) {
        return Optional.of(request);
    }

    /** The reply to be delivered instead. */
    default Object received(String client, WireRequest request, Object reply, Duration sinceSent) {
        return reply;
    }

    /** A reply to be delivered although none came, or the connection broke. */
    default Optional<Object> unanswered(String client, WireRequest request) {
        return Optional.empty();
    }

    /**
     * The wake-up to be delivered instead.
     *
     * @param inLine how long before the call's last request that was refused its first one was sent
     */
    default WakeUp wokenUp(WakeUp wakeUp, Duration inLine) {
        return wakeUp;
    }

    /** A request that the client sends besides when it loses a lease. */
    default Optional<WireRequest> whenLost(LeaseRef lease) {
        return Optional.empty();
    }

    /** Whether the resource refuses fences older than the newest it has seen. */
    default boolean isResourceFenced() {
        return true;
    }
}
