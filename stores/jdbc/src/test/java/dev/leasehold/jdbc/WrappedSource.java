package dev.leasehold.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A source that does something to the connections of another; nothing else of a source is ever asked for. */
interface WrappedSource extends DataSource {
    @Override
    default Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    default @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    default void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    default void setLoginTimeout(int seconds) {}

    @Override
    default int getLoginTimeout() {
        return 0;
    }

    @Override
    default Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    default <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("Not a wrapper.");
    }

    @Override
    default boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
