package dev.leasehold.analysis;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A store that instances use, and its records as others see them: by the store's own client, past Leasehold. */
interface Place extends AutoCloseable {
    /** Whether the test has power over the store: it can make requests fail, and sees every commit. */
    default boolean hasPower() {
        return true;
    }

    /** The settings of an instance on it, with these variables of the environment. */
    Settings settings(Map<String, String> environment);

    /** Variables by which another process finds it. */
    Map<String, String> environment();

    /** The fields of a record by the names that ANALYSIS-1 gives them; empty if there is none. */
    Map<String, @Nullable Object> read(String id);

    /** Changes these fields by hand. */
    void write(String id, Map<String, @Nullable Object> fields);

    /**
     * The status, the lock and the fence after each change since the record was made, such as
     * {@code PENDING locked by 17@host fence 3} and {@code READY fence 3}.
     */
    List<String> changes(String id);

    /** Another program sets the status READY after a caller saw it pending, and before that caller has locked it. */
    void finishWhileAcquiring(String id, Runnable acquiring);

    /** From now on every request fails, until it is repaired. */
    void fail();

    void repair();

    /** What this store has for a moment. */
    Object time(Instant moment);

    /** The moment in a field of a time. */
    static Instant moment(@Nullable Object value) {
        if (value instanceof Instant instant) {
            return instant;
        }
        return Instant.parse(String.valueOf(value));
    }

    @Override
    void close();
}
