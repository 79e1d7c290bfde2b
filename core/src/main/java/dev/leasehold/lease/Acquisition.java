package dev.leasehold.lease;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What became of a call to acquire. Being refused is a result, not an error. */
public sealed interface Acquisition {
    /** The lease is the caller's, who must release it. */
    record Acquired(Lease lease) implements Acquisition {}

    /** Not acquired: somebody holds it, it is cooling, its run is settled; {@code answer} says which. */
    record Refused(Key key, AcquireResult answer) implements Acquisition {
        /** Who has it, if the store can tell. */
        public Optional<Owner> owner() {
            return answer instanceof AcquireResult.Held held ? Optional.ofNullable(held.owner()) : Optional.empty();
        }

        /** When it makes sense to ask again, unless things change before. */
        public Duration retryAfter() {
            if (answer instanceof AcquireResult.Held held) {
                return held.remaining();
            }
            return answer instanceof AcquireResult.Cooling cooling ? cooling.remaining() : Duration.ZERO;
        }

        @Override
        public String toString() {
            return key + " is " + why();
        }

        /** Who has it, or what else is in the way, in words such as "held by ann for 2.0 s, …". */
        public String why() {
            if (answer instanceof AcquireResult.Held held && held.isLocked()) {
                return "locked by another database transaction, such as one that called fence(); try again in "
                        + seconds(held.remaining()) + " s";
            }
            if (answer instanceof AcquireResult.Held held) {
                @Nullable Owner owner = held.owner();
                return "held by " + (owner == null ? "a holder that the store does not name," : owner) + " for "
                        + seconds(held.heldFor())
                        + " s"
                        + (Micros.isForever(held.remaining())
                                ? ""
                                : ", and unless renewed for " + seconds(held.remaining()) + " s more");
            }
            if (answer instanceof AcquireResult.Cooling cooling) {
                return "cooling down for " + seconds(cooling.remaining()) + " s more";
            }
            if (answer instanceof AcquireResult.Settled settled) {
                return "settled as " + settled.settlement().state();
            }
            return answer instanceof AcquireResult.Mismatch
                    ? "in use for another request"
                    : answer instanceof AcquireResult.Missing ? "missing: there is no such record" : "not available";
        }

        /**
         * The error of a call that needs the lease: a {@link RecordNotFoundException} if the user's own record does not
         * exist. Otherwise its cause says who or what is in the way.
         */
        public LeaseException toException() {
            if (answer instanceof AcquireResult.Missing) {
                return new RecordNotFoundException(key, key.toString());
            }
            return new LeaseException(
                    LeaseException.Code.UNAVAILABLE,
                    key,
                    this + ". " + advice(),
                    new IllegalStateException(toString()));
        }

        private String advice() {
            if (answer instanceof AcquireResult.Settled) {
                return "Its answer is kept; read it instead.";
            }
            return answer instanceof AcquireResult.Mismatch
                    ? "Use another key for another request."
                    : "Wait longer, or skip the work.";
        }

        private static String seconds(Duration duration) {
            return String.format(java.util.Locale.ROOT, "%.1f", duration.toMillis() / 1000.0);
        }
    }

    /** The lease, if there is one. */
    default Optional<Lease> toOptional() {
        return this instanceof Acquired acquired ? Optional.of(acquired.lease()) : Optional.empty();
    }

    /**
     * Does the work if the lease was acquired, and releases it afterwards in any case.
     *
     * @return whether it was acquired
     * @throws LeaseLostException if the lease was lost before the work returned, as {@link Lease#close} does
     * @throws X whatever the work throws
     */
    default <X extends Exception> boolean ifAcquired(Leases.Action<X> work) throws X {
        return this instanceof Acquired acquired
                && acquired.lease().<Boolean, X>useAndClose(held -> {
                    work.run(held);
                    return true;
                });
    }

    /**
     * The lease.
     *
     * @throws RecordNotFoundException if the user's own record does not exist
     * @throws LeaseException with code {@code lock-unavailable} if it was refused
     */
    default Lease orElseThrow() {
        if (this instanceof Acquired acquired) {
            return acquired.lease();
        }
        throw ((Refused) this).toException();
    }
}
