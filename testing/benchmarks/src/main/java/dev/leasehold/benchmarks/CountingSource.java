package dev.leasehold.benchmarks;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Counts what its connections send to the server: statements, commits, roll-backs and changes of a session's mode. It
 * slows everything down a little, so it is not used while time is taken. Safe for use by many threads.
 */
final class CountingSource extends DelegatingDataSource {
    private final StoreKind store;
    private final LongAdder sent = new LongAdder();

    CountingSource(DataSource source, StoreKind store) {
        super(source);
        this.store = store;
    }

    long count() {
        return sent.sum();
    }

    @Override
    public Connection getConnection() throws SQLException {
        return counted(Connection.class, super.getConnection());
    }

    private <T> T counted(Class<T> type, T target) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (target instanceof Connection connection) {
                countConnection(connection, method.getName(), arguments);
            } else if (method.getName().startsWith("execute")) {
                sent.increment();
            }
            try {
                return wrapped(method.invoke(target, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object wrapped(@Nullable Object result) {
        if (result instanceof PreparedStatement statement) {
            return counted(PreparedStatement.class, statement);
        }
        return result instanceof Statement statement ? counted(Statement.class, statement) : result;
    }

    private void countConnection(Connection target, String method, Object @Nullable [] arguments) throws SQLException {
        switch (method) {
            case "commit", "rollback" -> sent.increment();
            // PostgreSQL's driver sends BEGIN along with the first statement, MariaDB's does not.
            case "setAutoCommit" -> {
                if (store == StoreKind.MARIADB && arguments != null && !arguments[0].equals(target.getAutoCommit())) {
                    sent.increment();
                }
            }
            case "setTransactionIsolation", "getTransactionIsolation" -> {
                if (store != StoreKind.SQLITE) {
                    sent.increment();
                }
            }
            default -> {
                // Nothing is sent.
            }
        }
    }
}
