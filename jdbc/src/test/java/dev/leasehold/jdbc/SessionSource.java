package dev.leasehold.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections of another source whose sessions begin with a setting, such as a time zone. */
record SessionSource(DataSource source, String setting) implements DataSource {
    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute(setting);
        }
        return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("Not a wrapper.");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
