package dev.leasehold.jdbc;

import dev.leasehold.store.Uninterrupted;
import dev.leasehold.wire.Openings;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * Work on a connection of the user's source that must not be the caller's: a framework may give a thread the connection
 * of the transaction that the thread is in, which is not ours to change or to commit.
 */
final class OwnThread {
    private OwnThread() {}

    /** Work for that thread. */
    interface Task<T, E extends Exception> {
        T run() throws E;
    }

    /** Does the work on a thread of its own if the source is the user's, and waits for it. */
    static <T, E extends Exception> T call(DataSource source, Task<T, E> work) throws E {
        if (source instanceof UrlDataSource) {
            return work.run();
        }
        FutureTask<T> task = new FutureTask<>(work::run);
        Openings.start(task);
        return Uninterrupted.<T, E>resultOf(task); // The source has a limit of its own for how long this may take.
    }

    /**
     * A connection that is in no transaction of the caller's. An interrupt ends the wait for it; if it comes all the
     * same, it is closed. The thread that waits for the source is not interrupted, because an interrupt would harm an
     * embedded H2.
     */
    static Loan borrow(DataSource source) throws SQLException, InterruptedException {
        if (source instanceof UrlDataSource) {
            return used(source);
        }
        AtomicBoolean isDecided = new AtomicBoolean();
        FutureTask<Loan> task = new FutureTask<>(() -> {
            Loan loan = used(source);
            if (!isDecided.compareAndSet(false, true)) {
                loan.close();
            }
            return loan;
        });
        Openings.start(task);
        try {
            return task.get();
        } catch (InterruptedException e) {
            if (isDecided.compareAndSet(false, true)) {
                throw e;
            }
            Thread.currentThread().interrupt(); // The connection has just come: the work is told by the flag.
            return Uninterrupted.<Loan, SQLException>resultOf(task);
        } catch (ExecutionException e) {
            return Uninterrupted.<Loan, SQLException>resultOf(task); // Throws what the source threw.
        }
    }

    private static Loan used(DataSource source) throws SQLException {
        Loan loan = Loan.from(source);
        try {
            loan.connection().getMetaData(); // Some sources choose the connection only when it is used.
            return loan;
        } catch (Throwable e) {
            loan.close();
            throw e;
        }
    }
}
