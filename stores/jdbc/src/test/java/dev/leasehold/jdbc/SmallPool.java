package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** A user's pool: so many connections and no more, a long wait for one, and defaults of its own. */
final class SmallPool {
    private static final long WAIT_SECONDS = 30;

    private final DataSource source;
    private final Semaphore free;

    SmallPool(DataSource source, int size) {
        this.source = source;
        this.free = new Semaphore(size);
    }

    DataSource source() {
        return Sessions.source(this::borrow);
    }

    /** Takes all that are left, for good. */
    void exhaust() {
        free.drainPermits();
    }

    private Connection borrow() throws SQLException {
        try {
            if (!free.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw new SQLTransientConnectionException("No connection of the pool came free.");
            }
        } catch (InterruptedException e) {
            throw new SQLTransientConnectionException("Interrupted while waiting for the pool.", e);
        }
        return lent(source.getConnection());
    }

    private Connection lent(Connection connection) {
        AtomicBoolean isLent = new AtomicBoolean(true);
        return (Connection) Proxy.newProxyInstance(
                SmallPool.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("close") && isLent.getAndSet(false)) {
                        free.release();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
