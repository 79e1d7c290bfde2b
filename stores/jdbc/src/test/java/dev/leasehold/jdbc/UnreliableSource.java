package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections of another source that say what was sent, and lose the reply to a statement, once, when told to: it is carried out. */
final class UnreliableSource implements WrappedSource {
    private final DataSource source;
    private final AtomicReference<@Nullable String> losing = new AtomicReference<>();
    private final List<String> sent = new CopyOnWriteArrayList<>();

    UnreliableSource(DataSource source) {
        this.source = source;
    }

    /** The next statement that begins like this is carried out, but its sender does not hear of it. */
    void loseReplyTo(String beginning) {
        losing.set(beginning);
    }

    boolean hasLost() {
        return losing.get() == null;
    }

    /** The statements that were sent with parameters, in order. */
    List<String> sent() {
        return sent;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.getConnection();
        return around(Connection.class, connection, (name, arguments, result) -> {
            if (result instanceof PreparedStatement statement) {
                return around(PreparedStatement.class, statement, (verb, none, answer) -> {
                    if (verb.startsWith("execute")) {
                        answered(String.valueOf(arguments[0]));
                    }
                    return answer;
                });
            }
            return result;
        });
    }

    private void answered(String statement) throws SQLException {
        sent.add(statement);
        String beginning = losing.get();
        if (beginning != null
                && statement
                        .replace(Statements.WITHOUT_WAITING, "")
                        .replace(Statements.BRIEFLY, "")
                        .startsWith(beginning)) {
            losing.set(null);
            throw new SQLException("The connection was lost.", "08006");
        }
    }

    private interface After {
        @Nullable
        Object call(String method, Object[] arguments, @Nullable Object result) throws SQLException;
    }

    private static <T> T around(Class<T> type, T target, After after) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    Object[] arguments = given == null ? new Object[0] : Arrays.copyOf(given, given.length);
                    try {
                        return after.call(method.getName(), arguments, method.invoke(target, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }));
    }
}
