package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections of another source on which something happens, once, just before a statement is sent or after one failed. */
final class RowMoment implements WrappedSource {
    private final DataSource source;
    private final AtomicReference<@Nullable Plan> plan = new AtomicReference<>();
    private final AtomicReference<@Nullable Rival> planOnFailure = new AtomicReference<>();
    private final AtomicInteger sent = new AtomicInteger();

    RowMoment(DataSource source) {
        this.source = source;
    }

    /** What a rival does in the meantime. */
    interface Rival {
        void act() throws Exception;
    }

    private record Plan(String beginning, Rival rival) {}

    /** The rival acts before the next statement that begins like this. */
    void before(String beginning, Rival rival) {
        plan.set(new Plan(beginning, rival));
    }

    /** The rival acts after the next statement that fails. */
    void afterFailure(Rival rival) {
        planOnFailure.set(rival);
    }

    boolean hasPassed() {
        return plan.get() == null && planOnFailure.get() == null;
    }

    /** How many statements were sent. */
    int sent() {
        return sent.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.getConnection();
        return around(Connection.class, connection, "", false);
    }

    private void reached(String statement) throws Exception {
        Plan next = plan.get();
        if (next != null
                && statement.replace(Statements.WITHOUT_WAITING, "").startsWith(next.beginning)
                && plan.compareAndSet(next, null)) {
            next.rival.act();
        }
    }

    private void failed() throws Exception {
        Rival next = planOnFailure.getAndSet(null);
        if (next != null) {
            next.act();
        }
    }

    private <T> T around(Class<T> type, T target, String statement, boolean isStatement) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    boolean isSent = isStatement && method.getName().startsWith("execute");
                    if (isSent) {
                        sent.incrementAndGet();
                        reached(statement);
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof PreparedStatement prepared
                                ? around(PreparedStatement.class, prepared, String.valueOf(arguments[0]), true)
                                : result;
                    } catch (InvocationTargetException e) {
                        if (isSent) {
                            failed();
                        }
                        throw e.getTargetException();
                    }
                }));
    }
}
