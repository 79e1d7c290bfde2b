package dev.leasehold.tck.interleaving;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A session of its own on the data of the store under test. It changes records by hand, in transactions that it keeps
 * open for as long as the contract wants.
 *
 * <p>A rival keeps every invariant that the store itself keeps, such as the order of locks and what else is written
 * when a caller stands in line. Used by one thread at a time.
 */
public interface Rival extends AutoCloseable {
    /** Begins a transaction, locks the record of this key and reads it with its line. A missing record locks nothing. */
    Optional<LeaseRecord> lock(Key key) throws Exception;

    /** Writes a record in the open transaction. {@code null} stands for a record that is not there. */
    void write(Key key, @Nullable LeaseRecord before, @Nullable LeaseRecord after) throws Exception;

    void commit() throws Exception;

    void rollback() throws Exception;

    /**
     * Whether another session is seen to wait for the open transaction. A rival that cannot see this answers false, and
     * the contract goes on after {@link Arena#patience}.
     */
    boolean isWaitedFor() throws Exception;

    /** Reads the committed record with its line, outside of a transaction. */
    Optional<LeaseRecord> read(Key key) throws Exception;

    /** The store's clock, in microseconds. */
    long nowMicros() throws Exception;

    @Override
    void close();
}
