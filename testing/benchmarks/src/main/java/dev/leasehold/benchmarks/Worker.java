package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** What one thread uses; it is used by one thread at a time. */
interface Worker extends AutoCloseable {
    @Override
    default void close() throws SQLException {}

    /** Asks for locks. */
    interface Locker extends Worker {
        /** The lock if it is free. */
        Optional<Hold> tryAcquire(String key) throws Exception;
    }

    /** Waits for locks. */
    interface Waiter extends Worker {
        /** How long a call waits, where it can give up at all. */
        Duration PATIENCE = Duration.ofMinutes(1);

        /**
         * The lock, as soon as it is this worker's turn.
         *
         * @throws TimeoutException if that does not come in time
         */
        Hold acquire(String key) throws Exception;
    }

    /** Runs once. */
    interface Runner extends Worker {
        /** The answer of the run with this key, which gives the key itself; it is made if it is not there. */
        String once(String key) throws Exception;
    }

    /** Holds leases for long. */
    interface Keeper extends Worker {
        /** Acquires all of these and keeps them until the client is closed. */
        void keep(List<String> keys) throws Exception;

        /** How many of them it has lost since, as far as it knows. */
        long lost();
    }

    /** A lock that is held. */
    interface Hold {
        void release() throws Exception;
    }
}
