package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicReference;

/** Connections as frameworks hand them out that open one only when it is used. */
final class Lazily {
    private Lazily() {}

    static Connection open(Sessions.Opening opening) {
        AtomicReference<Connection> opened = new AtomicReference<>();
        return (Connection) Proxy.newProxyInstance(
                Lazily.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (opened.get() == null) {
                        opened.set(opening.open());
                    }
                    try {
                        return method.invoke(opened.get(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
