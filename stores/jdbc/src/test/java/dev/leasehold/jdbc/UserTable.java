package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** A table as its owner sees it: what is really there, and what others do to it. */
final class UserTable implements AutoCloseable {
    private final Connection connection;
    private final String name;

    UserTable(DataSource source, String name) {
        try {
            this.connection = source.getConnection();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        this.name = name;
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs each of these statements by itself. */
    void execute(String... commands) {
        try (Statement statement = connection.createStatement()) {
            for (String command : commands) {
                statement.execute(command);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The row with this key as it stands there, by lower-case column; {@code null} is left out. */
    Map<String, String> row(String keyColumn, Object key) {
        Map<String, String> row = new HashMap<>();
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT * FROM " + name + " WHERE " + keyColumn + " = ?")) {
            statement.setObject(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                assertThat(rows.next()).as("there is a row " + key).isTrue();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    String column = rows.getMetaData().getColumnLabel(i).toLowerCase(Locale.ROOT);
                    Optional.ofNullable(rows.getString(i)).ifPresent(value -> row.put(column, value));
                }
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return row;
    }

    /** The number that a query gives. */
    long number(String query) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            assertThat(rows.next()).as(query).isTrue();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Lets time pass for all rows, by moving what they say. */
    void elapse(RowMapping mapping, Duration time) {
        try (Statement statement = connection.createStatement()) {
            RowTable table = find(mapping);
            TimeColumn column = table.time;
            String moved = column.writing(column.read() + " - " + time.toNanos() / 1_000);
            statement.executeUpdate("UPDATE " + table.name + " SET " + column.column() + " = " + moved);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The table as a mapping finds it. */
    RowTable find(RowMapping mapping) throws SQLException {
        Dialect dialect = Dialect.of(connection.getMetaData().getDatabaseProductName());
        return RowTable.find(connection, dialect, mapping);
    }
}
