package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.wire.Lanes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** Runs work on a lane, and again if it collided with somebody else's. */
final class Database implements AutoCloseable {
    final Dialect dialect;
    private final Lanes<Lane, SQLException> lanes;
    private final Lanes<Lane, SQLException> spare;
    private final Duration callLimit;
    private final Function<SQLException, StoreException> translation;

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
        this.dialect = dialect;
        this.lanes = lanes;
        this.spare = spare;
        this.callLimit = callLimit;
        this.translation = translation;
    }

    /** Opens the spare lane, so that it is there when no other can be had. */
    void prepare() {
        untilItDoesNotCollide(() -> spare.run(lane -> true));
    }

    private interface Attempt<T> {
        T run() throws SQLException;
    }

    /** Each statement of the work is a transaction of its own. */
    <T> T run(Lane.Work<T> work) {
        return untilItDoesNotCollide(() -> lanes.run(work));
    }

    /** The same for work that may take long, and must not hold up the other calls. */
    <T> T runAside(Lane.Work<T> work) {
        return untilItDoesNotCollide(() -> lanes.runAside(work));
    }

    /** The same for a renewal, which neither waits for other calls nor for a connection from the user's pool. */
    <T> T runWithoutQueue(Lane.Work<T> work) {
        boolean isSpareBest = spare.isOpen() || (spare.isFree() && !lanes.isOpen());
        return untilItDoesNotCollide(() -> (isSpareBest ? spare : lanes).run(work));
    }

    /** The same as one transaction: all of it or nothing. */
    <T> T runAsideAtomically(Lane.Work<T> work) {
        return runAside(lane -> lane.atomically(work));
    }

    /** The request goes alone, or in one statement with others if the lanes are busy. */
    <Q, R> R run(SqlBatch<Q, R> batch, Q request) {
        return untilItDoesNotCollide(() -> lanes.run(batch, request));
    }

    private <T> T untilItDoesNotCollide(Attempt<T> attempt) {
        long end = System.nanoTime() + callLimit.toNanos();
        for (int collisions = 1; ; collisions++) {
            try {
                return attempt.run();
            } catch (SQLException e) {
                if (!SqlErrors.isConflict(e, dialect)) {
                    throw translation.apply(e);
                }
                if (System.nanoTime() - end > 0) {
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
