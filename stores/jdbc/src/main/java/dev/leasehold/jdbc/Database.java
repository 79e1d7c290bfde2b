package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.wire.Lanes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs work on a lane, and again if it collided with somebody else's. */
final class Database implements AutoCloseable {
    final Dialect dialect;
    private final Lanes<Lane, SQLException> lanes;
    private final Lanes<Lane, SQLException> spare;
    private final Duration callLimit;
    private final Function<SQLException, StoreException> translation;

    /** The end of this call, by {@link System#nanoTime}; null if each piece of work is a call of its own. */
    private final @Nullable Long until;

    /** The spare lanes are for renewals. */
    Database(Dialect dialect, Lanes<Lane, SQLException> lanes, Lanes<Lane, SQLException> spare, Duration callLimit) {
        this(dialect, lanes, spare, callLimit, error -> SqlErrors.translate(error, dialect));
    }

    Database(
            Dialect dialect,
            Lanes<Lane, SQLException> lanes,
            Lanes<Lane, SQLException> spare,
            Duration callLimit,
            Function<SQLException, StoreException> translation) {
        this(dialect, lanes, spare, callLimit, translation, null);
    }

    private Database(
            Dialect dialect,
            Lanes<Lane, SQLException> lanes,
            Lanes<Lane, SQLException> spare,
            Duration callLimit,
            Function<SQLException, StoreException> translation,
            @Nullable Long until) {
        this.dialect = dialect;
        this.lanes = lanes;
        this.spare = spare;
        this.callLimit = callLimit;
        this.translation = translation;
        this.until = until;
    }

    /** The limit of a call's work. */
    Duration callLimit() {
        return callLimit;
    }

    /** The limit of a call: as long as it may wait for a lane, and as long again for its work. */
    Duration longestCall() {
        return callLimit.multipliedBy(2);
    }

    /** The same for one call that begins now, of several works, which share its time. */
    Database forOneCall() {
        return new Database(dialect, lanes, spare, callLimit, translation, end());
    }

    /** Until when the call may take that this is for, or one that begins now. */
    long end() {
        return until != null ? until : System.nanoTime() + longestCall().toNanos();
    }

    /** Opens the spare lane, so that it is there when no other can be had. */
    void prepare() {
        untilItDoesNotCollide(end -> spare.run(lane -> true, end));
    }

    private interface Attempt<T> {
        T run(long end) throws SQLException;
    }

    /** Each statement of the work is a transaction of its own. */
    <T> T run(Lane.Work<T> work) {
        return untilItDoesNotCollide(end -> lanes.run(work, end));
    }

    /** The same for work that may take long, and must not hold up the other calls. */
    <T> T runAside(Lane.Work<T> work) {
        return untilItDoesNotCollide(end -> lanes.runAside(work, end));
    }

    /** The same for a renewal, which neither waits for other calls nor for a connection from the user's pool. */
    <T> T runWithoutQueue(Lane.Work<T> work) {
        boolean isSpareBest = spare.isOpen() || (spare.isFree() && !lanes.isOpen());
        return untilItDoesNotCollide(end -> (isSpareBest ? spare : lanes).run(work, end));
    }

    /** The same as one transaction: all of it or nothing. */
    <T> T runAsideAtomically(Lane.Work<T> work) {
        return runAside(lane -> lane.atomically(work));
    }

    /** The request goes alone, or in one statement with others if the lanes are busy. */
    <Q, R> R run(SqlBatch<Q, R> batch, Q request) {
        return untilItDoesNotCollide(end -> lanes.run(batch, request, end));
    }

    private <T> T untilItDoesNotCollide(Attempt<T> attempt) {
        long end = end();
        long lastTry = end - callLimit.toNanos();
        for (int collisions = 1; ; collisions++) {
            try {
                return attempt.run(end);
            } catch (SQLException e) {
                if (!SqlErrors.isConflict(e, dialect)) {
                    throw translation.apply(e);
                }
                if (System.nanoTime() - lastTry > 0) {
                    throw new StoreUnavailableException(
                            "The database kept colliding with other work for " + callLimit.toMillis() + " ms: "
                                    + e.getMessage(),
                            e);
                }
                pause(collisions);
            }
        }
    }

    /** A moment, a little longer after each collision, so that those who collided do not meet again. */
    static void pause(int collisions) {
        long most = 250_000L << Math.min(collisions, 7);
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(most / 4, most));
    }

    @Override
    public void close() {
        lanes.close();
        spare.close();
    }
}
