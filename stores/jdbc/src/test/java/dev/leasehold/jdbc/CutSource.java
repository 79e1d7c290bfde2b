package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Connections on which chosen statements fail before they reach the database. */
final class CutSource {
    private final DataSource source;
    private volatile String cut = "";

    CutSource(DataSource source) {
        this.source = source;
    }

    DataSource source() {
        return Sessions.source(() -> around(Connection.class, source.getConnection(), ""));
    }

    /** From now on statements with this text in them fail. */
    void cut(String text) {
        cut = text;
    }

    void heal() {
        cut = "";
    }

    private <T> T around(Class<T> type, T target, String sql) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (!cut.isEmpty() && sql.contains(cut) && method.getName().startsWith("execute")) {
                        throw new SQLException("The connection was lost.", "08006");
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof PreparedStatement statement
                                        && method.getName().equals("prepareStatement")
                                ? around(PreparedStatement.class, statement, (String) arguments[0])
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }));
    }
}
