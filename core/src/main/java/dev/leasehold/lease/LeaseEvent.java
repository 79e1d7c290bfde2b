package dev.leasehold.lease;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Owner;
import dev.leasehold.store.State;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a lease or to a call for one.
 *
 * <p>A lease is acquired, then renewed any number of times, perhaps at risk or suspect in between, and ends with exactly
 * one of released, settled, lost or cleanup-warning. Two kinds of event may follow lost: an error, if renewing cannot
 * succeed; and, in the scoped form, released or cleanup-warning when the work has ended. A call that gets no lease ends
 * with refused or error, unless its caller gave it up.
 */
public sealed interface LeaseEvent {
    Source source();

    /** The event's name, such as {@code lock:acquired}. */
    String type();

    /**
     * What an event is about.
     *
     * @param leaseId names the call and the lease it got
     * @param backend the name of the store
     * @param owner who holds the lease, or wants it
     * @param fence of the lease; {@code null} while there is none
     */
    record Source(
            Instant at,
            String leaseId,
            String backend,
            Key scope,
            Owner owner,
            @Nullable Fence fence) {}

    /**
     * A call got its lease.
     *
     * @param attempt how many requests it took
     * @param waited how long the call took
     */
    record Acquired(Source source, int attempt, Duration waited) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:acquired";
        }
    }

    record Renewed(Source source, Instant expiresAt) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:renewed";
        }
    }

    /** Renewals are late: unless one gets through, the lease is lost at that moment. */
    record AtRisk(Source source, Instant expiresAt) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:at-risk";
        }
    }

    /** The process's clock stood still: the lease is not valid until a renewal says so. */
    record Suspect(Source source) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:suspect";
        }
    }

    /**
     * The lease is not its holder's any more.
     *
     * @param why the reason in words, without the key
     * @param error with the code {@code lock-renewal-failed}; its message has the key, the reason and what to do next
     * @param isTaken whether the store said so: another holder has it, or nobody. Otherwise this process's clock decided
     */
    record Lost(Source source, String why, LeaseException error, boolean isTaken) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:lost";
        }
    }

    record Released(Source source) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:released";
        }
    }

    /**
     * A run ended with its answer.
     *
     * @param as done, failed or on hold; {@code null} if it was settled by other means, such as a transaction
     */
    record Settled(Source source, @Nullable State as) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:settled";
        }
    }

    /** An attempt to acquire or renew failed and will be made again. */
    record Retry(Source source, int attempt, Duration delay, Reason reason) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:retry";
        }
    }

    /**
     * A call that did not wait, or that is for a run, was not granted the lease: an ordinary outcome. One that waited in
     * vain is told of as an error.
     *
     * @param waited how long the call took
     */
    record Refused(Source source, Acquisition.Refused refusal, Duration waited) implements LeaseEvent {
        /** Who has it, or what else is in the way, in words. */
        public String why() {
            return refusal.why();
        }

        @Override
        public String type() {
            return "lock:refused";
        }
    }

    /**
     * The lease could not be given back. The next acquire tries again first, and the lease expires by itself within its
     * TTL, unless it never expires. An abandoned lease and a lost run are left to their expiry.
     */
    record CleanupWarning(Source source, LeaseException error) implements LeaseEvent {
        public String message() {
            return String.valueOf(error.getMessage());
        }

        @Override
        public String type() {
            return "lock:cleanup-warning";
        }
    }

    /**
     * A call ended without a lease, or a lease cannot be kept, and trying again is of no use.
     *
     * @param waited how long the call took; zero if it is about a lease
     */
    record Failed(Source source, LeaseException error, Duration waited) implements LeaseEvent {
        @Override
        public String type() {
            return "lock:error";
        }
    }

    /** Why something is tried again. */
    enum Reason {
        CONTENDED("contended"),
        UNAVAILABLE("unavailable"),
        TRANSIENT_ERROR("transient-error");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
