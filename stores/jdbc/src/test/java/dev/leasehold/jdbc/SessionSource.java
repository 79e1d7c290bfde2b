package dev.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Connections of another source whose sessions begin with a setting, such as a time zone. */
record SessionSource(DataSource source, String setting) implements WrappedSource {
    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute(setting);
        }
        return connection;
    }
}
