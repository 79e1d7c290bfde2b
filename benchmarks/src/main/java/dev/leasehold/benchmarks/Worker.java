package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.Optional;

/** Acquires, for one thread. */
interface Worker extends AutoCloseable {
    /** The lock if it is free. */
    Optional<Hold> tryAcquire(String key) throws Exception;

    /** The lock, however long it takes. */
    default Hold acquire(String key) throws Exception {
        throw new UnsupportedOperationException("It cannot wait.");
    }

    /** The answer of the run with this key, which gives the key itself; it is made if it is not there. */
    default String once(String key) throws Exception {
        throw new UnsupportedOperationException("It keeps no answers.");
    }

    @Override
    default void close() throws SQLException {}

    /** A lock that is held. */
    interface Hold {
        void release() throws Exception;
    }
}
