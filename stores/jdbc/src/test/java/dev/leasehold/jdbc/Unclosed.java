package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;

/** Connections as a framework or a pool hands them out: closing one does nothing to it, so a test can look at it. */
final class Unclosed {
    private Unclosed() {}

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Unclosed.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
